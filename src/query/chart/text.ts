/** Characters that XML 1.0 does not allow: they would make the whole picture unreadable. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or an attribute in quotes, of XML or of HTML. */
export const escaped = (text: string): string =>
  text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

/** At most so many characters, none of them cut in half. */
export const shortened = (text: string, most: number): string => {
  const signs = Array.from(text.slice(0, 4 * most + 4));
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join('')}…`;
};
