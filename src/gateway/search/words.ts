/** Words of a text: letters and digits, lower-case, without accents. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** A query of `to_tsquery`: all of the words, as beginnings of words. Words hold only letters and digits. */
export const prefixQuery = (words: readonly string[], weights = ''): string =>
  words.map((word) => `${word}:*${weights}`).join(' & ');

export const mostWords = 12;
