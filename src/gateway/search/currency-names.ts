import { singular } from './plurals.js';
import { currencies } from './query-words.js';
import { wordsOf } from './words.js';

const officialNames = new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' });

/** What people call currencies, the most usual name first. A name that several currencies have is left out. */
const commonNames: Readonly<Record<string, readonly string[]>> = {
  usd: ['dollar', 'us dollar', 'american dollar', 'greenback'],
  eur: ['euro'],
  gbp: ['sterling', 'pound', 'pound sterling', 'uk pound'],
  jpy: ['yen'],
  chf: ['franc'],
  cny: ['yuan', 'renminbi', 'rmb'],
  inr: ['rupee'],
  krw: ['won'],
  rub: ['ruble', 'rouble'],
  sek: ['krona', 'swedish kronor'],
  nok: ['norwegian kroner'],
  dkk: ['danish kroner'],
  try: ['lira'],
  pln: ['zloty'],
  huf: ['forint'],
  czk: ['koruna'],
  ils: ['shekel'],
  thb: ['baht'],
  zar: ['rand'],
  myr: ['ringgit'],
  idr: ['rupiah'],
};

/** A currency by its code, its name and the names that people use; as words. */
export const namesOfCurrency = (code: string): string[][] =>
  [code, officialNames.of(code.toUpperCase()) ?? '', ...(commonNames[code] ?? [])]
    .map(wordsOf)
    .filter(({ length }) => length > 0);

const keyOf = (words: readonly string[]): string => words.map(singular).join(' ');

/** Names that people use come last, so that they count where an official name of another currency is the same. */
const byName: ReadonlyMap<string, string> = new Map([
  ...[...currencies].map(
    (code) => [keyOf(wordsOf(officialNames.of(code.toUpperCase()) ?? '')), code] as const,
  ),
  ...Object.entries(commonNames).flatMap(([code, names]) =>
    names.map((name) => [keyOf(name.split(' ')), code] as const),
  ),
]);
const longestName = 3;

/** The currency that words begin with, by its code or a name. */
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
