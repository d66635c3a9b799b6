import { COMMA, POINT, ZERO } from './bytes.js';
import { dayOf, noDay, parseDay } from './date-text.js';
import type { ColumnRules } from './types.js';

/** Tests the field from `start` to `end`, which is never empty. If the field has doubled quotes, `end` is `~end`, as in `FieldIndex`. */
type FieldTest = (bytes: Uint8Array, start: number, end: number) => boolean;
/** Parses the field from `start` to `end`, which is never empty. */
type DayParser = (bytes: Uint8Array, start: number, end: number) => number;

/** Rules of one column, compiled for the loops over its fields. */
export interface CompiledRules {
  /** Decimal separator. */
  readonly point: number;
  /** Tested first, in columns of all types; undefined: only the empty field is null. */
  readonly isNullText: FieldTest | undefined;
  readonly parseDay: DayParser;
  /** False if a manifest changes how numbers or dates are parsed: the loops then take their general path. */
  readonly plain: boolean;
}

const plainRules: CompiledRules = {
  point: POINT,
  isNullText: undefined,
  parseDay,
  plain: true,
};

export const compileRules = (rules: ColumnRules | undefined): CompiledRules => {
  if (rules === undefined || Object.keys(rules).length === 0) return plainRules;
  const isNullText = rules.nullValues?.length ? compileTexts(rules.nullValues) : undefined;
  const parse = rules.dateFormat === undefined ? parseDay : compileDateFormat(rules.dateFormat);
  return {
    point: rules.decimal === ',' ? COMMA : POINT,
    isNullText,
    parseDay: rules.bareYear === true ? (bytes, start, end) => bareYear(bytes, start, end, parse) : parse,
    plain: rules.decimal !== ',' && rules.dateFormat === undefined && rules.bareYear !== true,
  };
};

/** The cost does not depend on the number of texts and their likeness: a field of the length of one of them is looked up once. */
const lookUp = (texts: readonly string[]): FieldTest => {
  const wanted = new Set(texts.map((text) => Buffer.from(text).toString('latin1')));
  const lengths = new Set(Array.from(wanted, ({ length }) => length));
  return (bytes, start, end) =>
    lengths.has(end - start) &&
    wanted.has(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'));
};

const compileTexts = (texts: readonly string[]): FieldTest => {
  const isText = lookUp(texts);
  const quoted = texts.filter((text) => text.includes('"'));
  const isDoubled = lookUp(quoted.map((text) => text.replaceAll('"', '""')));
  return (bytes, start, end) => (end < start ? isDoubled(bytes, start, ~end) : isText(bytes, start, end));
};

/** Reads up to `most` digits. */
const digitsAt = (
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
): { value: number; next: number } => {
  let value = 0;
  let next = start;
  while (next < end && next - start < most) {
    const digit = bytes[next]! - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    next++;
  }
  return { value, next };
};

const bareYear = (bytes: Uint8Array, start: number, end: number, parse: DayParser): number => {
  if (end - start === 4) {
    const { value, next } = digitsAt(bytes, start, end, 4);
    if (next === end) return dayOf(value, 1, 1);
  }
  return parse(bytes, start, end);
};

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

interface DateParts {
  year: number;
  month: number;
  day: number;
}

/** Reads one part of a date at `at`. @returns the position after it, or -1 */
type FormatStep = (bytes: Uint8Array, at: number, end: number, parts: DateParts) => number;

const numberStep =
  (least: number, most: number, assign: (parts: DateParts, value: number) => void): FormatStep =>
  (bytes, at, end, parts) => {
    const { value, next } = digitsAt(bytes, at, end, most);
    if (next - at < least) return -1;
    assign(parts, value);
    return next;
  };

const nameStep =
  (names: readonly string[]): FormatStep =>
  (bytes, at, end, parts) => {
    const text = Buffer.from(bytes.subarray(at, Math.min(end, at + 9)))
      .toString('latin1')
      .toLowerCase();
    const month = names.findIndex((name) => text.startsWith(name));
    if (month < 0) return -1;
    parts.month = month + 1;
    return at + names[month]!.length;
  };

/** Two-digit years as POSIX reads them: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068. */
const fullYear = (twoDigits: number): number => twoDigits + (twoDigits < 69 ? 2000 : 1900);

const formatSteps: Readonly<Record<string, FormatStep>> = {
  Y: numberStep(4, 4, (parts, value) => {
    parts.year = value;
  }),
  y: numberStep(2, 2, (parts, value) => {
    parts.year = fullYear(value);
  }),
  m: numberStep(1, 2, (parts, value) => {
    parts.month = value;
  }),
  d: numberStep(1, 2, (parts, value) => {
    parts.day = value;
  }),
  b: nameStep(monthNames.map((name) => name.slice(0, 3))),
  B: nameStep(monthNames),
};

const literalStep =
  (byte: number): FormatStep =>
  (bytes, at, end) =>
    at < end && bytes[at] === byte ? at + 1 : -1;

/**
 * Compiles a format of `%Y %y %m %d %b %B %%` and literal characters. Months and days need no leading zero.
 * @throws RangeError for a format without a year or with an unknown letter, which the check of a manifest reports
 */
export const compileDateFormat = (format: string): DayParser => {
  const steps: FormatStep[] = [];
  const source = Buffer.from(format);
  let hasYear = false;
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== 0x25) {
      steps.push(literalStep(source[i]!));
      continue;
    }
    const code = source[++i];
    if (code === undefined) throw new RangeError(`Date format "${format}" ends in %`);
    const letter = String.fromCharCode(code);
    const step = letter === '%' ? literalStep(0x25) : formatSteps[letter];
    if (step === undefined) throw new RangeError(`Date format "${format}": unknown part %${letter}`);
    hasYear ||= letter === 'Y' || letter === 'y';
    steps.push(step);
  }
  if (!hasYear) throw new RangeError(`Date format "${format}" has no year (%Y or %y)`);
  return (bytes, start, end) => {
    const parts: DateParts = { year: 0, month: 1, day: 1 };
    let at = start;
    for (const step of steps) {
      at = step(bytes, at, end, parts);
      if (at < 0) return noDay;
    }
    return at === end ? dayOf(parts.year, parts.month, parts.day) : noDay;
  };
};
