import { readSourceLines } from '../../lib/source-files.js';
import { singular } from './plurals.js';
import { currencies } from './query-words.js';
import { wordsOf } from './words.js';

const officialNames = new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' });

/** Everyday names, by code. */
const commonNames: ReadonlyMap<string, readonly string[]> = new Map(
  readSourceLines('search/currencies.txt').map((line) => [line.slice(0, 3), line.slice(4).split(' | ')]),
);

/** Code, official name and everyday names of a currency, as words. */
export const namesOfCurrency = (code: string): string[][] =>
  [code, officialNames.of(code.toUpperCase()) ?? '', ...(commonNames.get(code) ?? [])]
    .map(wordsOf)
    .filter(({ length }) => length > 0);

const keyOf = (words: readonly string[]): string => words.map(singular).join(' ');

/** Everyday names come last, so that they take precedence over the same official name of another currency. */
const byName: ReadonlyMap<string, string> = new Map([
  ...[...currencies].map(
    (code) => [keyOf(wordsOf(officialNames.of(code.toUpperCase()) ?? '')), code] as const,
  ),
  ...[...commonNames].flatMap(([code, names]) =>
    names.map((name) => [keyOf(name.split(' ')), code] as const),
  ),
]);
const longestName = 3;

/** The currency that the first words name, by its code or a name. */
export const currencyOf = (
  words: readonly string[],
): { readonly code: string; readonly length: number } | undefined => {
  const [first = ''] = words;
  if (currencies.has(first)) return { code: first, length: 1 };
  for (let length = Math.min(longestName, words.length); length > 0; length -= 1) {
    const code = byName.get(keyOf(words.slice(0, length)));
    if (code !== undefined) return { code, length };
  }
  return undefined;
};
