import type { Exact } from './number-literal.js';

/** The syntax tree: frozen, not yet typed. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'mod';

export const functionArities = {
  contains: [2, 2],
  startswith: [2, 2],
  endswith: [2, 2],
  tolower: [1, 1],
  toupper: [1, 1],
  trim: [1, 1],
  length: [1, 1],
  concat: [2, 2],
  indexof: [2, 2],
  substring: [2, 3],
  year: [1, 1],
  quarter: [1, 1],
  month: [1, 1],
  week: [1, 1],
  day: [1, 1],
  startofyear: [1, 1],
  startofquarter: [1, 1],
  startofmonth: [1, 1],
  startofweek: [1, 1],
  round: [1, 1],
  floor: [1, 1],
  ceiling: [1, 1],
} as const satisfies Record<string, readonly [number, number]>;

export type FunctionName = keyof typeof functionArities;

export const isFunctionName = (word: string): word is FunctionName => Object.hasOwn(functionArities, word);

interface Positioned {
  /** Offset of the first character in the filter text, for messages. */
  readonly start: number;
  /** Height of the subtree; 1 for a leaf. */
  readonly height: number;
}

export type LiteralNode = Positioned & {
  /** Column whose name is spelled exactly like this literal. The binder chooses between the two. */
  readonly name?: string;
} & (
    | { readonly kind: 'null' }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'number'; readonly value: Exact; readonly text: string }
    | { readonly kind: 'string'; readonly value: string }
    /** `value` is the first day, `text` the spelling. */
    | { readonly kind: 'date'; readonly value: string; readonly text: string }
  );

export type ColumnNode = Positioned & { readonly kind: 'column'; readonly name: string };

export type SyntaxNode =
  | LiteralNode
  | ColumnNode
  | (Positioned &
      (
        | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly SyntaxNode[] }
        | { readonly kind: 'not'; readonly operand: SyntaxNode }
        | { readonly kind: 'negate'; readonly operand: SyntaxNode }
        | { readonly kind: 'and' | 'or'; readonly items: readonly SyntaxNode[] }
        | {
            readonly kind: 'compare';
            readonly operator: ComparisonOperator;
            readonly left: SyntaxNode;
            readonly right: SyntaxNode;
          }
        | {
            readonly kind: 'arithmetic';
            readonly operator: ArithmeticOperator;
            readonly left: SyntaxNode;
            readonly right: SyntaxNode;
          }
        | { readonly kind: 'in'; readonly operand: SyntaxNode; readonly items: readonly LiteralNode[] }
      ));
