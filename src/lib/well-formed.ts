/** The text with U+FFFD for each unpaired surrogate, which UTF-8 cannot encode. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** The text as PostgreSQL can store it, in JSON too: well-formed, without NUL, and cut between characters. */
export const storableText = (text: string, maxLength = Number.POSITIVE_INFINITY): string => {
  const cut = text.length > maxLength ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : text;
  return wellFormed(cut).replaceAll('\0', '');
};
