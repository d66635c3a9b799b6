const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or an attribute in double quotes. */
export const markup = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? found);
