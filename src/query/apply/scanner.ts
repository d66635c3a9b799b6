import { nameProblem } from '../../model/names.js';
import type { Failures } from '../filter/failure.js';

/** Reads the words and brackets around the expressions of a pipeline. */
export interface Scanner {
  at(): number;
  move(offset: number): void;
  /** Skips white space and returns the new offset. */
  skipSpace(): number;
  /** Skips white space, then consumes and returns the match. @param pattern sticky */
  match(pattern: RegExp): string | undefined;
  /** Consumes the character and returns true if it is next. */
  accept(character: string): boolean;
  /** @throws AppError that says what was expected */
  expect(character: string, expected: string): void;
  /** Consumes a keyword, ignoring case. @param word in lower case */
  acceptWord(word: string): boolean;
  /** Reads the name of a new column: letters, digits and `_`, or any text in brackets. */
  name(): { readonly name: string; readonly start: number };
}

const bracketedName = /\[(?:[^\]]|\]\])*\]/y;
const plainName = /[\p{L}_][\p{L}\p{N}_]*/uy;

export const createScanner = (text: string, failures: Failures): Scanner => {
  let offset = 0;
  const skipSpace = (): number => {
    while (offset < text.length && /\s/.test(text[offset] ?? '')) offset += 1;
    return offset;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = skipSpace();
    const found = pattern.exec(text)?.[0];
    offset += found?.length ?? 0;
    return found;
  };
  const accept = (character: string): boolean => {
    if (text[skipSpace()] !== character) return false;
    offset += 1;
    return true;
  };
  return {
    at: () => offset,
    move: (to) => {
      offset = to;
    },
    skipSpace,
    match,
    accept,
    expect(character, expected) {
      if (!accept(character)) throw failures.syntax(offset, expected);
    },
    acceptWord(word) {
      const start = offset;
      if (match(/[A-Za-z]+(?![\p{L}\p{N}_])/uy)?.toLowerCase() === word) return true;
      offset = start;
      return false;
    },
    name() {
      const start = skipSpace();
      const bracketed = match(bracketedName);
      const name = bracketed?.slice(1, -1).replaceAll(']]', ']') ?? match(plainName);
      if (name === undefined || name.trim() === '')
        throw failures.syntax(
          start,
          'a name: letters, digits and _, or anything in brackets, as in [GDP in €]',
        );
      const problem = nameProblem(name);
      if (problem !== undefined) throw failures.type(start, `the name of a column ${problem}`);
      return { name, start };
    },
  };
};
