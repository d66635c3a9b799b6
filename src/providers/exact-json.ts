/**
 * JSON without loss of digits. A number stays a number if its shortest JavaScript form equals its text; any other (`0.30`, `1e5`,
 * `12345678901234567890`, twenty decimals) becomes its text. So values are read with `parseDecimal`, which accepts both, and counts with
 * `parseCount`.
 */
// A string without an end extends to the end of the text; otherwise each later quote in it would be tried as a start.
const stringsAndNumbers = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*/g;
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const keepDigits = (token: string): string => {
  // Strings are not changed; a token that is not a JSON number is left for JSON.parse to refuse.
  if (token.startsWith('"') || !numberForm.test(token)) return token;
  return String(Number(token)) === token ? token : `"${token}"`;
};

/** Throws SyntaxError for text that is not JSON. */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text.replace(stringsAndNumbers, keepDigits));
