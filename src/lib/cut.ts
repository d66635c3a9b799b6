/** The beginning of a text, and how long it is. */
export const cutText = (text: string, letters: number): string =>
  text.length <= letters
    ? text
    : `${text.slice(0, letters)}… (${text.length.toLocaleString('en-US')} characters)`;

export interface Cut {
  /** Longest text that stays whole. */
  readonly letters: number;
  /** Most items of a list and members of an object. */
  readonly items: number;
}

/** A value that JSON can hold, with long texts and lists cut at every level. */
export const cutValue = (value: unknown, cut: Cut): unknown => {
  if (typeof value === 'string') return cutText(value, cut.letters);
  if (Array.isArray(value)) {
    const shown = value.slice(0, cut.items).map((item) => cutValue(item, cut));
    return value.length > cut.items
      ? [...shown, `… and ${(value.length - cut.items).toLocaleString('en-US')} more`]
      : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, cut.items);
  return Object.fromEntries(fields.map(([name, item]) => [cutText(name, 100), cutValue(item, cut)]));
};
