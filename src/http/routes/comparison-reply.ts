import type { Readable } from 'node:stream';
import type { DatasetAccess } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { StandingRight } from '../../catalog/standing-rights.js';
import type { Caller } from '../../model/permission.js';
import type { MatchedBy } from '../../query/comparison/unique-keys.js';
import { type Format, formats } from '../../query/formats/formats.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import type { Reply, RequestHead } from '../route.js';
import { meterOf, startExport } from './download-answer.js';

const names = { keys: 'Row-Key', ambiguous: 'Ambiguous-Row-Key' } as const;

/** JSON in ASCII, since a header cannot have other characters; those become \uXXXX. */
const asciiJson = (texts: readonly string[]): string =>
  JSON.stringify(texts).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Maximum bytes of a header: clients and proxies refuse longer ones. */
const maxBytes = 4_000;

const listOf = (columns: MatchedBy['keys']): string => {
  const texts = columns.map(({ name }) => name);
  const text = asciiJson(texts);
  if (text.length <= maxBytes) return text;
  let shown = 0;
  for (let bytes = 6; bytes < maxBytes && shown < texts.length; shown += 1)
    bytes += asciiJson([texts[shown] ?? '']).length;
  return asciiJson([...texts.slice(0, Math.max(0, shown - 1)), '…']);
};

/** Headers that name the columns by which the rows of a streamed comparison are matched. */
const keyHeaders = ({ keys, ambiguous }: MatchedBy): Record<string, string> => ({
  [names.keys]: listOf(keys),
  ...(ambiguous.length === 0 ? {} : { [names.ambiguous]: listOf(ambiguous) }),
  'Access-Control-Expose-Headers': Object.values(names).join(', '),
});

/** The same headers for the documents. */
export const keyHeadersDescribed = {
  [names.keys]:
    'JSON list of the columns by which rows are matched; empty: whole rows are compared, and none is shown as changed.',
  [names.ambiguous]:
    'JSON list of the columns that are no key because several rows of one version share their values.',
};

/** A streamed comparison, counted as a download. Not counted if `open` fails. */
export const comparisonReply = async (
  quotas: Pick<Quotas, 'requireDownload' | 'startExport'>,
  { caller, log }: Pick<RequestHead<unknown, unknown, Caller | undefined>, 'caller' | 'log'>,
  dataset: DatasetAccess,
  answer: {
    readonly format: Format;
    /** Suffix of the file name, after the name of the dataset. */
    readonly name: string;
    readonly top: number | undefined;
    readonly right: StandingRight;
    readonly open: () => Promise<MatchedBy & { readonly body: Readable }>;
  },
): Promise<Reply> => {
  await quotas.requireDownload(caller, dataset);
  const ticket = await startExport(quotas, caller, answer.top);
  const { mediaType, extension } = formats[answer.format];
  try {
    const { body, ...matched } = await answer.open();
    return {
      status: 200,
      headers: {
        'Content-Type': mediaType,
        'Content-Disposition': dispositionOf(fileNameOf(`${dataset.name} ${answer.name}`, extension)),
        'Cache-Control': 'private, no-cache',
        ...keyHeaders(matched),
      },
      body,
      right: answer.right,
      meter: meterOf(ticket, log),
    };
  } catch (error) {
    await ticket.cancel();
    throw error;
  }
};
