/** The only functions that put text into a statement; everything else is a bound value. */

/** Quotes a name with any characters as an SQL identifier. */
export const quoteIdentifier = (name: string): string =>
  `\`${name.replace(/\\/g, '\\\\').replace(/`/g, '\\`')}\``;

/** Quotes a constant. Never pass text of a caller. */
export const quoteText = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
