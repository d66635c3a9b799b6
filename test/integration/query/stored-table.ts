import { randomBytes } from 'node:crypto';
import { type Log, silentLog } from '../../../src/lib/log.js';
import { type PhysicalType, type StoredColumn, storageName } from '../../../src/model/column.js';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { placeOf } from '../../../src/rows/place.js';
import { createWriteReadCopy } from '../../../src/rows/read-copy-write.js';
import { createRowTables } from '../../../src/rows/tables.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createReader, type Reader } from '../../../src/storage/clickhouse/reader.js';

export interface ColumnSpec {
  readonly name: string;
  readonly physical: PhysicalType;
  readonly isEntity?: boolean;
}

export type Cell = string | number | null;

/** Separate database with tables as uploads create them. */
export interface StoredTables {
  readonly clickhouse: ClickHouse;
  readonly reader: Reader;
  /** Inserts rows as one or more segments of a new version. */
  add(columns: readonly ColumnSpec[], ...segments: Cell[][][]): Promise<ReadableVersion>;
  /** Inserts the rows of a SELECT that returns `_row` and the stored columns by name. */
  addSelected(
    columns: readonly ColumnSpec[],
    rowCount: number,
    select: (names: string[]) => string,
  ): Promise<ReadableVersion>;
  /** Returns the version with a read copy. */
  copied(version: ReadableVersion): Promise<ReadableVersion>;
  close(): Promise<void>;
}

export interface StoredTablesOptions {
  readonly maxWaitSeconds?: number;
  readonly maxMemoryBytes?: number;
  /** @default silentLog */
  readonly log?: Log;
}

export const createStoredTables = async (
  url: string,
  { maxWaitSeconds = 60, maxMemoryBytes = 2 ** 31, log = silentLog }: StoredTablesOptions = {},
): Promise<StoredTables> => {
  const database = `dl_${randomBytes(6).toString('hex')}`;
  const clickhouse = createClickHouse({ url, database, maxConnections: 1_000 });
  await ensureDatabase(clickhouse);
  const tables = createRowTables(clickhouse);
  const reader = createReader({ servers: clickhouse, maxWaitSeconds, maxMemoryBytes, log });
  const writeCopy = createWriteReadCopy(clickhouse);
  let stores = 0;
  let nextColumn = 1;

  const prepare = async (specs: readonly ColumnSpec[]) => {
    stores += 1;
    const storeId = stores;
    const columns = specs.map(({ name, physical, isEntity }): StoredColumn => {
      const id = nextColumn++;
      const dataType = dataTypeOf(physical);
      return {
        id,
        storageId: id,
        name,
        physical,
        dataType,
        isEntity: isEntity ?? dataType !== 'Decimal',
        description: null,
      };
    });
    const names = columns.map(storageName);
    await tables.ensure(
      placeOf({ storeId, shard: 1, pool: null }),
      columns.map((column, index) => ({ name: names[index]!, physical: column.physical })),
    );
    return { storeId, columns, names };
  };

  const version = (
    storeId: number,
    columns: StoredColumn[],
    segmentIds: number[],
    rowCount: number,
  ): ReadableVersion => ({
    versionId: storeId,
    datasetId: storeId,
    place: placeOf({ storeId, shard: 1, pool: null }),
    segmentIds,
    columns,
    rowCount,
    byteSize: rowCount * 10,
    createdAt: '2026-02-03T04:05:06.000Z',
  });

  return {
    clickhouse,
    reader,
    async add(specs, ...segments) {
      const { storeId, columns, names } = await prepare(specs);
      for (const [index, rows] of segments.entries()) {
        const lines = rows.map((row, position) =>
          JSON.stringify({
            _seg: index + 1,
            // Consecutive positions, as in uploads.
            _row: (index + 1) * recordsPerUpload + position,
            ...Object.fromEntries(names.map((name, at) => [name, row[at] === null ? null : String(row[at])])),
          }),
        );
        if (lines.length === 0) continue;
        await clickhouse.insert(
          `INSERT INTO ${database}.s${storeId} FORMAT JSONEachRow`,
          [Buffer.from(lines.join('\n'))],
          { settings: { precise_float_parsing: 1 } },
        );
      }
      return version(
        storeId,
        columns,
        segments.map((_, index) => index + 1),
        segments.reduce((sum, rows) => sum + rows.length, 0),
      );
    },
    async addSelected(specs, rowCount, select) {
      const { storeId, columns, names } = await prepare(specs);
      await clickhouse.command(
        `INSERT INTO ${database}.s${storeId} (_seg, _row, ${names.join(', ')}) SELECT ${1}, ${select(names)}`,
        { settings: { max_query_size: '16777216', max_partitions_per_insert_block: '1' } },
      );
      return version(storeId, columns, [1], rowCount);
    },
    async copied(original) {
      if (original.rowCount === 0) return original;
      const { copy } = await writeCopy(original, `r${original.versionId}_0`);
      return { ...original, copy };
    },
    async close() {
      await clickhouse.command(`DROP DATABASE IF EXISTS ${database} SYNC`);
      await clickhouse.close();
    },
  };
};
