import { type StoredColumn, storageName } from '../../model/column.js';
import type { Placement } from '../../model/placement.js';
import type { SegmentList } from '../../model/version.js';
import type { ClickHouseServers } from './client.js';
import { asReadError } from './errors.js';
import { namedColumn, sourceOf } from './places.js';
import { gib, segmentRows } from './segments.js';

export interface ComparedVersion extends SegmentList {
  /** Null: there are no rows. */
  readonly placement: Placement | null;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
}

export interface RowChanges {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** Hash of some columns; a value of another type or a missing column hashes as its text or as null. */
export const hashOf = (ids: readonly number[], columns: readonly StoredColumn[]): string => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const parts = ids.flatMap((id) => {
    const column = byId.get(id);
    if (column === undefined) return ['toUInt8(1)', `''`];
    const name = storageName(column);
    return [`isNull(${name})`, `ifNull(toString(${name}), '')`];
  });
  return `sipHash128(${parts.join(', ')})`;
};

/**
 * Columns that are entities in both versions, or those of both that are given: they tell rows apart. Without any, whole
 * rows are compared.
 */
export const commonKeys = (
  from: readonly StoredColumn[],
  to: readonly StoredColumn[],
  given: readonly number[] = [],
): readonly StoredColumn[] => {
  const before = new Map(from.map((column) => [column.id, column]));
  if (given.length > 0) return to.filter(({ id }) => given.includes(id) && before.has(id));
  return to.filter(({ id, isEntity }) => isEntity && before.get(id)?.isEntity === true);
};

const requirePlace = ({ placement }: ComparedVersion): Placement => {
  if (placement === null) throw new Error('a version with rows has no segment');
  return placement;
};

/**
 * Counts what changed from one version to another of the same store. Rows of equal key are matched: equal rows
 * first, then as changed ones; the rest was added or removed.
 * @throws AppError as every read.
 */
export const compareVersions = async (
  servers: ClickHouseServers,
  versions: { from: ComparedVersion; to: ComparedVersion },
  keyIds: readonly number[],
  signal: AbortSignal,
): Promise<RowChanges> => {
  const { from, to } = versions;
  const ids = [...new Set([...from.columns, ...to.columns].map(({ id }) => id))];
  const rows = { from: segmentRows(from, 'from'), to: segmentRows(to, 'to') };
  const side = (version: ComparedVersion, name: 'from' | 'to', counts: string): string => {
    const row = hashOf(ids, version.columns);
    const key = keyIds.length === 0 ? row : hashOf(keyIds, version.columns);
    const source = sourceOf(servers.database, requirePlace(version), version.columns.map(namedColumn));
    return `SELECT ${key} AS key, ${row} AS row, ${counts} FROM ${source} WHERE ${rows[name].sql}`;
  };
  const sides = [
    ...(from.rowCount > 0 ? [side(from, 'from', '1 AS a, 0 AS b')] : []),
    ...(to.rowCount > 0 ? [side(to, 'to', '0 AS a, 1 AS b')] : []),
  ];
  const [place, ...others] = [from, to].filter(({ rowCount }) => rowCount > 0).map(requirePlace);
  if (place === undefined) return { added: 0, removed: 0, changed: 0 };
  const [counted] = await servers
    .at(place, ...others)
    .rows<{ added: string; removed: string; changed: string }>(
      `SELECT toString(sum(b - both)) AS added, toString(sum(a - both)) AS removed,
       toString(sum(both - equal)) AS changed
     FROM (
       SELECT sum(a) AS a, sum(b) AS b, least(a, b) AS both, sum(equal) AS equal FROM (
         SELECT key, row, sum(x.a) AS a, sum(x.b) AS b, least(a, b) AS equal
         FROM (${sides.join('\nUNION ALL ')}) AS x GROUP BY key, row)
       GROUP BY key)`,
      {
        params: { ...rows.from.params, ...rows.to.params },
        settings: {
          readonly: '2',
          cancel_http_readonly_queries_on_client_close: 1,
          max_threads: 2,
          max_memory_usage: String(3 * gib),
          max_bytes_before_external_group_by: String(gib / 2),
          prefer_column_name_to_alias: 0,
        },
        signal,
      },
    )
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw asReadError(error);
    });
  return {
    added: Number(counted?.added ?? 0),
    removed: Number(counted?.removed ?? 0),
    changed: Number(counted?.changed ?? 0),
  };
};
