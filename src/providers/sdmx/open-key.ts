/**
 * Position of a key: one code, or an open one, which names several: empty or `*` for all, or codes joined by
 * `+`.
 */
export const isOpen = (part: string): boolean => part === '' || part === '*' || part.includes('+');

/** Codes that an open position names; undefined for all. */
export const namedCodes = (part: string): readonly string[] | undefined =>
  part === '' || part === '*' ? undefined : part.split('+').filter((code) => code !== '');
