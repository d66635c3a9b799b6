/** The one place where text becomes part of a statement other than as a bound value. */

/** A name, with any characters, as an SQL identifier. */
export const quoteIdentifier = (name: string): string =>
  `\`${name.replace(/\\/g, '\\\\').replace(/`/g, '\\`')}\``;

/** Constant text of our own making, never a caller's. */
export const quoteText = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
