import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { Place, SegmentList } from '../model/version.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { asReadError } from '../storage/clickhouse/errors.js';
import { insideOf, namedColumn, sourceOf } from './place.js';
import { segmentRows } from './source.js';
import { gib } from './statement-settings.js';

export interface ComparedVersion extends SegmentList {
  /** Null: there are no rows. */
  readonly placement: Place | null;
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
}

export interface RowChanges {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** Hash of some columns: equal for equal values, whichever types store them. A missing column is null. */
export const hashOf = (ids: readonly number[], columns: readonly StoredColumn[]): string => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const parts = ids.flatMap((id) => {
    const column = byId.get(id);
    if (column === undefined) return ['toUInt8(1)', `''`];
    const name = storageName(column);
    return [`isNull(${name})`, `ifNull(${columnTypeOf(column.physical).canonicalText(name)}, '')`];
  });
  return `sipHash128(${parts.join(', ')})`;
};

/** Columns that are entities in both versions, or those of both that are given: the key by which rows are matched. */
export const commonKeys = (
  from: readonly StoredColumn[],
  to: readonly StoredColumn[],
  given: readonly number[] = [],
): readonly StoredColumn[] => {
  const before = new Map(from.map((column) => [column.id, column]));
  if (given.length > 0) return to.filter(({ id }) => given.includes(id) && before.has(id));
  return to.filter(({ id, isEntity }) => isEntity && before.get(id)?.isEntity === true);
};

const requirePlace = ({ placement }: ComparedVersion): Place => {
  if (placement === null) throw new Error('a version with rows has no segment');
  return placement;
};

export interface ComparedRows extends RowChanges {
  /** False: by the key, rows would count as changed whose key several rows share, so whole rows were compared. */
  readonly byKey: boolean;
}

/**
 * Counts what changed from one version to another of the same store. Rows are matched by the key where it is unique in
 * both versions, and as a whole otherwise: which of several rows became which, nobody can tell. One statement counts
 * both, so that the test costs no further scan.
 * @throws AppError as every read.
 */
export const compareVersions = async (
  servers: ClickHouseServers,
  versions: { from: ComparedVersion; to: ComparedVersion },
  keyIds: readonly number[],
  signal: AbortSignal,
): Promise<ComparedRows> => {
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
  if (place === undefined) return { added: 0, removed: 0, changed: 0, byKey: keyIds.length > 0 };
  const [counted] = await servers
    .at(insideOf(place), ...others.map(insideOf))
    .rows<
      Readonly<Record<'added' | 'removed' | 'changed' | 'addedRows' | 'removedRows', string>> & {
        most: string;
      }
    >(
      `SELECT toString(sum(b - both)) AS added, toString(sum(a - both)) AS removed,
       toString(sum(both - equal)) AS changed, toString(sum(b - equal)) AS addedRows,
       toString(sum(a - equal)) AS removedRows, toString(max(greatest(a, b))) AS most
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
  const count = (name: keyof NonNullable<typeof counted>): number => Number(counted?.[name] ?? 0);
  // Where no row changed, both ways count the same.
  if (keyIds.length > 0 && (count('most') < 2 || count('changed') === 0))
    return { added: count('added'), removed: count('removed'), changed: count('changed'), byKey: true };
  return { added: count('addedRows'), removed: count('removedRows'), changed: 0, byKey: false };
};
