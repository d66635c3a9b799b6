import type { PhysicalType } from '../../model/column.js';
import type { Condition, FilterColumn, Operand } from '../filter/typed.js';
import type { NumberRange } from './number-range.js';
import type { MethodName } from './syntax.js';

/** A column between two steps, or of the result. */
export interface Field extends FilterColumn {
  /** True for entity columns of the dataset, and for group keys. */
  readonly isEntity: boolean;
  /** True for a dataset column of years. */
  readonly years?: true;
  /** Undefined if no decimal type covers all values. */
  readonly range?: NumberRange | undefined;
}

/** Value of an expression. Conditions and bare nulls are not values. */
export type Value = Extract<Operand, { type: 'number' | 'text' | 'date' }>;

/** A column that a step creates. */
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
      /** Type of the values. */
      readonly operand: PhysicalType;
      readonly level: number | undefined;
      /** Range of the sum, if it is calculated exactly. */
      readonly sum: NumberRange | undefined;
    };

export interface OrderTerm {
  readonly value: Value;
  readonly physical: PhysicalType;
  readonly descending: boolean;
}

interface Reading {
  /** Columns that the step reads. */
  readonly reads: readonly FilterColumn[];
  /** Columns after the step. */
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
