/** SQL of expressions in the column types of a step. */
import type { PhysicalType } from '../../model/column.js';
import { columnTypeOf, physicalOfDay } from '../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import { dateSql } from '../filter/date-sql.js';
import type { Emitter } from '../filter/emitter.js';
import type { DateNode } from '../filter/typed.js';
import { doubleOfDecimal } from './exact-double.js';
import { rangeOfNumber } from './number-range.js';
import type { Value } from './typed.js';

/** A double that is null instead of infinite or NaN; adding 0 turns -0 into 0. */
const finite = (double: string): string => `if(isFinite(${double}), ${double} + 0, NULL)`;

/** @param from decimals, of which only the first `to` may be non-zero */
const castDecimal = (sql: string, physical: PhysicalType, from: number, to: number): string => {
  const shape = decimalShapeOf(physical);
  if (shape === undefined) return doubleOfDecimal(sql, from, to);
  return `toDecimal${shape.precision === 38 ? 128 : 256}(${sql}, ${shape.scale})`;
};

const dateValue = (node: DateNode, emit: Emitter): string => {
  if (node.kind !== 'date') return dateSql(node).sql;
  const physical = physicalOfDay(node.value);
  return emit.parameters.add(columnTypeOf(physical).storage(physical), node.value);
};

/** An aggregate of no rows is null only if its type is nullable. */
export const nullable = (sql: string): string => `toNullable(${sql})`;

const plainSql = (value: Value, physical: PhysicalType, emit: Emitter): string => {
  switch (value.type) {
    case 'text':
      return emit.text(value.node).sql;
    case 'date':
      return dateValue(value.node, emit);
    case 'number': {
      if (value.node.kind === 'column') return value.node.column.sql;
      const range = rangeOfNumber(value.node, emit.shapes);
      if (range === undefined) return finite(emit.double(value.node));
      const scale = emit.shapes(value.node).exact?.scale ?? range.scale;
      return castDecimal(emit.exact(value.node), physical, scale, range.scale);
    }
    default:
      return value satisfies never;
  }
};

/** @param physical type assigned by the binder */
export const valueSql = (value: Value, physical: PhysicalType, emit: Emitter): string =>
  value.node.kind === 'column' ? plainSql(value, physical, emit) : nullable(plainSql(value, physical, emit));

/** The value as a double, for results that cannot be exact. */
export const doubleSql = (value: Value, emit: Emitter): string => {
  if (value.type !== 'number') throw new RangeError('the binder lets only numbers pass');
  const double = emit.double(value.node);
  return value.node.kind === 'column' ? double : nullable(finite(double));
};

/** Expression for grouping and counting distinct values. ClickHouse would distinguish -0 from 0. */
export const keySql = (sql: string, physical: PhysicalType): string => columnTypeOf(physical).key(sql);
