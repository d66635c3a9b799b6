import type { DataType, PhysicalType } from '../../model/column.js';
import type { Exact } from './number-literal.js';
import type { ArithmeticOperator } from './syntax.js';

/** A column as a filter sees it. */
export interface FilterColumn {
  readonly id: number;
  /** Case-sensitive. */
  readonly name: string;
  readonly dataType: DataType;
  readonly physical: PhysicalType;
  /** SQL of the stored value, such as `c12_f`. The column's name never enters SQL. */
  readonly sql: string;
  /** Largest absolute value of an exact decimal, in units of its last digit. @default the range of the type */
  readonly units?: bigint;
}

/** The typed tree: every operand has one type, literals are coerced, and operators have no null literals. */
export type NumberNode =
  | { readonly kind: 'number'; readonly value: Exact }
  | { readonly kind: 'column'; readonly column: FilterColumn }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: NumberNode;
      readonly right: NumberNode;
    }
  | { readonly kind: 'negate' | RoundingName; readonly operand: NumberNode }
  | { readonly kind: 'length'; readonly operand: TextNode }
  | { readonly kind: 'indexof'; readonly left: TextNode; readonly right: TextNode }
  | { readonly kind: DatePart; readonly operand: StoredDate };

type RoundingName = 'round' | 'floor' | 'ceiling';
/** `week` is the week of ISO 8601. */
export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day';
/** First day of a period; weeks begin on Monday. */
export type PeriodStart = 'startofyear' | 'startofquarter' | 'startofmonth' | 'startofweek';
export type TextTest = 'contains' | 'startswith' | 'endswith';

export type TextNode =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'column'; readonly column: FilterColumn }
  | { readonly kind: 'concat'; readonly left: TextNode; readonly right: TextNode }
  | { readonly kind: 'tolower' | 'toupper' | 'trim'; readonly operand: TextNode }
  | {
      readonly kind: 'substring';
      readonly operand: TextNode;
      readonly from: NumberNode;
      readonly length: NumberNode | undefined;
    };

/** A date that depends on the row. The binder evaluates functions of literals. */
export type StoredDate =
  | { readonly kind: 'column'; readonly column: FilterColumn }
  | { readonly kind: PeriodStart; readonly operand: StoredDate };

export type DateNode = { readonly kind: 'date'; readonly value: string } | StoredDate;

/** `ne` becomes a negated `eq`. */
export type Comparison = 'eq' | 'lt' | 'le' | 'gt' | 'ge';

interface Pair<Type, Node> {
  readonly kind: 'compare';
  readonly type: Type;
  readonly operator: Comparison;
  readonly left: Node;
  readonly right: Node;
}

interface Membership<Type, Node, Value> {
  readonly kind: 'in';
  readonly type: Type;
  readonly operand: Node;
  readonly values: readonly Value[];
  readonly orNull: boolean;
}

/** True if one of many text columns contains the value, ignoring case. Never null. */
export interface AnyContains {
  readonly kind: 'anyContains';
  readonly columns: readonly FilterColumn[];
  readonly value: string;
  /** Equivalent condition with one test per column, for the normal form. */
  readonly each: Condition;
}

export type Condition =
  /** null is "unknown" in three-valued logic. */
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'isNull'; readonly operand: Exclude<Operand, { type: 'null' }> }
  | { readonly kind: TextTest; readonly left: TextNode; readonly right: TextNode }
  | AnyContains
  | Pair<'number', NumberNode>
  | Pair<'text', TextNode>
  | Pair<'date', DateNode>
  | Pair<'boolean', Condition>
  | Membership<'number', NumberNode, Exact>
  | Membership<'text', TextNode, string>
  | Membership<'date', DateNode, string>;

export type Operand =
  | { readonly type: 'number'; readonly node: NumberNode }
  | { readonly type: 'text'; readonly node: TextNode }
  | { readonly type: 'date'; readonly node: DateNode }
  | { readonly type: 'boolean'; readonly node: Condition }
  /** The null literal, or an expression with a null operand. */
  | { readonly type: 'null' };
