/** Letters with a point or an ampersand between them are one word: `U.S.`, `S&P`. */
const initials = /(?<![\p{L}\p{N}])\p{L}(?:[.&]\p{L})+(?![\p{L}\p{N}])/gu;

/** Lower case, without accents; `US$` is the word `usd` with `us`. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<![\p{L}\p{N}])us ?\$/gu, 'us usd ');

/** Splits a text into words: letters and digits, lower case, without accents. Used for queries and for the index. */
export const wordsOf = (text: string): string[] =>
  plain(text)
    .replace(initials, (word) => word.replace(/[.&]/g, ''))
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Text for the index: the words, and the single letters of initials for queries such as `U S`. */
export const indexText = (text: string): string => {
  const letters = (plain(text).match(initials) ?? []).flatMap((word) => word.split(/[.&]/));
  return [...wordsOf(text), ...letters].join(' ');
};

export const maxWords = 12;
