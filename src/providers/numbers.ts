/**
 * Numbers keep the digits that the upstream wrote: they travel as decimal text and leave as a JSON number with
 * the same digits. `0.30` stays `0.30`; only what JSON can not spell is respelt: `+1` `01` `.5` `5.` become
 * `1` `1` `0.5` `5`.
 */
const decimalForm = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,4}))?$/;

/** The decimal text of a number, or undefined for anything that is not exactly one number. */
export const parseDecimal = (written: string | number): string | undefined => {
  const match = decimalForm.exec(String(written).trim());
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction = match[4] ?? '', , exponent] = match;
  const digits = whole.replace(/^0+(?=\d)/, '');
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`;
};

const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** As `parseDecimal`, and `1,234,567.8` with thousands commas is 1234567.8. `1,23` is no number. */
export const parseGroupedDecimal = (written: string): string | undefined => {
  const text = written.trim();
  return parseDecimal(grouped.test(text) ? text.replaceAll(',', '') : text);
};

/**
 * The value of an observation: null for one of the upstream's own words for "missing" (compared trimmed),
 * decimal text for a number, undefined for anything else, which is an unexpected reply and never null.
 */
export const parseValue = (
  written: string | number | null | undefined,
  missing: readonly string[],
  parse: (text: string) => string | undefined = parseDecimal,
): string | null | undefined => {
  if (written === null || written === undefined) return null;
  const text = String(written).trim();
  return missing.includes(text) ? null : parse(text);
};

/** A count or position that may come as number or text; undefined when it is no whole number from 0 up. */
export const parseCount = (written: unknown): number | undefined => {
  if (typeof written !== 'number' && typeof written !== 'string') return undefined;
  const count = Number(written);
  return /^\d+$/.test(String(written).trim()) && Number.isSafeInteger(count) ? count : undefined;
};
