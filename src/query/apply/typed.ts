import type { PhysicalType } from '../../model/column.js';
import type { Condition, FilterColumn, Operand } from '../filter/typed.js';
import type { NumberRange } from './number-range.js';
import type { MethodName } from './syntax.js';

/** A column between two steps, or of the result. */
export interface Field extends FilterColumn {
  /** True for a dimension: entity columns of the dataset, and keys. */
  readonly isEntity: boolean;
  /** True for a column of years of the dataset. */
  readonly years?: true;
  /** Range of numbers; undefined where no decimal type holds all of them. */
  readonly range?: NumberRange | undefined;
}

/** Value of an expression. Conditions and bare nulls are not values. */
export type Value = Extract<Operand, { type: 'number' | 'text' | 'date' }>;

/** A column that a step makes. */
export interface NewField {
  readonly field: Field;
  readonly value: Value;
}

export type Aggregate =
  | { readonly kind: 'count'; readonly field: Field }
  | {
      readonly kind: 'method';
      readonly field: Field;
      readonly method: MethodName;
      readonly value: Value;
      /** The type of the values. */
      readonly operand: PhysicalType;
      readonly level: number | undefined;
      /** The sum's own bounds, for `sum` and `average` that are calculated exactly. */
      readonly sum: NumberRange | undefined;
    };

export interface OrderTerm {
  readonly value: Value;
  /** The type of the values. */
  readonly physical: PhysicalType;
  readonly descending: boolean;
}

interface Reading {
  /** Columns that the step reads. */
  readonly reads: readonly FilterColumn[];
  /** Columns behind the step. */
  readonly fields: readonly Field[];
}

export type BoundStep = Reading &
  (
    | { readonly kind: 'filter'; readonly condition: Condition }
    | { readonly kind: 'compute'; readonly made: readonly NewField[] }
    | {
        readonly kind: 'group';
        readonly keys: readonly NewField[] | undefined;
        readonly aggregates: readonly Aggregate[];
      }
    | { readonly kind: 'orderby'; readonly terms: readonly OrderTerm[] }
    | { readonly kind: 'top' | 'skip'; readonly count: number }
  );
