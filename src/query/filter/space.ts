const otherSpace = /\s/;

/** True for white space as `\s` has it, without a regular expression for the characters that filters are made of. */
export const isSpaceAt = (text: string, offset: number): boolean => {
  const code = text.charCodeAt(offset);
  if (code === 32 || (code >= 9 && code <= 13)) return true;
  return code >= 128 && otherSpace.test(text[offset] ?? '');
};
