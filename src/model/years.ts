/** Columns of years: whole numbers from 1500 to 2200 in a column whose name contains a word for year. They are a time axis, like dates. */

/** First and last number that counts as a year. */
export const firstYear = 1500;
export const lastYear = 2200;

export const isYear = (value: number): boolean =>
  value >= firstYear && value <= lastYear && Number.isInteger(value);

/** Words for year, in lower case. */
const words: ReadonlySet<string> = new Set([
  'year',
  'years',
  'yr',
  'yrs',
  'yyyy',
  'fy',
  'jahr',
  'jahre',
  'année',
  'années',
  'annee',
  'annees',
  'año',
  'años',
  'ano',
  'anos',
  'anno',
  'anni',
  'jaar',
  'år',
  'vuosi',
  'rok',
  'год',
  'έτος',
  'yıl',
  '年',
  '年度',
]);

/** German compounds are one word: Geschäftsjahr. */
const compound = /\p{L}jahr$/u;

/** True for a name with a word for year: `Year`, `Fiscal year`, `ref_year`, `FiscalYear`. */
export const saysYear = (name: string): boolean =>
  name
    .normalize('NFC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => words.has(word) || compound.test(word));

/** Days from 1970-01-01 to the first day of a year from 100 on. */
export const firstDayOf = (year: number): number => Date.UTC(year, 0, 1) / 86_400_000;
