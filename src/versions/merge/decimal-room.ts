/**
 * Decimal types of a merge. The types of the file fit the version that was current when its upload started; the previous version may have
 * longer numbers by now. So the digits on both sides are counted again, to find a type that holds all of them. Numbers that the file replaces
 * count only if there is room for their digits: they must not cause a refusal.
 */

import type { PhysicalType, StoredColumn } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import { decimalOf, decimalShapeOf, maxDigits } from '../../model/column-types/decimal.js';
import { isKeyed, type ProcessError } from '../../model/process.js';
import { countDigits, type Digits, type Keys, namedColumn, type SegmentMerge } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';

type DecimalRoom =
  | {
      readonly kind: 'fits';
      readonly columns: readonly StoredColumn[];
      readonly narrowed: ReadonlySet<number>;
    }
  | { readonly kind: 'refused'; readonly error: ProcessError };

const isNumber = ({ physical }: StoredColumn): boolean => columnTypeOf(physical).numbers !== undefined;

const fitsIn = ({ integer, fraction }: Digits, physical: PhysicalType): boolean => {
  const shape = decimalShapeOf(physical);
  return shape !== undefined && fraction <= shape.scale && integer <= shape.precision - shape.scale;
};

const largestOf = (a: Digits, b: Digits): Digits => ({
  integer: Math.max(a.integer, b.integer),
  fraction: Math.max(a.fraction, b.fraction),
});

const tooLong = ({ name }: StoredColumn, { integer, fraction }: Digits): ProcessError => ({
  code: 'too_many_digits',
  message:
    `Column ${JSON.stringify(name)} would need ${integer} digits before the point and ${fraction} after it; ` +
    `a Decimal column holds ${maxDigits} in all. Nothing was changed.`,
  column: name,
});

/** The same column in the previous version, if its numbers have another type. */
const changedBase = (merge: SegmentMerge, column: StoredColumn): StoredColumn | undefined => {
  const base = merge.baseColumns.find(({ id }) => id === column.id);
  if (base === undefined || base.physical === column.physical || base.untyped === true) return undefined;
  return isNumber(base) && isNumber(column) ? base : undefined;
};

/** Chooses column types of a merge that hold the numbers of both sides. */
export const decimalRoom = async (
  servers: ClickHouseServers,
  keys: Pick<Keys, 'keptDigits'>,
  merge: SegmentMerge,
): Promise<DecimalRoom> => {
  const typed = new Map(merge.columns.map((column) => [column.id, column]));
  const pending: { readonly column: StoredColumn; readonly base: StoredColumn; readonly added: Digits }[] =
    [];
  for (const column of merge.columns) {
    const base = changedBase(merge, column);
    if (base === undefined) continue;
    const stored = await countDigits(servers, merge.basePlace, merge.base, namedColumn(base));
    if (fitsIn(stored, column.physical)) continue;
    const file = { segmentIds: [merge.fileSegment] };
    const added = await countDigits(servers, merge.filePlace, file, namedColumn(column));
    const all = largestOf(stored, added);
    const physical = decimalOf(all.integer, all.fraction);
    if (physical !== undefined) typed.set(column.id, { ...column, physical });
    else if (isKeyed(merge.mode) && merge.mode !== 'delete' && !merge.keyIds.includes(column.id))
      pending.push({ column, base, added });
    else return { kind: 'refused', error: tooLong(column, all) };
  }
  const narrowed = new Set(pending.map(({ column }) => column.id));
  for (const { column, base, added } of pending) {
    const now = { ...merge, columns: [...typed.values()], narrowed };
    const kept =
      merge.mode === 'sync' ? { integer: 0, fraction: 0 } : await keys.keptDigits(now, namedColumn(base));
    const all = largestOf(kept, added);
    const physical = decimalOf(all.integer, all.fraction);
    if (physical === undefined) return { kind: 'refused', error: tooLong(column, all) };
    typed.set(column.id, { ...column, physical });
  }
  return { kind: 'fits', columns: [...typed.values()], narrowed };
};
