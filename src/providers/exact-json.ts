/**
 * JSON without loss of digits. A number whose shortest JavaScript spelling is its text stays a
 * number; any other (`0.30`, `1e5`, `12345678901234567890`, twenty decimals) arrives as its text. Values are
 * therefore read with `parseDecimal`, which takes both; counts with `parseCount`.
 */
const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const keepDigits = (token: string): string => {
  // Strings stay as they are; what is no number of JSON is left for JSON.parse to refuse.
  if (token.startsWith('"') || !numberForm.test(token)) return token;
  return String(Number(token)) === token ? token : `"${token}"`;
};

/** Throws SyntaxError for text that is not JSON. */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text.replace(stringsAndNumbers, keepDigits));
