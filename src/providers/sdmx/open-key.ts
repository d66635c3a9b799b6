/** Returns true for an open position of a key, which names several codes: empty or `*` for all, or codes joined with `+`. */
export const isOpen = (part: string): boolean => part === '' || part === '*' || part.includes('+');

/** Codes of an open position; undefined: all. */
export const namedCodes = (part: string): readonly string[] | undefined =>
  part === '' || part === '*' ? undefined : part.split('+').filter((code) => code !== '');
