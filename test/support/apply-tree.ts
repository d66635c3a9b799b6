/** Syntax tree of the tests' `$apply` pipelines, and their input tables. */
import type { Bool, Cell, Operand, TestColumn } from './odata-tree.js';

export type TestMethod =
  | 'sum'
  | 'min'
  | 'max'
  | 'average'
  | 'countdistinct'
  | 'median'
  | 'quantile'
  | 'stddev'
  | 'first'
  | 'last';

export type TestAggregate =
  | { readonly method: '$count'; readonly name: string }
  | {
      readonly method: TestMethod;
      readonly name: string;
      readonly of: Operand;
      /** Argument of `quantile`, 0 to 1, in its spelling. */
      readonly level: string;
    };

export interface TestNamed {
  readonly name: string;
  readonly e: Operand;
  /** False for a key without an alias. */
  readonly renamed: boolean;
}

export type TestStep =
  | { readonly k: 'filter'; readonly e: Bool }
  | { readonly k: 'compute'; readonly items: readonly TestNamed[] }
  | {
      readonly k: 'group';
      /** Undefined: `aggregate` without `groupby`. */
      readonly keys: readonly TestNamed[] | undefined;
      readonly aggregates: readonly TestAggregate[];
    }
  | {
      readonly k: 'orderby';
      readonly items: readonly { readonly e: Operand; readonly descending: boolean }[];
    }
  | { readonly k: 'top' | 'skip'; readonly count: number };

/** Column of an intermediate result. */
export interface ApplyColumn extends TestColumn {
  /** True: doubles whose last digits may be wrong. */
  readonly approximate: boolean;
  /** True: calculations with it may use doubles, since its range is too wide for decimals. */
  readonly inexact: boolean;
}

export interface ApplyTable {
  readonly columns: readonly ApplyColumn[];
  readonly rows: readonly (readonly Cell[])[];
}
