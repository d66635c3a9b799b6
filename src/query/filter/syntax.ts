import type { Exact } from './number-literal.js';

/** The syntax tree: frozen, not yet typed. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'mod';

/** Types of the arguments of each function. The last argument of `substring` is optional. */
export const signatures = {
  contains: ['text', 'text'],
  startswith: ['text', 'text'],
  endswith: ['text', 'text'],
  tolower: ['text'],
  toupper: ['text'],
  trim: ['text'],
  length: ['text'],
  concat: ['text', 'text'],
  indexof: ['text', 'text'],
  substring: ['text', 'number', 'number'],
  year: ['date'],
  quarter: ['date'],
  month: ['date'],
  week: ['date'],
  day: ['date'],
  startofyear: ['date'],
  startofquarter: ['date'],
  startofmonth: ['date'],
  startofweek: ['date'],
  round: ['number'],
  floor: ['number'],
  ceiling: ['number'],
} as const satisfies Record<string, readonly ('text' | 'number' | 'date')[]>;

export type FunctionName = keyof typeof signatures;

export const isFunctionName = (word: string): word is FunctionName => Object.hasOwn(signatures, word);

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
