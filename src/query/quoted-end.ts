/** Index of the character that ends a quoted text which begins at `start`; -1 if it is missing. Doubled, it is part of the text. */
export const quotedEnd = (text: string, start: number, closer: string): number => {
  let end = text.indexOf(closer, start + 1);
  while (end >= 0 && text[end + 1] === closer) end = text.indexOf(closer, end + 2);
  return end;
};
