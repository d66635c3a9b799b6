/**
 * Text → tree, by the precedence of OData 4.01 part 2, 5.1.1.17 (highest first): parentheses, calls and `in`;
 * minus and `not`; mul div mod; add sub; gt ge lt le; eq ne; and; or. Operators of one row associate to the left.
 *
 * Depth is counted while descending (so that the stack cannot overflow) and on the finished nodes (so that
 * `1 add 1 add 1 …`, which nests to the left without any descent, is bounded too). `and` and `or` are flat.
 */
import type { Failures } from './failure.js';
import { createLexer, type FollowingToken, type OperandToken, type OperatorWord } from './lexer.js';
import type { FilterLimits } from './limits.js';
import type { NameIndex, UnknownName } from './names.js';
import { negateExact } from './number-literal.js';
import { functionArities, type LiteralNode, type SyntaxNode } from './syntax.js';

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

/** Reads one expression, up to the bracket, comma, word or end that cannot belong to it. */
export const parseExpression = (input: ExpressionInput): ParsedExpression => {
  const { text, names, failures, limits, start: from = 0, stops } = input;
  const lexer = createLexer(text, names, failures, limits.maxWork, stops);
  const unknown: UnknownName[] = [];
  let offset = from;
  let depth = 0;
  let peeked: FollowingToken | undefined;

  const peek = (): FollowingToken => {
    peeked ??= lexer.following(offset);
    return peeked;
  };
  const advance = (end: number): void => {
    offset = end;
    peeked = undefined;
  };
  const tooDeep = (start: number) =>
    failures.limit(
      start,
      `more than ${limits.maxDepth} levels of nesting; use fewer parentheses or split the query`,
    );
  const checked = (node: SyntaxNode): SyntaxNode => {
    if (node.height > limits.maxDepth) throw tooDeep(node.start);
    return node;
  };
  const nested = <T>(start: number, parse: () => T): T => {
    depth += 1;
    if (depth > limits.maxDepth) throw tooDeep(start);
    const result = parse();
    depth -= 1;
    return result;
  };
  const expectClose = (): void => {
    const token = peek();
    if (token.kind !== 'close') throw failures.syntax(token.start, "')'");
    advance(token.end);
  };

  const inItems = (start: number): LiteralNode[] => {
    const open = lexer.skipSpace(offset);
    if (text[open] === '[') {
      throw failures.unsupported(open, 'collections (JSON arrays) are', "write lists as in ('a', 'b')");
    }
    if (text[open] !== '(') throw failures.syntax(open, "'(' and a list of values after 'in'");
    advance(open + 1);
    const items: LiteralNode[] = [];
    const first = lexer.skipSpace(offset);
    if (text[first] === ')') {
      advance(first + 1);
      return items;
    }
    for (;;) {
      const at = lexer.skipSpace(offset);
      // What an operand would be says more about some mistakes than that it is no value.
      const token = lexer.literal(offset) ?? lexer.operand(offset);
      if (token.kind !== 'literal')
        throw failures.syntax(at, 'a literal value (lists hold no columns or expressions)');
      if (items.push(Object.freeze(token.node)) > limits.maxInTerms) {
        throw failures.limit(start, `more than ${limits.maxInTerms} values in one list`);
      }
      advance(token.end);
      const next = peek();
      if (next.kind !== 'comma' && next.kind !== 'close') throw failures.syntax(next.start, "',' or ')'");
      advance(next.end);
      if (next.kind === 'close') return items;
    }
  };

  const call = (token: Extract<OperandToken, { kind: 'function' }>): SyntaxNode => {
    const [fewest, most] = functionArities[token.name];
    const wanted = fewest === most ? `${fewest}` : `${fewest} or ${most}`;
    advance(token.end);
    const args: SyntaxNode[] = [];
    const first = lexer.skipSpace(offset);
    if (text[first] === ')') throw failures.syntax(first, `${wanted} argument(s) for ${token.name}`);
    for (;;) {
      args.push(parseBinary(0));
      const next = peek();
      if (next.kind !== 'comma' && next.kind !== 'close') throw failures.syntax(next.start, "',' or ')'");
      advance(next.end);
      if (next.kind === 'close') break;
      if (args.length === most)
        throw failures.syntax(next.start, `')': ${token.name} takes ${wanted} argument(s)`);
    }
    if (args.length < fewest) {
      throw failures.syntax(offset - 1, `${wanted} arguments for ${token.name}`, `only ${args.length}`);
    }
    return Object.freeze({
      kind: 'call',
      name: token.name,
      args,
      start: token.start,
      height: heightOf(args),
    });
  };

  const primary = (token: OperandToken): SyntaxNode => {
    switch (token.kind) {
      case 'literal':
        advance(token.end);
        return Object.freeze(token.node);
      case 'column':
        advance(token.end);
        if (!token.known) unknown.push({ name: token.name, start: token.start });
        return Object.freeze({ kind: 'column', name: token.name, start: token.start, height: 1 });
      case 'function':
        return nested(token.start, () => call(token));
      case 'open':
        return nested(token.start, () => {
          advance(token.end);
          const inner = parseBinary(0);
          expectClose();
          return inner;
        });
      case 'minus':
      case 'not':
        return unary(token);
      default:
        return token satisfies never;
    }
  };

  const unary = (token: {
    readonly kind: 'minus' | 'not';
    readonly start: number;
    readonly end: number;
  }): SyntaxNode =>
    nested(token.start, () => {
      advance(token.end);
      const operand = parseUnary();
      const placed = { start: token.start, height: operand.height + 1 };
      if (token.kind === 'not') return Object.freeze({ kind: 'not', operand, ...placed });
      if (operand.kind !== 'number') return Object.freeze({ kind: 'negate', operand, ...placed });
      const negated = {
        value: negateExact(operand.value),
        text: `-${operand.text}`,
        start: token.start,
        height: 1,
      };
      return Object.freeze({ kind: 'number', ...negated });
    });

  const parseUnary = (): SyntaxNode => {
    const token = lexer.operand(offset);
    let node = checked(primary(token));
    // `in` binds tighter than a sign or `not`: not x in (1) negates the membership.
    while (token.kind !== 'minus' && token.kind !== 'not') {
      const next = peek();
      if (next.kind !== 'operator' || next.word !== 'in') break;
      advance(next.end);
      const items = inItems(next.start);
      node = checked(
        Object.freeze({ kind: 'in', operand: node, items, start: node.start, height: node.height + 1 }),
      );
    }
    return node;
  };

  const parseFlat = (kind: 'and' | 'or', level: number): SyntaxNode => {
    const items = [parseBinary(level + 1)];
    for (let next = peek(); next.kind === 'operator' && next.word === kind; next = peek()) {
      advance(next.end);
      items.push(parseBinary(level + 1));
    }
    const [only] = items;
    if (items.length === 1 && only) return only;
    return checked(Object.freeze({ kind, items, start: items[0]?.start ?? 0, height: heightOf(items) }));
  };

  const parseBinary = (level: number): SyntaxNode => {
    const words = levels[level];
    if (words === undefined) return parseUnary();
    if (level === 0) return parseFlat('or', 0);
    if (level === 1) return parseFlat('and', 1);
    let left = parseBinary(level + 1);
    for (let next = peek(); next.kind === 'operator' && words.includes(next.word); next = peek()) {
      advance(next.end);
      left = checked(combine(next.word, left, parseBinary(level + 1)));
    }
    return left;
  };

  const root = parseBinary(0);
  return { root, unknown, next: peek() };
};

export const parseFilter = (
  text: string,
  names: NameIndex,
  failures: Failures,
  limits: FilterLimits,
): ParsedFilter => {
  const { root, unknown, next } = parseExpression({ text, names, failures, limits });
  if (next.kind === 'close') throw failures.syntax(next.start, "the end of the filter (no '(' is open)");
  if (next.kind !== 'end') throw failures.syntax(next.start, 'an operator or the end of the filter');
  return { root, unknown };
};
