import { regionWords } from './regions.js';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Stop words. `us` is a country, so it is not one of them. */
const functionWords = setOf(
  `a about all also an and any are as at be between by can compare compared data do does each every find for from get give has have
   how i in into is it its like live lived living many me much my no not of on or our over per please series show some such
   than that the their there these this those to under until versus via vs was were what when where which who why with within
   you your`,
);

/** Words for the form of the data: frequency, transformation, period. */
const wishWords = setOf(
  `adjusted annual annually change close closing countries country current daily data dollars euros growth historical history latest level monthly mom nominal now pct percent qoq
   quarterly real seasonally since today unadjusted weekly yearly yoy`,
);

/** Returns true for a word for the form of the data. */
export const isWish = (word: string): boolean => wishWords.has(word);

export const isYear = (word: string): boolean => /^(?:1[5-9]|20)\d\d$/.test(word);

export const isFunctionWord = (word: string): boolean => functionWords.has(word);

export const currencies: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()),
);

export const isCurrencyPair = (word: string): boolean =>
  word.length === 6 && currencies.has(word.slice(0, 3)) && currencies.has(word.slice(3));

/** Capitalized words of a query, which are codes such as `CPIH`. A query all in capitals may have ordinary words. */
const codesOf = (query: string): ReadonlySet<string> =>
  new Set((query.match(/\b[A-Z]{2,5}\b/g) ?? []).map((code) => code.toLowerCase()));

/** Words of a query that may contain a typing error: neither words of the data's language nor codes. */
export const correctableWords = (query: string, words: readonly string[]): string[] => {
  const codes = codesOf(query);
  const known = (word: string): boolean =>
    functionWords.has(word) ||
    wishWords.has(word) ||
    regionWords.has(word) ||
    codes.has(word) ||
    isCurrencyPair(word);
  return words.filter((word) => isCorrectable(word) && !known(word));
};

/** Words with digits are codes. */
export const isCorrectable = (word: string): boolean => /^\p{L}{4,40}$/u.test(word);
