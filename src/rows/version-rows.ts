import { type StoredColumn, storageName } from '../model/column.js';
import type { Placement } from '../model/placement.js';
import type { ReadableVersion } from '../model/version.js';
import { segmentsGone } from '../storage/clickhouse/errors.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import { clickHouseType, namedColumn, sourceOf, statedTable, tableOf } from './places.js';
import { segmentRows } from './segments.js';
import { widePartColumns } from './table-settings.js';

/** All rows of a version, as FROM and WHERE name them. */
export interface VersionRows {
  readonly table: string;
  readonly condition: string;
  readonly values: BoundValues;
}

/** Stands for the table of a version without rows, which may have none. */
const emptyTable = (columns: readonly StoredColumn[]): string => {
  const names = columns.map(
    (column) => `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})') AS ${storageName(column)}`,
  );
  return `(SELECT ${[...names, 'toUInt64(0) AS _seg', 'toUInt64(0) AS _row'].join(', ')} WHERE 0)`;
};

/**
 * `FROM …` and the number of rows in it, counted from the parts' headers. In a table of 1,000 columns that takes 7 ms,
 * because each step of a plan carries all columns; to sum up the marks of the parts takes one.
 */
const countSource = (database: string, placement: Placement, { columns, cuts }: ReadableVersion) =>
  columns.length > widePartColumns && cuts === undefined && placement.shard !== null
    ? { count: 'sum(rows_in_granule)', from: `mergeTreeIndex('${database}', '${tableOf(placement)}')` }
    : { count: 'count()', from: statedTable(database, placement) };

/**
 * The rows of the version's segments, and a guard: a query that starts after a segment was dropped, or that would
 * read rows that ClickHouse has lost, must fail, not answer with fewer rows. The guard is a scalar subquery, which
 * is always run. It stands within the list of segments, where it is folded to a constant: as a condition of its own
 * it keeps ClickHouse from testing the others while it reads (PREWHERE) only once.
 * @param name Start of the parameters' names, where a statement reads several versions.
 */
export const versionRows = (database: string, version: ReadableVersion, name = 'segments'): VersionRows => {
  const { placement, columns, rowCount } = version;
  if (rowCount === 0) return { table: emptyTable(columns), condition: 'true', values: {} };
  if (placement === null) throw new Error(`version ${version.versionId} has rows but no segment`);
  const { count, from } = countSource(database, placement, version);
  const { sql, params } = segmentRows(version, name);
  const guard = `(SELECT throwIf(${count} != {${name}Count:UInt64}, '${segmentsGone}') FROM ${from} WHERE ${sql}) = 0`;
  return {
    table: sourceOf(database, placement, columns.map(namedColumn)),
    condition: segmentRows(version, name, guard).sql,
    values: { ...params, [`${name}Count`]: rowCount },
  };
};
