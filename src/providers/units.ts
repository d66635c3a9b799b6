/**
 * A unit with one meaning for all upstreams: a value times `unitMultiplier` is in `unit`. Upstreams give the magnitude as an exponent with
 * the unit, in words ("Billions of Dollars"), as a convention of a table, or not at all; each connector converts its own form.
 */
export interface Unit {
  /** In words, with the magnitude: the upstream's text if it has the magnitude, otherwise such as `Thousands of persons`. */
  readonly units?: string;
  /** `Dollars`, `persons`, `NOK per SEK`; absent if the upstream has none. */
  readonly unit?: string;
  /** Absent if the magnitude is unknown or not given. */
  readonly unitMultiplier?: number;
}

const powers: Readonly<Record<string, number>> = {
  ten: 1,
  hundred: 2,
  thousand: 3,
  thous: 3,
  million: 6,
  mil: 6,
  mio: 6,
  billion: 9,
  bil: 9,
  mrd: 9,
  trillion: 12,
};

const word = String.raw`(?:(?:hundred|thousand|million|billion|trillion)s?|(?:thous|mil|mio|bil|mrd)\.?)`;
const words = String.raw`(?:tens?\s+(?:of\s+)?)?${word}(?:\s+(?:of\s+)?${word})*`;

/** `Billions of Dollars`, `100 Million Yen`, `Thousands`. */
const leading = new RegExp(String.raw`^(?:(10*)\s+)?(${words})(?:\s+of)?(?:\s+|(?=[,)])|$)`, 'i');
/** `1000 persons`. */
const leadingNumber = /^(10{2,9})\s+(?=\p{L})/u;
/** `Current Dollars, millions`, `Total (in Millions)`, `CLV (2015), million euro`; not `per million inhabitants`. */
const within = new RegExp(
  String.raw`(?:([,(])\s*(?:in\s+)?(${words})(?:\s+of)?|\bin\s+(${words})(?:\s+of|(?=\s*(?:[,)]|$))))(?=[\s,)]|$)`,
  'i',
);

const powerOf = (text: string): number =>
  (text.toLowerCase().match(/[a-z]+/g) ?? []).reduce(
    (sum, one) => sum + (powers[one] ?? powers[one.replace(/s$/, '')] ?? 0),
    0,
  );

const tidy = (text: string): string =>
  text
    .replace(/\(\s*\)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s+(?=[,)])/g, '')
    .replace(/\(\s+/g, '(')
    .replace(/(?:^[\s,]+|[\s,]+$|,(?=,))/g, '')
    .trim();

interface Magnitude {
  readonly power: number;
  readonly rest: string;
}

const readMagnitude = (text: string): Magnitude => {
  const start = leading.exec(text);
  if (start !== null) {
    const [all, tens = '1', magnitude = ''] = start;
    return { power: powerOf(magnitude) + tens.length - 1, rest: tidy(text.slice(all.length)) };
  }
  const number = leadingNumber.exec(text);
  if (number !== null) return { power: (number[1]?.length ?? 1) - 1, rest: text.slice(number[0].length) };
  const inside = within.exec(text);
  if (inside === null) return { power: 0, rest: text };
  const [all, sign = '', afterSign, afterIn] = inside;
  const rest = `${text.slice(0, inside.index)}${sign} ${text.slice(inside.index + all.length)}`;
  return { power: powerOf(afterSign ?? afterIn ?? ''), rest: tidy(rest) };
};

/** Powers of ten, parsed from text so that a hundredth is not 0.009999999999999998 from a product of floats. */
export const powerOfTen = (power: number): number => Number(`1e${power}`);

/** The power of ten of a magnitude in words: `Millions`, `Units`; undefined for other words. */
const namedPower = (text: string): number | undefined => {
  if (/^units?$/i.test(text)) return 0;
  const { power, rest } = readMagnitude(text);
  return power > 0 && rest === '' ? power : undefined;
};

/** Parses an exponent of SDMX or BEA: `6`, `6.0`, `-2`, or its name; `none` for an empty one, undefined for any other text. */
export const readExponent = (written: string | number | null | undefined): number | 'none' | undefined => {
  const text = String(written ?? '').trim();
  if (text === '' || text === '_Z' || text === '_N') return 'none';
  const [, digits] = /^([+-]?\d{1,2})(?:\.0*)?$/.exec(text) ?? [];
  return digits === undefined ? namedPower(text) : Number(digits);
};

/**
 * Parses a unit with its magnitude in words: `Billions of Dollars` is `Dollars` times 1e9. Without a word for the unit (`Thousands`) it is
 * `Units`.
 */
export const unitOfText = (text: string | undefined): Unit => {
  if (text === undefined || text === '') return {};
  const { power, rest } = readMagnitude(text);
  return { units: text, unit: rest === '' ? 'Units' : rest, unitMultiplier: powerOfTen(power) };
};

/** Like `unitOfText`, but `Yen per 100 Won` is a price for a hundred: a value times 0.01 is in `Yen per Won`. */
export const unitOfPrice = (text: string | undefined): Unit => {
  const [, price, amount, base] = /^(\D+) per (10+) (\D+)$/.exec(text ?? '') ?? [];
  if (text === undefined || amount === undefined) return unitOfText(text);
  return { units: text, unit: `${price} per ${base}`, unitMultiplier: powerOfTen(1 - amount.length) };
};

const scales: readonly (readonly [power: number, words: string])[] = [
  [12, 'trillions'],
  [9, 'billions'],
  [6, 'millions'],
  [3, 'thousands'],
  [0, ''],
];
const within3 = ['', 'tens', 'hundreds'];
const fractions: Readonly<Record<number, string>> = {
  1: 'tenths',
  2: 'hundredths',
  3: 'thousandths',
  6: 'millionths',
};

/** A power of ten in words: `thousands`, `hundreds of millions`; `10^15` for one without a name. */
const powerInWords = (power: number): string => {
  if (power < 0) return fractions[-power] ?? `10^${power}`;
  const [scale, words] = scales.find(([one]) => power >= one) ?? [0, ''];
  const rest = within3[power - scale];
  return rest === undefined ? `10^${power}` : [rest, words].filter(Boolean).join(' of ');
};

/** Words that only repeat the magnitude: a number of `Number` in thousands is `Thousands`. */
const isBareNumber = (unit: string | undefined): boolean =>
  unit === undefined || /^(?:numbers?|units?|pure number)$/i.test(unit);

/** `Thousands`, `Billions of U.S. dollars`: the text for readers of `units` only. */
const inWords = (unit: string | undefined, power: number): string => {
  const words = powerInWords(power);
  const start = words.charAt(0).toUpperCase() + words.slice(1);
  if (isBareNumber(unit)) return start;
  return `${start}${start.startsWith('10^') ? '' : ' of'} ${unit}`;
};

/**
 * A unit and its separate multiplier. `units` has both in words, unless the text of the upstream (`text`, by default the unit) already has
 * the magnitude.
 */
export const unitTimes = (
  unit: string | undefined,
  unitMultiplier: number,
  text: string | undefined = unit,
): Unit => {
  const said = unitOfText(text).unitMultiplier ?? 1;
  const power = Math.round(Math.log10(unitMultiplier));
  const spelled = power === 0 ? unit : inWords(unit, power);
  const units = said === unitMultiplier ? text : spelled;
  return {
    ...(units === undefined || units === '' ? {} : { units }),
    ...(unit === undefined || unit === '' ? {} : { unit }),
    unitMultiplier,
  };
};

/**
 * A unit with an exponent. Services that send both often have the magnitude twice (`Millions of current dollars` and 6); it counts once.
 */
export const unitWithExponent = (text: string | undefined, exponent: number | 'none' | undefined): Unit => {
  const named = text === '' ? undefined : text;
  if (exponent === undefined) return named === undefined ? {} : { units: named, unit: named };
  const read = unitOfText(named);
  if (exponent === 'none' || exponent === 0) return { unitMultiplier: 1, ...read };
  const multiplier = powerOfTen(exponent);
  return read.unitMultiplier === multiplier ? read : unitTimes(named, multiplier);
};

/** Returns true if rows of one series have different exponents; rows without one count as equal to the others. */
export const haveSeveralExponents = (written: readonly (string | number | null | undefined)[]): boolean => {
  const found = [...new Set(written)].map(readExponent).filter((one) => typeof one === 'number');
  return new Set(found).size > 1;
};
