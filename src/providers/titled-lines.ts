/** Ids and titles of a bundled list, one a line: the id, a space, the title. */
export const titledLines = (text: string): readonly { readonly id: string; readonly label: string }[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), label: line.slice(line.indexOf(' ') + 1) }));
