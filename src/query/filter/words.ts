import type { OperatorWord } from './tokens.js';

/** OData 4.01 ignores the case of operators. `divby` differs from `div` only for integers, which do not exist here. */
const operatorWords: Readonly<Record<string, OperatorWord>> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'gt',
  ge: 'ge',
  lt: 'lt',
  le: 'le',
  and: 'and',
  or: 'or',
  in: 'in',
  add: 'add',
  sub: 'sub',
  mul: 'mul',
  div: 'div',
  divby: 'div',
  mod: 'mod',
};

const operatorAt = /[A-Za-z]+(?=[\s([]|$)/y;
const wordPattern = /[A-Za-z]+/y;
const stopWordPattern = /[A-Za-z]+(?=[\s(),[]|$)/y;

export const matchAt = (pattern: RegExp, text: string, offset: number): string | undefined => {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
};

export const operatorWordAt = (
  text: string,
  offset: number,
): { word: OperatorWord; length: number } | undefined => {
  const found = matchAt(operatorAt, text, offset);
  const lower = found?.toLowerCase() ?? '';
  const word = Object.hasOwn(operatorWords, lower) ? operatorWords[lower] : undefined;
  return word === undefined || found === undefined ? undefined : { word, length: found.length };
};

export const wordAt = (text: string, offset: number): string | undefined =>
  matchAt(wordPattern, text, offset);

/** The stop word at the offset, in its original case. @param stops in lower case */
export const stopWordAt = (text: string, offset: number, stops: readonly string[]): string | undefined => {
  const word = matchAt(stopWordPattern, text, offset);
  return word !== undefined && stops.includes(word.toLowerCase()) ? word : undefined;
};
