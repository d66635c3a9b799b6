/**
 * Text → tree, by the precedence of OData 4.01 part 2, 5.1.1.17 (highest first): parentheses, calls and `in`;
 * minus and `not`; mul div mod; add sub; gt ge lt le; eq ne; and; or. Operators of one row associate to the left.
 *
 * Depth is counted while descending (so that the stack cannot overflow) and on the finished nodes (so that
 * `1 add 1 add 1 …`, which nests to the left without any descent, is bounded too). `and` and `or` are flat.
 */
import type { Failures } from './failure.js';
import { createLexer, type Lexer } from './lexer.js';
import type { FilterLimits } from './limits.js';
import type { NameIndex, UnknownName } from './names.js';
import { negateExact } from './number-literal.js';
import { functionArities, type LiteralNode, type SyntaxNode } from './syntax.js';
import type { FollowingToken, OperandToken, OperatorWord } from './tokens.js';

export interface ParsedFilter {
  readonly root: SyntaxNode;
  readonly unknown: readonly UnknownName[];
}

/** An expression inside of a longer text, and what stands behind it. */
export interface ParsedExpression extends ParsedFilter {
  readonly next: FollowingToken;
}

/** Loosest first. */
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
  const placed = { start: left.start, height: heightOf([left, right]) };
  switch (word) {
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return Object.freeze({ kind: 'compare', operator: word, left, right, ...placed });
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'mod':
      return Object.freeze({ kind: 'arithmetic', operator: word, left, right, ...placed });
    case 'and':
    case 'or':
    case 'in':
      throw new RangeError(`${word} has no two operands`);
    default:
      return word satisfies never;
  }
};

export interface ExpressionInput {
  readonly text: string;
  readonly names: NameIndex;
  readonly failures: Failures;
  readonly limits: FilterLimits;
  /** Where the expression begins. @default 0 */
  readonly start?: number;
  /** Words that end it, in lower case. @default none */
  readonly stops?: readonly string[];
}

/** Where the reading stands. */
interface Reading {
  readonly text: string;
  readonly failures: Failures;
  readonly limits: FilterLimits;
  readonly lexer: Lexer;
  readonly unknown: UnknownName[];
  offset: number;
  depth: number;
  peeked: FollowingToken | undefined;
  /** Operands and values of lists so far. */
  read: number;
}

/** Work that is done in bounded steps, with a result at the end: whoever runs it may let others go on in between. */
type Steps<T> = Generator<void, T>;

/** Operands and values of lists that are read in one step. */
const readInOneStep = 100;

const isStepOver = (reading: Reading): boolean => {
  reading.read += 1;
  return reading.read % readInOneStep === 0;
};

const peek = (reading: Reading): FollowingToken => {
  reading.peeked ??= reading.lexer.following(reading.offset);
  return reading.peeked;
};

const advance = (reading: Reading, end: number): void => {
  reading.offset = end;
  reading.peeked = undefined;
};

const tooDeep = ({ failures, limits }: Reading, start: number) =>
  failures.limit(
    start,
    `more than ${limits.maxDepth} levels of nesting; use fewer parentheses or split the query`,
  );

const checked = (reading: Reading, node: SyntaxNode): SyntaxNode => {
  if (node.height > reading.limits.maxDepth) throw tooDeep(reading, node.start);
  return node;
};

function* nested<T>(reading: Reading, start: number, parse: Steps<T>): Steps<T> {
  reading.depth += 1;
  if (reading.depth > reading.limits.maxDepth) throw tooDeep(reading, start);
  const result = yield* parse;
  reading.depth -= 1;
  return result;
}

/** Goes behind the comma or the bracket that follows an item; true behind the bracket. */
const endsList = (reading: Reading): boolean => {
  const next = peek(reading);
  if (next.kind !== 'comma' && next.kind !== 'close') throw reading.failures.syntax(next.start, "',' or ')'");
  advance(reading, next.end);
  return next.kind === 'close';
};

const parseItem = (reading: Reading): LiteralNode => {
  const { lexer, failures, offset } = reading;
  // What an operand would be says more about some mistakes than that it is no value.
  const token = lexer.literal(offset) ?? lexer.operand(offset);
  if (token.kind !== 'literal') {
    const wanted = 'a literal value (lists hold no columns or expressions)';
    throw failures.syntax(lexer.skipSpace(offset), wanted);
  }
  advance(reading, token.end);
  return Object.freeze(token.node);
};

/** The list of values behind `in`, which begins at `start`. */
function* parseItems(reading: Reading, start: number): Steps<LiteralNode[]> {
  const { text, lexer, failures, limits } = reading;
  const open = lexer.skipSpace(reading.offset);
  if (text[open] === '[')
    throw failures.unsupported(open, 'collections (JSON arrays) are', "write lists as in ('a', 'b')");
  if (text[open] !== '(') throw failures.syntax(open, "'(' and a list of values after 'in'");
  advance(reading, open + 1);
  const items: LiteralNode[] = [];
  const first = lexer.skipSpace(reading.offset);
  if (text[first] === ')') {
    advance(reading, first + 1);
    return items;
  }
  do {
    if (isStepOver(reading)) yield;
    if (items.push(parseItem(reading)) > limits.maxInTerms)
      throw failures.limit(start, `more than ${limits.maxInTerms} values in one list`);
  } while (!endsList(reading));
  return items;
}

function* parseCall(reading: Reading, token: Extract<OperandToken, { kind: 'function' }>): Steps<SyntaxNode> {
  const { text, lexer, failures } = reading;
  const { name, start } = token;
  const [fewest, most] = functionArities[name];
  const wanted = fewest === most ? `${fewest}` : `${fewest} or ${most}`;
  advance(reading, token.end);
  const first = lexer.skipSpace(reading.offset);
  if (text[first] === ')') throw failures.syntax(first, `${wanted} argument(s) for ${name}`);
  const args: SyntaxNode[] = [];
  for (;;) {
    args.push(yield* parseBinary(reading, 0));
    const { start: comma } = peek(reading);
    if (endsList(reading)) break;
    if (args.length === most) throw failures.syntax(comma, `')': ${name} takes ${wanted} argument(s)`);
  }
  if (args.length < fewest)
    throw failures.syntax(reading.offset - 1, `${wanted} arguments for ${name}`, `only ${args.length}`);
  return Object.freeze({ kind: 'call', name, args, start, height: heightOf(args) });
}

function* parseGroup(reading: Reading, end: number): Steps<SyntaxNode> {
  advance(reading, end);
  const inner = yield* parseBinary(reading, 0);
  const token = peek(reading);
  if (token.kind !== 'close') throw reading.failures.syntax(token.start, "')'");
  advance(reading, token.end);
  return inner;
}

interface UnaryToken {
  readonly kind: 'minus' | 'not';
  readonly start: number;
  readonly end: number;
}

function* parseSign(reading: Reading, { kind, start, end }: UnaryToken): Steps<SyntaxNode> {
  advance(reading, end);
  const operand = yield* parseUnary(reading);
  const placed = { start, height: operand.height + 1 };
  if (kind === 'not') return Object.freeze({ kind, operand, ...placed });
  if (operand.kind !== 'number') return Object.freeze({ kind: 'negate', operand, ...placed });
  const { value, text } = operand;
  return Object.freeze({ kind: 'number', value: negateExact(value), text: `-${text}`, start, height: 1 });
}

function* parsePrimary(reading: Reading, token: OperandToken): Steps<SyntaxNode> {
  switch (token.kind) {
    case 'literal':
      advance(reading, token.end);
      return Object.freeze(token.node);
    case 'column':
      advance(reading, token.end);
      if (!token.known) reading.unknown.push({ name: token.name, start: token.start });
      return Object.freeze({ kind: 'column', name: token.name, start: token.start, height: 1 });
    case 'function':
      return yield* nested(reading, token.start, parseCall(reading, token));
    case 'open':
      return yield* nested(reading, token.start, parseGroup(reading, token.end));
    case 'minus':
    case 'not':
      return yield* nested(reading, token.start, parseSign(reading, token));
    default:
      return token satisfies never;
  }
}

function* parseUnary(reading: Reading): Steps<SyntaxNode> {
  if (isStepOver(reading)) yield;
  const token = reading.lexer.operand(reading.offset);
  let operand = checked(reading, yield* parsePrimary(reading, token));
  // `in` binds tighter than a sign or `not`: not x in (1) negates the membership.
  while (token.kind !== 'minus' && token.kind !== 'not') {
    const next = peek(reading);
    if (next.kind !== 'operator' || next.word !== 'in') break;
    advance(reading, next.end);
    const items = yield* parseItems(reading, next.start);
    const placed = { start: operand.start, height: operand.height + 1 };
    operand = checked(reading, Object.freeze({ kind: 'in', operand, items, ...placed }));
  }
  return operand;
}

function* parseFlat(reading: Reading, kind: 'and' | 'or', level: number): Steps<SyntaxNode> {
  const first = yield* parseBinary(reading, level + 1);
  const items = [first];
  for (let next = peek(reading); next.kind === 'operator' && next.word === kind; next = peek(reading)) {
    advance(reading, next.end);
    items.push(yield* parseBinary(reading, level + 1));
  }
  if (items.length === 1) return first;
  return checked(reading, Object.freeze({ kind, items, start: first.start, height: heightOf(items) }));
}

function* parseBinary(reading: Reading, level: number): Steps<SyntaxNode> {
  const words = levels[level];
  if (words === undefined) return yield* parseUnary(reading);
  if (level === 0) return yield* parseFlat(reading, 'or', 0);
  if (level === 1) return yield* parseFlat(reading, 'and', 1);
  let left = yield* parseBinary(reading, level + 1);
  for (
    let next = peek(reading);
    next.kind === 'operator' && words.includes(next.word);
    next = peek(reading)
  ) {
    advance(reading, next.end);
    left = checked(reading, combine(next.word, left, yield* parseBinary(reading, level + 1)));
  }
  return left;
}

/** Reads one expression, up to the bracket, comma, word or end that cannot belong to it. */
export function* parseExpression(input: ExpressionInput): Steps<ParsedExpression> {
  const { text, names, failures, limits, start: offset = 0, stops } = input;
  const lexer = createLexer(text, names, failures, limits.maxWork, stops);
  const reading: Reading = {
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
  const root = yield* parseBinary(reading, 0);
  return { root, unknown: reading.unknown, next: peek(reading) };
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
