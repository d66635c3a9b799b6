/** The beginning of a long text, and its length. */
export const limitText = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : `${text.slice(0, characters)}… (${text.length.toLocaleString('en-US')} characters)`;

interface ValueLimit {
  /** Longer texts are truncated. */
  readonly characters: number;
  /** Most items of a list and members of an object. */
  readonly items: number;
}

/** A JSON value with long texts and lists shortened at every level. */
export const limitValue = (value: unknown, limit: ValueLimit): unknown => {
  if (typeof value === 'string') return limitText(value, limit.characters);
  if (Array.isArray(value)) {
    const shown = value.slice(0, limit.items).map((item) => limitValue(item, limit));
    return value.length > limit.items
      ? [...shown, `… and ${(value.length - limit.items).toLocaleString('en-US')} more`]
      : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).slice(0, limit.items);
  return Object.fromEntries(fields.map(([name, item]) => [limitText(name, 100), limitValue(item, limit)]));
};
