/** Words of a text: letters and digits, lower-case, without accents. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const mostWords = 12;

/** A query of `to_tsquery`: every word, the last ones as beginnings of words. Only letters and digits reach it. */
export const prefixQuery = (query: string, joiner: '&' | '|'): string =>
  wordsOf(query)
    .slice(0, mostWords)
    .map((word) => `${word}:*`)
    .join(` ${joiner} `);
