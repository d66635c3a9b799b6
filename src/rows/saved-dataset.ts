/**
 * Restores one dataset of a backup into the catalog. Its records are in temporary tables (`saved_…`) of one session, and get ids of this
 * installation: column ids are new, storage ids of columns stay.
 */
import { type NamedColumn, namedColumnOf } from '../model/column.js';
import { segmentNumbers } from '../model/version.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import { restoreLists } from '../storage/postgres/column-lists.js';
import { restoreColumns } from '../storage/postgres/columns.js';
import { insertDataset, showRestored } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { restoreRanges } from './segment-ranges.js';
import { addSegmentSql, restoreSegmentFacts } from './segment-records.js';
import { restoreSlotMaps } from './slot-maps.js';
import { insertStore, placeEverywhere } from './stores.js';
import { restoreVersions } from './versions.js';

/** Tables that describe a dataset, with the column that has its id; records of other tables follow from them. */
export const savedTables = {
  datasets: 'id',
  columns: 'dataset_id',
  column_lists: 'dataset_id',
  versions: 'dataset_id',
  segment_ranges: 'dataset_id',
} as const;

export interface SavedDataset {
  readonly name: string;
  readonly description: string | null;
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  readonly uploadCount: number;
  readonly versions: number;
  /** Rows of the largest version. */
  readonly rows: number;
  readonly columns: number;
  readonly versionBytes: number;
  /** Raw bytes of all segments. */
  readonly bytes: number;
}

export interface SavedSegmentRow {
  readonly id: number;
  readonly rows: number;
  readonly pool: 'narrow' | 'medium' | 'wide' | null;
  readonly hash: string | null;
}

/** Removes all versions but one. */
export const keepSavedVersion = async (sql: Sql, version: number): Promise<void> => {
  await sql.query('DELETE FROM saved_versions WHERE id <> $1', [version]);
  await sql.query('UPDATE saved_versions SET replaced_at = NULL');
  await sql.query('DELETE FROM saved_segment_ranges WHERE from_version > $1 OR until_version <= $1', [
    version,
  ]);
  await sql.query('UPDATE saved_segment_ranges SET from_version = $1, until_version = NULL', [version]);
  await sql.query(
    'DELETE FROM saved_column_lists WHERE id NOT IN (SELECT column_list_id FROM saved_versions)',
  );
  await sql.query(
    `DELETE FROM saved_columns c WHERE NOT EXISTS (
       SELECT 1 FROM saved_column_lists l WHERE l.columns @> jsonb_build_array(jsonb_build_object('id', c.id)))`,
  );
};

/** Returns undefined if there is no dataset. */
export const readSavedDataset = async (sql: Sql): Promise<SavedDataset | undefined> =>
  (
    await sql.query<SavedDataset>(
      `SELECT d.name, d.description, d.source_name AS "sourceName", d.source_url AS "sourceUrl",
         d.upload_count AS "uploadCount",
         (SELECT count(*) FROM saved_versions) AS versions,
         (SELECT coalesce(max(row_count), 0) FROM saved_versions) AS rows,
         (SELECT coalesce(max(jsonb_array_length(columns)), 0) FROM saved_column_lists) AS columns,
         (SELECT coalesce(max(byte_size), 0) FROM saved_versions) AS "versionBytes",
         (SELECT coalesce(sum(bytes), 0)::bigint FROM saved_segments) AS bytes
       FROM saved_datasets d`,
    )
  )[0];

export const savedSegments = (sql: Sql): Promise<SavedSegmentRow[]> =>
  sql.query<SavedSegmentRow>(
    `SELECT s.id, s.rows, m.pool, s.hash FROM saved_segments s LEFT JOIN saved_slot_maps m ON m.id = s.slot_map_id
     WHERE s.rows > 0 ORDER BY s.id`,
  );

/** Columns that the own table needs; empty if the store has none. */
export const savedTableColumns = async (sql: Sql): Promise<NamedColumn[]> =>
  (
    await sql.query<{ name: string }>(
      `SELECT DISTINCT 'c' || (c.item ->> 'storageId') || '_' || (c.item ->> 'physical') AS name
       FROM saved_column_lists l, jsonb_array_elements(l.columns) AS c (item)
       WHERE EXISTS (SELECT 1 FROM saved_segments WHERE slot_map_id IS NULL)`,
    )
  ).map(({ name }) => namedColumnOf(name));

/** Statement that assigns ids from the sequence of a table to the ids that a query returns, in their order. */
const numbered = (name: string, table: string, ids: string): string => `
  CREATE TEMP TABLE ${name} AS
  SELECT o.id AS old, nextval(pg_get_serial_sequence('${table}', 'id')) AS id FROM (${ids} ORDER BY 1) AS o (id)`;

export interface StoreHome {
  /** Shard numbers, one of which becomes the home. */
  readonly turns: readonly number[];
  /** The rows go to all shards. */
  readonly everywhere: boolean;
}

/**
 * Creates a store with the segments of the backup, in their order, not yet listed by versions. Each gets the number of a process of its
 * own, so that compactions can join it like any other segment.
 * @returns The store, its shard (null: all shards), and the new ids of segments by their old ids.
 */
export const registerSaved = async (
  tx: Sql,
  { turns, everywhere }: StoreHome,
): Promise<{
  readonly storeId: number;
  readonly shard: ShardNumber;
  readonly segments: ReadonlyMap<number, number>;
}> => {
  const storeId = await insertStore(tx, turns);
  if (everywhere) await placeEverywhere(tx, storeId);
  const [store] = await tx.query<{ shard: ShardNumber }>(
    'SELECT CASE WHEN NOT everywhere THEN shard END AS shard FROM stores WHERE id = $1',
    [storeId],
  );
  await tx.query(numbered('new_slot_maps', 'slot_maps', 'SELECT id FROM saved_slot_maps'));
  await restoreSlotMaps(tx, storeId);
  await tx.query(numbered('new_segments', 'processes', 'SELECT id FROM saved_segments'));
  const id = `(n.id * ${segmentNumbers.perProcess} + 1)`;
  await tx.query(
    addSegmentSql(
      { id, processId: 'n.id', uploadNumber: 's.upload_number', storeId: '$1', slotMapId: 'm.id' },
      `FROM new_segments n JOIN saved_segments s ON s.id = n.old LEFT JOIN new_slot_maps m ON m.old = s.slot_map_id`,
    ),
    [storeId],
  );
  await tx.query(`UPDATE new_segments n SET id = ${id}`);
  const segments = await tx.query<{ old: number; id: number }>('SELECT old, id FROM new_segments');
  return {
    storeId,
    shard: store?.shard ?? null,
    segments: new Map(segments.map(({ old, id: now }) => [old, now])),
  };
};

const addColumns = async (tx: Sql, datasetId: number): Promise<void> => {
  await tx.query(
    numbered(
      'new_columns',
      'columns',
      `SELECT id FROM saved_columns UNION SELECT (c.item ->> 'id')::bigint
       FROM saved_column_lists l, jsonb_array_elements(l.columns) AS c (item)`,
    ),
  );
  await restoreColumns(tx, datasetId);
  await tx.query(numbered('new_column_lists', 'column_lists', 'SELECT id FROM saved_column_lists'));
  await restoreLists(tx, datasetId);
};

export interface PublishedDataset {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly storeId: number;
  readonly name: string;
}

/**
 * Creates the dataset with all of its versions. Returns undefined if the repository has a dataset of this name.
 * @throws RangeError if records refer to missing ones
 */
export const publishSaved = async (
  tx: Sql,
  saved: SavedDataset,
  target: PublishedDataset,
): Promise<number | undefined> => {
  const { description, sourceName, sourceUrl, uploadCount } = saved;
  const id = await insertDataset(tx, { description, sourceName, sourceUrl, uploadCount, ...target });
  if (id === undefined) return undefined;
  await addColumns(tx, id);
  await restoreSegmentFacts(tx);
  await tx.query(numbered('new_versions', 'versions', 'SELECT id FROM saved_versions'));
  await restoreVersions(tx, id);
  await restoreRanges(tx, id);
  await showRestored(tx, id);
  return id;
};

/** Advances the column ids beyond the last one of a backup, so that new columns do not reuse its storage ids. */
export const skipColumnIds = async (sql: Sql, last: number): Promise<void> => {
  await sql.query(
    `SELECT setval(c.ids, $1::bigint + 1000000) FROM (SELECT pg_get_serial_sequence('columns', 'id')::regclass AS ids) AS c
     WHERE coalesce(pg_sequence_last_value(c.ids), 0) < $1::bigint`,
    [last],
  );
};
