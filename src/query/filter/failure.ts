import { type AppError, invalid } from '../../lib/errors.js';

/** Stable codes of everything that can be wrong with a filter. */
export type FilterErrorCode =
  | 'filter_syntax'
  | 'filter_type'
  | 'filter_unsupported'
  | 'filter_limit'
  | 'unknown_column';

/** Position as people count: characters (code points), the first is 1. */
export const positionOf = (text: string, offset: number): number => {
  let position = 1;
  for (const character of text.slice(0, offset)) position += character.length > 0 ? 1 : 0;
  return position;
};

/** Raises errors of one filter text; offsets are UTF-16 indexes into it. */
export interface Failures {
  /** The text breaks the grammar: what stood there, and what would have been right. */
  syntax(offset: number, expected: string, found?: string): AppError;
  /** Grammatical, but the operands do not go together. */
  type(offset: number, message: string): AppError;
  /** Valid OData that this service does not offer. */
  unsupported(offset: number, what: string, hint?: string): AppError;
  limit(offset: number, message: string): AppError;
}

const longestQuote = 40;

/** A piece of the caller's text, short enough for a message. */
export const excerpt = (text: string): string => {
  const characters = [...text];
  return characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : text;
};

/** What stands at an offset, as a message names it: the next word or character. */
const foundAt = (text: string, offset: number): string => {
  const rest = text.slice(offset).trimStart();
  if (rest === '') return 'the end of the filter';
  const word = /^(?:[\p{L}\p{N}_$.@]+|.)/su.exec(rest);
  return `'${excerpt(word?.[0] ?? rest)}'`;
};

export const createFailures = (text: string): Failures => {
  const fail = (
    code: FilterErrorCode,
    offset: number,
    message: string,
    details: Record<string, unknown> = {},
  ): AppError => {
    const position = positionOf(text, offset);
    return invalid(code, `$filter, character ${position}: ${message}`, { position, ...details });
  };
  return {
    syntax: (offset, expected, found = foundAt(text, offset)) =>
      fail('filter_syntax', offset, `expected ${expected}, found ${found}`, { expected }),
    type: (offset, message) => fail('filter_type', offset, message),
    unsupported: (offset, what, hint) =>
      fail(
        'filter_unsupported',
        offset,
        `${what} not supported here${hint === undefined ? '' : `; ${hint}`}`,
      ),
    limit: (offset, message) => fail('filter_limit', offset, message),
  };
};
