import type { SyntaxNode } from '../filter/syntax.js';

/** Syntax tree of a pipeline: names are resolved against the columns of each step; there are no types yet. */
export const methodNames = [
  'sum',
  'min',
  'max',
  'average',
  'countdistinct',
  'median',
  'quantile',
  'stddev',
  'first',
  'last',
] as const;

export type MethodName = (typeof methodNames)[number];

interface Positioned {
  /** Offset of the first character in the text, for messages. */
  readonly start: number;
}

/** An expression and the name of its column. */
export interface NamedExpression extends Positioned {
  readonly node: SyntaxNode;
  readonly name: string;
}

export type AggregateItem = Positioned & { readonly name: string } & (
    | { readonly kind: 'count' }
    | {
        readonly kind: 'method';
        readonly method: MethodName;
        readonly operand: SyntaxNode;
        /** Argument of `quantile`, 0 to 1. */
        readonly level: number | undefined;
      }
  );

export interface OrderItem {
  readonly node: SyntaxNode;
  readonly descending: boolean;
}

export type Step =
  | { readonly kind: 'filter'; readonly condition: SyntaxNode }
  | { readonly kind: 'compute'; readonly items: readonly NamedExpression[] }
  | {
      readonly kind: 'group';
      /** Undefined for `aggregate` alone, which returns one row. */
      readonly keys: readonly NamedExpression[] | undefined;
      readonly items: readonly AggregateItem[];
    }
  | { readonly kind: 'orderby'; readonly items: readonly OrderItem[] }
  | { readonly kind: 'top' | 'skip'; readonly count: number };

export const applyLimits = {
  /** Most steps of a pipeline. */
  maxSteps: 32,
  /** Most keys, aggregates, computed columns and sort terms, all steps together. */
  maxItems: 2_000,
} as const;
