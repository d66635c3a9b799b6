/** Rows from one on, in the order of an answer, as a condition. */
import { invalid } from '../../lib/errors.js';
import { storageName } from '../../model/column.js';
import type { VersionRows } from '../../rows/version-rows.js';
import { segmentsGone } from '../../storage/clickhouse/errors.js';
import type { BoundValues } from '../../storage/clickhouse/query-form.js';
import type { OrderTerm } from '../column-list.js';
import type { RowPlace } from '../versions.js';

/** Each term is a level of the condition, and a look at the row where the page begins. */
const mostTerms = 50;

export interface Condition {
  readonly sql: string;
  readonly values: BoundValues;
}

const atOrBehind = '(_seg > {fromSeg:UInt64} OR (_seg = {fromSeg:UInt64} AND _row >= {fromRow:UInt64}))';

/**
 * The row itself and all that follow it. What it holds is looked up rather than remembered: so no value of any type or
 * length is left out and brought back.
 * @param rows The rows of the version, without a filter.
 */
export const rowsFrom = (
  { segment, row }: RowPlace,
  order: readonly OrderTerm[],
  rows: VersionRows,
): Condition => {
  if (order.length > mostTerms)
    throw invalid('too_complex', `Pages have at most ${mostTerms} columns in $orderby.`, {
      limit: mostTerms,
    });
  const values = { ...rows.values, fromSeg: segment, fromRow: row };
  if (order.length === 0) return { sql: `(_seg >= {fromSeg:UInt64} AND ${atOrBehind})`, values };
  const names = order.map(({ column }) => storageName(column));
  const found = `(SELECT tuple(${names.map((name) => `any(${name})`).join(', ')},
    throwIf(count() != 1, '${segmentsGone}')) FROM ${rows.table}
    WHERE _seg = {fromSeg:UInt64} AND _row = {fromRow:UInt64})`;
  const sql = order.reduceRight((behind, { descending }, at) => {
    const name = names[at]!;
    const value = `${found}.${at + 1}`;
    // Nulls stand last in both directions.
    const later = `(${value} IS NOT NULL AND (${name} IS NULL OR ${name} ${descending ? '<' : '>'} ${value}))`;
    return `(${later} OR ((${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL)) AND ${behind}))`;
  }, atOrBehind);
  return { sql, values };
};
