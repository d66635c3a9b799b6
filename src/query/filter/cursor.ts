/** Position and depth of the parser. */
import type { Steps } from '../../lib/time-slicing.js';
import type { Failures } from './failure.js';
import type { Lexer } from './lexer.js';
import type { FilterLimits } from './limits.js';
import type { UnknownName } from './names.js';
import type { SyntaxNode } from './syntax.js';
import type { FollowingToken } from './tokens.js';

export interface Cursor {
  readonly text: string;
  readonly failures: Failures;
  readonly limits: FilterLimits;
  readonly lexer: Lexer;
  readonly unknown: UnknownName[];
  offset: number;
  depth: number;
  peeked: FollowingToken | undefined;
  /** Operands and list values read so far. */
  read: number;
}

/** Operands and list values. */
const readsPerStep = 100;

export const isStepOver = (cursor: Cursor): boolean => {
  cursor.read += 1;
  return cursor.read % readsPerStep === 0;
};

export const peek = (cursor: Cursor): FollowingToken => {
  cursor.peeked ??= cursor.lexer.following(cursor.offset);
  return cursor.peeked;
};

export const advance = (cursor: Cursor, end: number): void => {
  cursor.offset = end;
  cursor.peeked = undefined;
};

const tooDeep = ({ failures, limits }: Cursor, start: number) =>
  failures.limit(
    start,
    `more than ${limits.maxDepth} levels of nesting; use fewer parentheses or split the query`,
  );

export const checked = (cursor: Cursor, node: SyntaxNode): SyntaxNode => {
  if (node.height > cursor.limits.maxDepth) throw tooDeep(cursor, node.start);
  return node;
};

export function* nested<T>(cursor: Cursor, start: number, parse: Steps<T>): Steps<T> {
  cursor.depth += 1;
  if (cursor.depth > cursor.limits.maxDepth) throw tooDeep(cursor, start);
  const result = yield* parse;
  cursor.depth -= 1;
  return result;
}

/** Consumes the comma or closing parenthesis after an item. Returns true for the parenthesis. */
export const endsList = (cursor: Cursor): boolean => {
  const next = peek(cursor);
  if (next.kind !== 'comma' && next.kind !== 'close') throw cursor.failures.syntax(next.start, "',' or ')'");
  advance(cursor, next.end);
  return next.kind === 'close';
};
