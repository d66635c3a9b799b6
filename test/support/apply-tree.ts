/** Pipelines as the tests build them, and the tables that they run over. */
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
      /** Argument of a quantile, as it is written. */
      readonly level: string;
    };

export interface TestNamed {
  readonly name: string;
  readonly e: Operand;
  /** False: a key that keeps the name of its column. */
  readonly renamed: boolean;
}

export type TestStep =
  | { readonly k: 'filter'; readonly e: Bool }
  | { readonly k: 'compute'; readonly items: readonly TestNamed[] }
  | {
      readonly k: 'group';
      /** Undefined: `aggregate` alone. */
      readonly keys: readonly TestNamed[] | undefined;
      readonly aggregates: readonly TestAggregate[];
    }
  | {
      readonly k: 'orderby';
      readonly items: readonly { readonly e: Operand; readonly descending: boolean }[];
    }
  | { readonly k: 'top' | 'skip'; readonly count: number };

/** A column between two steps. */
export interface ApplyColumn extends TestColumn {
  /** True: doubles that are right but for their last digits. */
  readonly approximate: boolean;
  /** True: calculations with it may be done in double, since its numbers lie too far apart. */
  readonly inexact: boolean;
}

export interface ApplyTable {
  readonly columns: readonly ApplyColumn[];
  readonly rows: readonly (readonly Cell[])[];
}
