/** Writes a patch segment directly, as an upsert or a delete on a table of its own would. */

import { recordsPerUpload } from '../../src/model/position.js';
import { segmentId } from '../../src/model/version.js';
import type { TestProduct } from './product.js';

/** SQL literals of a row, by column name. */
export type PatchedValues = Readonly<Record<string, string>>;

export interface PatchedRow {
  /** Position of the row to replace or delete; undefined for a new row. */
  readonly at?: bigint;
  /** Undefined to delete the row. */
  readonly values?: PatchedValues;
}

export interface WrittenPatch {
  readonly versionId: string;
  readonly segment: number;
  /** Positions of its rows, in order. */
  readonly positions: readonly bigint[];
}

interface Current {
  readonly store: number;
  readonly uploads: number;
  readonly version: number;
}

/** Publishes a version that applies a patch to the current one. */
export const writePatch = async (
  { sql, clickhouse, config }: TestProduct,
  dataset: number,
  rows: readonly PatchedRow[],
): Promise<WrittenPatch> => {
  const [current] = await sql.query<Current>(
    `UPDATE datasets SET upload_count = upload_count + 1 WHERE id = $1
     RETURNING store_id AS store, upload_count AS uploads, current_version_id AS version`,
    [dataset],
  );
  if (current === undefined) throw new Error(`dataset ${dataset} does not exist`);
  const { store, uploads, version } = current;
  const [next] = await sql.query<{ id: number }>(
    `SELECT nextval(pg_get_serial_sequence('processes', 'id')) AS id`,
  );
  const segment = segmentId(next?.id ?? 0, 1);
  const columns = await sql.query<{ name: string; stored: string }>(
    `SELECT c.item ->> 'name' AS name, 'c' || (c.item ->> 'storageId') || '_' || (c.item ->> 'physical') AS stored
     FROM versions v JOIN column_lists l ON l.id = v.column_list_id, jsonb_array_elements(l.columns) AS c (item) WHERE v.id = $1`,
    [version],
  );
  const first = BigInt(uploads) * BigInt(recordsPerUpload);
  const positions = rows.map(({ at }, record) => at ?? first + BigInt(record));
  const lines = rows.map(({ values }, index) =>
    [
      segment,
      positions[index],
      values === undefined ? 1 : 0,
      ...columns.map(({ name }) => values?.[name] ?? 'NULL'),
    ].join(', '),
  );
  if (lines.length > 0)
    await clickhouse(
      `INSERT INTO ${config.clickhouseDatabase}.s${store} (${['_seg', '_row', '_gone', ...columns.map(({ stored }) => stored)].join(', ')})
       VALUES ${lines.map((line) => `(${line})`).join(', ')}`,
    );
  const deleted = rows.filter(({ values }) => values === undefined).length;
  const added = rows.filter(({ at }) => at === undefined).length;
  const hidden = rows.length - added + deleted;
  return sql.tx(async (tx) => {
    await tx.query(
      `INSERT INTO segments (id, store_id, process_id, upload_number, rows, bytes, patch, hidden) VALUES ($1, $2, $3, $4, $5, 10, true, $6)`,
      [segment, store, next?.id, uploads, rows.length, hidden],
    );
    const [made] = await tx.query<{ id: number }>(
      `INSERT INTO versions (dataset_id, mode, column_list_id, row_count, byte_size)
       SELECT $1, 'upsert', column_list_id, row_count + $3, byte_size FROM versions WHERE id = $2 RETURNING id`,
      [dataset, version, added - deleted],
    );
    await tx.query('INSERT INTO segment_ranges (dataset_id, segment_id, from_version) VALUES ($1, $2, $3)', [
      dataset,
      segment,
      made?.id,
    ]);
    await tx.query('UPDATE datasets SET current_version_id = $2 WHERE id = $1', [dataset, made?.id]);
    return { versionId: String(made?.id), segment, positions };
  });
};
