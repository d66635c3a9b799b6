/** Conditions for the rows from a given one on, in any order. */
import { type StoredColumn, storageName } from '../model/column.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import type { Condition } from './patches.js';
import { type RowSource, rowOrder } from './source.js';

export interface OrderedBy {
  readonly column: StoredColumn;
  readonly descending: boolean;
}

const fromPosition = '{fromPosition:UInt64}';
const fromThere = `${rowOrder} >= ${fromPosition}`;

/**
 * Condition for a row and all rows after it in an order. The statement looks up the values of the row by its position, so a cursor
 * need not contain values, whatever their type and length.
 * @param rows The rows of the version, without a filter.
 * @param position Position of the row, as text.
 */
export const behind = (rows: RowSource, position: string, order: readonly OrderedBy[]): Condition => {
  const values = { ...rows.values, fromPosition: position };
  if (order.length === 0) return { sql: fromThere, values };
  const names = order.map(({ column }) => storageName(column));
  const found = `(SELECT tuple(${names.map((name) => `any(${name})`).join(', ')},
    throwIf(count() != 1, '${segmentsGone}')) FROM ${rows.from}
    WHERE ${rows.where} AND ${rowOrder} = ${fromPosition})`;
  const sql = order.reduceRight((further, { descending }, at) => {
    const name = names[at]!;
    const value = `${found}.${at + 1}`;
    // Nulls sort last in both directions.
    const later = `(${value} IS NOT NULL AND (${name} IS NULL OR ${name} ${descending ? '<' : '>'} ${value}))`;
    return `(${later} OR ((${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL)) AND ${further}))`;
  }, fromThere);
  return { sql, values };
};

/** Condition for the rows before a position. */
export const before = (position: string): Condition => ({
  sql: `${rowOrder} < {untilPosition:UInt64}`,
  values: { untilPosition: position },
});
