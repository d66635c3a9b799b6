/**
 * Merges two columns in a new version when the process is due. ClickHouse writes all rows again, since the rows of a segment may have values
 * in either column.
 */

import type { StoredColumn } from '../../model/column.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import type { ProcessError } from '../../model/process.js';
import { timeColumnOf } from '../../model/version.js';
import {
  type Collisions,
  type ColumnJoin,
  type ColumnMerge,
  countDigits,
  countSegments,
  datesOf,
  fitsPool,
  isPooled,
  namedColumn,
  type PoolLimits,
  segmentListOf,
  type Write,
} from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import type { BaseVersion } from '../../uploads/layout/base-version.js';
import { commonType } from '../../uploads/layout/common-type.js';
import type { ColumnMergeIds } from '../../uploads/layout/layout.js';
import type { ColumnMergeTurn, MergeRecords, MergeTarget } from '../../uploads/lifecycle/merge-records.js';
import type { Outcome } from '../../uploads/lifecycle/outcome.js';
import { Miscount } from './miscount.js';

interface ColumnMergeOptions {
  readonly clickhouse: ClickHouseServers;
  readonly write: Pick<Write, 'prepare'>;
  readonly columnJoin: ColumnJoin;
  readonly merges: Pick<MergeRecords, 'begin'>;
  readonly poolLimits: PoolLimits;
}

/** Runs a turn of a process of mode merge_columns. */
export type MergeColumns = (turn: ColumnMergeTurn, base: BaseVersion | undefined) => Promise<Outcome>;

const failed = (error: ProcessError): Outcome => ({ kind: 'fail', error });

const gone = failed({
  code: 'column_not_found',
  message: 'The current version no longer has both columns.',
});

const typesDiffer = (into: StoredColumn, from: StoredColumn): Outcome =>
  failed({
    code: 'type_conflict',
    message:
      `${into.name} is ${into.dataType} and ${from.name} is ${from.dataType}: only text holds the values of both. ` +
      'With onTypeConflict=widen the column becomes String.',
  });

const valuesCollide = (into: StoredColumn, from: StoredColumn, { count, examples }: Collisions): Outcome =>
  failed({
    code: 'values_collide',
    message:
      `${into.name} and ${from.name} have different values in ${count === 1 ? '1 row' : `${count} rows`}` +
      `${examples[0] === undefined ? '' : `, first in row ${examples[0].row}`}. Nothing was changed.`,
    count,
    collisions: examples,
  });

/** The merged column. It keeps date form and years only if its type has them. A column without values takes the role of the other. */
const mergedColumn = (
  { dateForm, untyped, years: ownYears, ...into }: StoredColumn,
  from: StoredColumn,
  physical: StoredColumn['physical'],
) => {
  const dataType = dataTypeOf(physical);
  const form = dateForm ?? from.dateForm;
  const years = untyped === true ? from.years : ownYears;
  return {
    ...into,
    physical,
    dataType,
    isEntity: into.isEntity || (untyped === true && from.untyped !== true && from.isEntity),
    ...(dataType === 'Date' && form !== undefined ? { dateForm: form } : {}),
    ...(dataType === 'Decimal' && years === true ? { years } : {}),
    ...(untyped === true && from.untyped === true ? { untyped } : {}),
  };
};

export const createColumnMerge = (options: ColumnMergeOptions): MergeColumns => {
  const { clickhouse, write, columnJoin, merges, poolLimits } = options;

  const typeOf = async (
    base: BaseVersion,
    into: StoredColumn,
    from: StoredColumn,
    { widen }: ColumnMergeIds,
  ) => {
    const { place } = base;
    const common = await commonType(into, from, async (column) =>
      place === null
        ? { integer: 0, fraction: 0 }
        : countDigits(clickhouse, place, base, namedColumn(column)),
    );
    return common ?? (widen ? 's' : undefined);
  };

  /** Copies the rows. Returns null if the process is no longer due. */
  const writeRows = async (
    turn: ColumnMergeTurn,
    base: BaseVersion,
    merge: ColumnMerge | undefined,
    columns: readonly StoredColumn[],
  ): Promise<MergeTarget | null> => {
    const named = columns.map(namedColumn);
    const isSmall =
      (base.place === null || isPooled(base.place)) &&
      fitsPool(poolLimits, { rows: base.rowCount, bytes: base.byteSize });
    const target = await merges.begin(turn, isSmall ? named : undefined);
    if (target === null) return null;
    const { segmentId: segment, place } = target;
    if (merge === undefined) await write.prepare(place, named);
    else await columnJoin.write(merge, columns, { segment, place });
    return target;
  };

  const countedOutcome = async (
    base: BaseVersion,
    columns: readonly StoredColumn[],
    { segmentId, number, place }: MergeTarget,
  ): Promise<Outcome> => {
    const date = timeColumnOf(columns);
    const list = { segmentIds: [segmentId] };
    const { rows, ...dates } = await countSegments(clickhouse, place, list, date && namedColumn(date));
    if (rows !== base.rowCount) throw new Miscount(`copied ${rows} rows, not ${base.rowCount}`);
    const facts = { rows, bytes: base.byteSize, ...datesOf(dates) };
    return {
      kind: 'merged',
      number,
      outcome: {
        baseVersionId: base.versionId,
        baseRepairs: base.repairs,
        segmentId,
        keepsBase: false,
        columns,
        facts,
      },
    };
  };

  return async (turn, base) => {
    const ids = turn.layout.columnMerge;
    if (ids === undefined) throw new Error(`process ${turn.processId} does not say which columns it merges`);
    const into = base?.columns.find(({ id }) => id === ids.into);
    const from = base?.columns.find(({ id }) => id === ids.from);
    if (base === undefined || into === undefined || from === undefined) return gone;
    const physical = await typeOf(base, into, from, ids);
    if (physical === undefined) return typesDiffer(into, from);
    const merged: StoredColumn = mergedColumn(into, from, physical);
    const { place, columns: baseColumns } = base;
    const merge: ColumnMerge | undefined =
      place === null
        ? undefined
        : { base: segmentListOf(base), basePlace: place, baseColumns, into, from, merged };
    const collisions = merge && (await columnJoin.collisions(merge));
    if (collisions !== undefined && collisions.count > 0) return valuesCollide(into, from, collisions);
    const columns = baseColumns
      .filter(({ id }) => id !== from.id)
      .map((column) => (column === into ? merged : column));
    const target = await writeRows(turn, base, merge, columns);
    return target === null ? { kind: 'done' } : countedOutcome(base, columns, target);
  };
};
