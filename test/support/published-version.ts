import type { PhysicalType, StoredColumn } from '../../src/model/column.js';
import { dataTypeOf } from '../../src/model/column-types/column-types.js';
import { keepList } from '../../src/storage/postgres/column-lists.js';
import type { Sql } from '../../src/storage/postgres/sql.js';

export interface VersionFacts {
  readonly columns: readonly { readonly name: string; readonly physical: PhysicalType }[];
  readonly rows?: number;
  readonly bytes?: number;
  readonly minDate?: string;
  readonly maxDate?: string;
  readonly frequency?: string;
}

/** Inserts the records of a published version without rows, for tests of the catalog only. */
export const publishVersion = (sql: Sql, datasetId: number, facts: VersionFacts): Promise<number> =>
  sql.tx(async (tx) => {
    const registered = await tx.query<{ id: number; name: string }>(
      `INSERT INTO columns (dataset_id, name) SELECT $1, name FROM unnest($2::text[]) AS name
       ON CONFLICT ON CONSTRAINT columns_name DO UPDATE SET name = excluded.name RETURNING id, name`,
      [datasetId, facts.columns.map(({ name }) => name)],
    );
    const ids = new Map(registered.map(({ id, name }) => [name, id]));
    const columns = facts.columns.map(({ name, physical }): StoredColumn => {
      const id = ids.get(name) ?? 0;
      const dataType = dataTypeOf(physical);
      const isEntity = dataType !== 'Decimal';
      return { id, storageId: id, name, physical, dataType, isEntity, description: null };
    });
    const [version] = await tx.query<{ id: number }>(
      `WITH ${keepList('$1', 'SELECT $2::jsonb AS columns')}
       INSERT INTO versions (dataset_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency)
       SELECT $1, 'replace', list.id, $3, $4, $5, $6, $7 FROM list RETURNING id`,
      [
        datasetId,
        JSON.stringify(columns),
        facts.rows ?? 0,
        facts.bytes ?? 0,
        facts.minDate ?? null,
        facts.maxDate ?? null,
        facts.frequency ?? null,
      ],
    );
    const id = version?.id ?? 0;
    await tx.query(
      `INSERT INTO segments (id, store_id, process_id, upload_number, rows, bytes) SELECT $2, store_id, 0, $2, $3, $4 FROM datasets WHERE id = $1`,
      [datasetId, 1_000_000 + id, facts.rows ?? 0, facts.bytes ?? 0],
    );
    await tx.query(
      'UPDATE segment_ranges SET until_version = $2 WHERE dataset_id = $1 AND until_version IS NULL',
      [datasetId, id],
    );
    await tx.query('INSERT INTO segment_ranges (dataset_id, segment_id, from_version) VALUES ($1, $3, $2)', [
      datasetId,
      id,
      1_000_000 + id,
    ]);
    await tx.query('UPDATE datasets SET current_version_id = $2 WHERE id = $1', [datasetId, id]);
    return id;
  });
