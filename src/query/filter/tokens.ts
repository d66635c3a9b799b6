import type { ArithmeticOperator, ComparisonOperator, FunctionName, LiteralNode } from './syntax.js';

export type OperandToken =
  | { readonly kind: 'literal'; readonly node: LiteralNode; readonly end: number }
  | {
      readonly kind: 'column';
      readonly name: string;
      readonly known: boolean;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'function'; readonly name: FunctionName; readonly start: number; readonly end: number }
  | { readonly kind: 'open'; readonly start: number; readonly end: number }
  | { readonly kind: 'minus' | 'not'; readonly start: number; readonly end: number };

export type OperatorWord = ComparisonOperator | ArithmeticOperator | 'and' | 'or' | 'in';

export type FollowingToken =
  /** A word that ends an expression of a pipeline, such as `with`. */
  | { readonly kind: 'stop'; readonly word: string; readonly start: number; readonly end: number }
  | { readonly kind: 'operator'; readonly word: OperatorWord; readonly start: number; readonly end: number }
  | { readonly kind: 'close' | 'comma' | 'end'; readonly start: number; readonly end: number };

export type LiteralToken = Extract<OperandToken, { kind: 'literal' }>;
