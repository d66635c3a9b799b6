const otherSpace = /\s/;

/** Equals `\s`, but needs no regular expression for ASCII. */
export const isSpaceAt = (text: string, offset: number): boolean => {
  const code = text.charCodeAt(offset);
  if (code === 32 || (code >= 9 && code <= 13)) return true;
  return code >= 128 && otherSpace.test(text[offset] ?? '');
};
