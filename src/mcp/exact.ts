/** Values and lists in answers. Clients parse JSON numbers as doubles, and a model can only read a limited text. */

/** Maximum characters of an answer, as JSON. */
export const maxCharacters = 50_000;

/** Every decimal number with at most this many digits survives the conversion to a double and back. */
const maxDigits = 15;

const digitsOf = (text: string): number =>
  text.replace(/e.*$/i, '').replace(/[-+.]/g, '').replace(/^0+/, '').length;

/** A JSON value in an answer. */
export type Shown = string | number | boolean | null;

const exactNumber = (value: number): number | string => {
  const isKept =
    Math.abs(value) <= Number.MAX_SAFE_INTEGER &&
    digitsOf(String(value)) <= maxDigits &&
    !Object.is(value, -0);
  return isKept ? value : Object.is(value, -0) ? '-0' : String(value);
};

/** Decimal text as a number, or as text if a client could round it. */
export const exactText = (text: string): number | string => {
  const value = Number(text);
  const isLost = !Number.isFinite(value) || (value === 0 && /[1-9]/.test(text.replace(/e.*$/i, '')));
  return digitsOf(text) > maxDigits || isLost ? text : exactNumber(value);
};

/** The same value, with text instead of numbers of more than 15 digits or beyond 2^53. */
export const exact = (value: unknown): unknown => {
  if (typeof value === 'number') return exactNumber(value);
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, exact(item)]));
};

/** As many of the first items as fit into this many characters of JSON. */
export const fitting = <T>(items: readonly T[], characters: number): readonly T[] => {
  let left = characters;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return end < 0 ? items : items.slice(0, end);
};

/** The beginning of a text. */
export const shortened = (text: string | null, characters: number): string | null =>
  text === null || text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
