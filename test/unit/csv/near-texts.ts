/** The text, and all non-empty texts with one character replaced, removed or inserted. */
export const nearTexts = (text: string, characters: string): string[] => {
  const found = new Set([text]);
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    found.add(before + after.slice(1));
    for (const character of characters) {
      found.add(before + character + after);
      found.add(before + character + after.slice(1));
    }
  }
  found.delete('');
  return [...found];
};
