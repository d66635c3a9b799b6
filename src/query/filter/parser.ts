/**
 * Text → tree, by the precedence of OData 4.01 part 2, 5.1.1.17 (highest first): parentheses, calls and `in`;
 * minus and `not`; mul div mod; add sub; gt ge lt le; eq ne; and; or. All operators are left-associative.
 *
 * Depth is limited while descending, so that the stack cannot overflow, and on finished nodes, because
 * `1 add 1 add 1 …` nests to the left without descending. `and` and `or` are flat.
 */
import type { Steps } from '../../lib/time-slicing.js';
import { advance, type Cursor, checked, endsList, isStepOver, nested, peek } from './cursor.js';
import type { Failures } from './failure.js';
import { createLexer } from './lexer.js';
import type { FilterLimits } from './limits.js';
import type { NameIndex, UnknownName } from './names.js';
import { negateExact } from './number-literal.js';
import { type LiteralNode, type SyntaxNode, signatures } from './syntax.js';
import type { FollowingToken, OperandToken, OperatorWord } from './tokens.js';

interface ParsedFilter {
  readonly root: SyntaxNode;
  readonly unknown: readonly UnknownName[];
}

/** An expression inside a longer text, and the token after it. */
export interface ParsedExpression extends ParsedFilter {
  readonly next: FollowingToken;
}

/** Lowest precedence first. */
const levels: readonly (readonly OperatorWord[])[] = [
  ['or'],
  ['and'],
  ['eq', 'ne'],
  ['gt', 'ge', 'lt', 'le'],
  ['add', 'sub'],
  ['mul', 'div', 'mod'],
];

const heightOf = (children: readonly SyntaxNode[]): number =>
  1 + children.reduce((height, child) => Math.max(height, child.height), 0);

const combine = (word: OperatorWord, left: SyntaxNode, right: SyntaxNode): SyntaxNode => {
  const position = { start: left.start, height: heightOf([left, right]) };
  switch (word) {
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return Object.freeze({ kind: 'compare', operator: word, left, right, ...position });
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'mod':
      return Object.freeze({ kind: 'arithmetic', operator: word, left, right, ...position });
    case 'and':
    case 'or':
    case 'in':
      throw new RangeError(`${word} has no two operands`);
    default:
      return word satisfies never;
  }
};

interface ExpressionInput {
  readonly text: string;
  readonly names: NameIndex;
  readonly failures: Failures;
  readonly limits: FilterLimits;
  /** Position of the expression. @default 0 */
  readonly start?: number;
  /** Words that end it, in lower case. @default none */
  readonly stops?: readonly string[];
}

const parseItem = (cursor: Cursor): LiteralNode => {
  const { lexer, failures, offset } = cursor;
  // For some mistakes the lexer of operands throws a more precise error.
  const token = lexer.literal(offset) ?? lexer.operand(offset);
  if (token.kind !== 'literal') {
    const wanted = 'a literal value (lists hold no columns or expressions)';
    throw failures.syntax(lexer.skipSpace(offset), wanted);
  }
  advance(cursor, token.end);
  return Object.freeze(token.node);
};

/** The list of values after `in`. @param start offset of `in` */
function* parseItems(cursor: Cursor, start: number): Steps<LiteralNode[]> {
  const { text, lexer, failures, limits } = cursor;
  const open = lexer.skipSpace(cursor.offset);
  if (text[open] === '[')
    throw failures.unsupported(open, 'collections (JSON arrays) are', "write lists as in ('a', 'b')");
  if (text[open] !== '(') throw failures.syntax(open, "'(' and a list of values after 'in'");
  advance(cursor, open + 1);
  const items: LiteralNode[] = [];
  const first = lexer.skipSpace(cursor.offset);
  if (text[first] === ')') {
    advance(cursor, first + 1);
    return items;
  }
  do {
    if (isStepOver(cursor)) yield;
    if (items.push(parseItem(cursor)) > limits.maxInTerms)
      throw failures.limit(start, `more than ${limits.maxInTerms} values in one list`);
  } while (!endsList(cursor));
  return items;
}

function* parseCall(cursor: Cursor, token: Extract<OperandToken, { kind: 'function' }>): Steps<SyntaxNode> {
  const { text, lexer, failures } = cursor;
  const { name, start } = token;
  const most = signatures[name].length;
  const fewest = name === 'substring' ? most - 1 : most;
  const wanted = fewest === most ? `${fewest}` : `${fewest} or ${most}`;
  advance(cursor, token.end);
  const first = lexer.skipSpace(cursor.offset);
  if (text[first] === ')') throw failures.syntax(first, `${wanted} argument(s) for ${name}`);
  const args: SyntaxNode[] = [];
  for (;;) {
    args.push(yield* parseBinary(cursor, 0));
    const { start: comma } = peek(cursor);
    if (endsList(cursor)) break;
    if (args.length === most) throw failures.syntax(comma, `')': ${name} takes ${wanted} argument(s)`);
  }
  if (args.length < fewest)
    throw failures.syntax(cursor.offset - 1, `${wanted} arguments for ${name}`, `only ${args.length}`);
  return Object.freeze({ kind: 'call', name, args, start, height: heightOf(args) });
}

function* parseGroup(cursor: Cursor, end: number): Steps<SyntaxNode> {
  advance(cursor, end);
  const inner = yield* parseBinary(cursor, 0);
  const token = peek(cursor);
  if (token.kind !== 'close') throw cursor.failures.syntax(token.start, "')'");
  advance(cursor, token.end);
  return inner;
}

interface UnaryToken {
  readonly kind: 'minus' | 'not';
  readonly start: number;
  readonly end: number;
}

function* parseSign(cursor: Cursor, { kind, start, end }: UnaryToken): Steps<SyntaxNode> {
  advance(cursor, end);
  const operand = yield* parseUnary(cursor);
  const position = { start, height: operand.height + 1 };
  if (kind === 'not') return Object.freeze({ kind, operand, ...position });
  if (operand.kind !== 'number') return Object.freeze({ kind: 'negate', operand, ...position });
  const { value, text } = operand;
  return Object.freeze({ kind: 'number', value: negateExact(value), text: `-${text}`, start, height: 1 });
}

function* parsePrimary(cursor: Cursor, token: OperandToken): Steps<SyntaxNode> {
  switch (token.kind) {
    case 'literal':
      advance(cursor, token.end);
      return Object.freeze(token.node);
    case 'column':
      advance(cursor, token.end);
      if (!token.known) cursor.unknown.push({ name: token.name, start: token.start });
      return Object.freeze({ kind: 'column', name: token.name, start: token.start, height: 1 });
    case 'function':
      return yield* nested(cursor, token.start, parseCall(cursor, token));
    case 'open':
      return yield* nested(cursor, token.start, parseGroup(cursor, token.end));
    case 'minus':
    case 'not':
      return yield* nested(cursor, token.start, parseSign(cursor, token));
    default:
      return token satisfies never;
  }
}

function* parseUnary(cursor: Cursor): Steps<SyntaxNode> {
  if (isStepOver(cursor)) yield;
  const token = cursor.lexer.operand(cursor.offset);
  let operand = checked(cursor, yield* parsePrimary(cursor, token));
  // `in` binds tighter than a sign or `not`: not x in (1) negates the membership.
  while (token.kind !== 'minus' && token.kind !== 'not') {
    const next = peek(cursor);
    if (next.kind !== 'operator' || next.word !== 'in') break;
    advance(cursor, next.end);
    const items = yield* parseItems(cursor, next.start);
    const position = { start: operand.start, height: operand.height + 1 };
    operand = checked(cursor, Object.freeze({ kind: 'in', operand, items, ...position }));
  }
  return operand;
}

function* parseFlat(cursor: Cursor, kind: 'and' | 'or', level: number): Steps<SyntaxNode> {
  const first = yield* parseBinary(cursor, level + 1);
  const items = [first];
  for (let next = peek(cursor); next.kind === 'operator' && next.word === kind; next = peek(cursor)) {
    advance(cursor, next.end);
    items.push(yield* parseBinary(cursor, level + 1));
  }
  if (items.length === 1) return first;
  return checked(cursor, Object.freeze({ kind, items, start: first.start, height: heightOf(items) }));
}

function* parseBinary(cursor: Cursor, level: number): Steps<SyntaxNode> {
  const words = levels[level];
  if (words === undefined) return yield* parseUnary(cursor);
  if (level === 0) return yield* parseFlat(cursor, 'or', 0);
  if (level === 1) return yield* parseFlat(cursor, 'and', 1);
  let left = yield* parseBinary(cursor, level + 1);
  for (let next = peek(cursor); next.kind === 'operator' && words.includes(next.word); next = peek(cursor)) {
    advance(cursor, next.end);
    left = checked(cursor, combine(next.word, left, yield* parseBinary(cursor, level + 1)));
  }
  return left;
}

/** Reads one expression, up to the first token that cannot belong to it. */
export function* parseExpression(input: ExpressionInput): Steps<ParsedExpression> {
  const { text, names, failures, limits, start: offset = 0, stops } = input;
  const lexer = createLexer(text, names, failures, limits.maxWork, stops);
  const cursor: Cursor = {
    text,
    failures,
    limits,
    lexer,
    unknown: [],
    offset,
    depth: 0,
    peeked: undefined,
    read: 0,
  };
  const root = yield* parseBinary(cursor, 0);
  return { root, unknown: cursor.unknown, next: peek(cursor) };
}

export function* parseFilter(
  text: string,
  names: NameIndex,
  failures: Failures,
  limits: FilterLimits,
): Steps<ParsedFilter> {
  const { root, unknown, next } = yield* parseExpression({ text, names, failures, limits });
  if (next.kind === 'close') throw failures.syntax(next.start, "the end of the filter (no '(' is open)");
  if (next.kind !== 'end') throw failures.syntax(next.start, 'an operator or the end of the filter');
  return { root, unknown };
}
