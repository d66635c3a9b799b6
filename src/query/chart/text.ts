/** Characters that XML 1.0 does not allow: a single one would make the whole image invalid. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute of XML or HTML. */
export const escaped = (text: string): string =>
  text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

/** Truncates to a number of code points. */
export const shortened = (text: string, maxLength: number): string => {
  const characters = Array.from(text.slice(0, 4 * maxLength + 4));
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
};
