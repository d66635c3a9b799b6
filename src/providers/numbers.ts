import type { Observation } from './provider.js';

/**
 * Numbers keep the digits of the upstream: they are passed on as decimal text and answered as JSON numbers with the same digits. `0.30`
 * stays `0.30`; only forms that JSON does not allow are changed: `+1` `01` `.5` `5.` become `1` `1` `0.5` `5`.
 */
const decimalForm = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/;

/** The decimal text of a number; undefined for anything that is not exactly one number. */
export const parseDecimal = (written: string | number): string | undefined => {
  const match = decimalForm.exec(String(written).trim());
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction = match[4] ?? '', , exponent] = match;
  const digits = whole.replace(/^0+(?=\d)/, '');
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`;
};

const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** Like `parseDecimal`, but `1,234,567.8` with thousands separators is 1234567.8. `1,23` is not a number. */
export const parseGroupedDecimal = (written: string): string | undefined => {
  const text = written.trim();
  return parseDecimal(grouped.test(text) ? text.replaceAll(',', '') : text);
};

/** Words that mean "missing" at every upstream; each has further ones. */
const missingEverywhere: readonly string[] = ['', 'NaN', 'null'];

/** A longer text is not a remark about one value. */
export const longestFlag = 200;

/**
 * Parses the value of an observation: decimal text for a number; null for one of the upstream's words for "missing" (compared trimmed). Any
 * other text (`Bank holiday`) is null too, and becomes the `flag`: one unusual cell must not hide a series, nor look like a value that is
 * only missing.
 */
export const readValue = (
  written: string | number | null | undefined,
  missing: readonly string[] = [],
  parse: (text: string) => string | undefined = parseDecimal,
): Pick<Observation, 'value' | 'flag'> => {
  const text = String(written ?? '').trim();
  if (missingEverywhere.includes(text) || missing.includes(text)) return { value: null };
  const value = parse(text);
  return value === undefined ? { value: null, flag: text.slice(0, longestFlag) } : { value };
};
