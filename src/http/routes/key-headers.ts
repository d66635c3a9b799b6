import type { MatchedBy } from '../../query/comparison/unique-keys.js';

const names = { keys: 'Row-Key', ambiguous: 'Ambiguous-Row-Key' } as const;

/** JSON in ASCII, which is all that a header holds: any other character as \uXXXX. */
const asciiJson = (texts: readonly string[]): string =>
  JSON.stringify(texts).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Most bytes of a header: clients and proxies refuse longer ones. */
const mostBytes = 4_000;

const listOf = (columns: MatchedBy['keys']): string => {
  const texts = columns.map(({ name }) => name);
  const text = asciiJson(texts);
  if (text.length <= mostBytes) return text;
  let shown = 0;
  for (let bytes = 6; bytes < mostBytes && shown < texts.length; shown += 1)
    bytes += asciiJson([texts[shown] ?? '']).length;
  return asciiJson([...texts.slice(0, Math.max(0, shown - 1)), '…']);
};

/** Tells by which columns the rows of a streamed comparison are matched. */
export const keyHeaders = ({ keys, ambiguous }: MatchedBy): Record<string, string> => ({
  [names.keys]: listOf(keys),
  ...(ambiguous.length === 0 ? {} : { [names.ambiguous]: listOf(ambiguous) }),
  'Access-Control-Expose-Headers': Object.values(names).join(', '),
});

/** The same in the documents. */
export const keyHeadersDescribed = {
  [names.keys]:
    'JSON list of the columns by which rows are matched; empty: whole rows are compared, and none is shown as changed.',
  [names.ambiguous]:
    'JSON list of the columns that are no key because several rows of one version share their values.',
};
