import type { NumberForm } from '../../model/column-types/column-type.js';
import { columnTypeOf, numberFormOf } from '../../model/column-types/column-types.js';
import { datePartSql } from './date-sql.js';
import type { Emitter } from './emitter.js';
import { nearestDouble, unitsText } from './number-literal.js';
import { doubleScale, powerOfTen } from './number-shape.js';
import type { DatePart, FilterColumn, NumberNode } from './typed.js';

/** A number before it is widened for arithmetic. Conditions on it can use indexes. */
export interface RawNumber {
  readonly sql: string;
  /** ClickHouse type of a parameter for comparisons. */
  readonly type: string;
}

type IntegerNode = Extract<NumberNode, { kind: 'length' | 'indexof' | DatePart }>;

const integerSql = (node: IntegerNode, emit: Emitter): string => {
  switch (node.kind) {
    case 'length':
      return `toInt64(lengthUTF8(${emit.text(node.operand).sql}))`;
    case 'indexof':
      return `(toInt64(positionUTF8(${emit.text(node.left).sql}, ${emit.text(node.right).sql})) - 1)`;
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return `toInt64(${datePartSql(node.kind, node.operand)})`;
    default:
      return node satisfies never;
  }
};

export const rawNumber = (node: NumberNode, emit: Emitter): RawNumber | undefined => {
  switch (node.kind) {
    case 'column': {
      const { sql, physical } = node.column;
      return { sql, type: columnTypeOf(physical).storage(physical) };
    }
    case 'length':
    case 'indexof':
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return { sql: integerSql(node, emit), type: 'Int64' };
    default:
      return undefined;
  }
};

/** True for doubles with at most 16 digits before the point and 22 after it. */
const hasExactText = (sql: string): string => `(${sql} = 0 OR (abs(${sql}) >= 1e-6 AND abs(${sql}) < 1e16))`;

const exactDouble = (sql: string): string =>
  `toDecimal256OrNull(if(${hasExactText(sql)}, toString(${sql}), NULL), ${doubleScale})`;

/** Converts through text, since ClickHouse divides by a power of ten: 3 with 70 decimals would become 3.0000000000000004. */
const nearestSql = (decimal: string): string => `toFloat64(toString(${decimal}))`;

interface FormSql {
  readonly isDouble: boolean;
  /** The value as a decimal of that scale; null for doubles whose text may not fit. */
  readonly exact: (sql: string, scale: number) => string;
  readonly double: (sql: string) => string;
}

const forms: Readonly<Record<NumberForm, FormSql>> = {
  doubles: { isDouble: true, exact: exactDouble, double: (sql) => sql },
  decimals: {
    isDouble: false,
    exact: (sql, scale) => `toDecimal256(${sql}, ${scale})`,
    double: nearestSql,
  },
};

const formSql = ({ physical }: FilterColumn): FormSql => forms[numberFormOf(physical)];

export const isDouble = (column: FilterColumn): boolean => formSql(column).isDouble;

const doubleColumns = (node: NumberNode, found: Set<string>): Set<string> => {
  switch (node.kind) {
    case 'column':
      return isDouble(node.column) ? found.add(node.column.sql) : found;
    case 'negate':
    case 'round':
    case 'floor':
    case 'ceiling':
      return doubleColumns(node.operand, found);
    case 'arithmetic':
      return doubleColumns(node.right, doubleColumns(node.left, found));
    default:
      return found;
  }
};

/** SQL that is 1 for rows that can be calculated exactly, and null if one of the doubles is null. */
export const isExactRow = (nodes: readonly NumberNode[]): string => {
  const columns = nodes.reduce((found, node) => doubleColumns(node, found), new Set<string>());
  return columns.size === 0 ? '1' : `(${[...columns].map(hasExactText).join(' AND ')})`;
};

const roundings = { round: 'round', floor: 'floor', ceiling: 'ceil' } as const;
const symbols = { add: '+', sub: '-', mul: '*', div: '/', mod: '%' } as const;

export const exactSql = (node: NumberNode, emit: Emitter): string => {
  const shape = emit.shapes(node).exact;
  if (!shape) throw new RangeError('only numbers with an exact shape have exact SQL');
  switch (node.kind) {
    case 'number': {
      const units = node.value.digits * powerOfTen(shape.scale - node.value.scale);
      return emit.parameters.add(`Decimal(76, ${shape.scale})`, unitsText(units, shape.scale));
    }
    case 'column':
      return formSql(node.column).exact(node.column.sql, shape.scale);
    case 'negate':
      return `negate(${emit.exact(node.operand)})`;
    case 'round':
    case 'floor':
    case 'ceiling':
      return `${roundings[node.kind]}(${emit.exact(node.operand)})`;
    case 'arithmetic':
      return exactArithmetic(node, emit);
    default:
      return `toDecimal256(${integerSql(node, emit)}, 0)`;
  }
};

const exactArithmetic = (node: Extract<NumberNode, { kind: 'arithmetic' }>, emit: Emitter): string => {
  const left = emit.exact(node.left);
  const right = emit.exact(node.right);
  const scale = emit.shapes(node).exact?.scale ?? 0;
  switch (node.operator) {
    case 'add':
    case 'sub':
    case 'mul':
      return `(${left} ${symbols[node.operator]} ${right})`;
    case 'div':
      return `(toDecimal256(${left}, ${scale}) / nullIf(${right}, 0))`;
    case 'mod':
      // ClickHouse rejects operands of different scales.
      return `(toDecimal256(${left}, ${scale}) % nullIf(toDecimal256(${right}, ${scale}), 0))`;
    default:
      return node.operator satisfies never;
  }
};

/** ClickHouse rounds halves of doubles to even, OData away from zero. The lambda avoids repeating the operand three times. */
const roundDouble = (sql: string): string =>
  `arrayMap(x -> trunc(x) + trunc(2 * (x - trunc(x))), [${sql}])[1]`;

export const doubleSql = (node: NumberNode, emit: Emitter): string => {
  switch (node.kind) {
    case 'number': {
      const value = nearestDouble(node.value);
      return Number.isFinite(value)
        ? emit.parameters.add('Float64', value)
        : "CAST(NULL, 'Nullable(Float64)')";
    }
    case 'column':
      return formSql(node.column).double(node.column.sql);
    default:
      break;
  }
  if (emit.shapes(node).sure) return nearestSql(emit.exact(node));
  switch (node.kind) {
    case 'negate':
      return `negate(${emit.double(node.operand)})`;
    case 'round':
      return roundDouble(emit.double(node.operand));
    case 'floor':
    case 'ceiling':
      return `${roundings[node.kind]}(${emit.double(node.operand)})`;
    case 'arithmetic': {
      const left = emit.double(node.left);
      const right = emit.double(node.right);
      const divides = node.operator === 'div' || node.operator === 'mod';
      return `(${left} ${symbols[node.operator]} ${divides ? `nullIf(${right}, 0)` : right})`;
    }
    default:
      return `toFloat64(${integerSql(node, emit)})`;
  }
};
