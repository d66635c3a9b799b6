/**
 * Chunks of uploads on one server. Pools take chunks directly. An own table has no deduplication log, so each long upload has a staging table
 * (`u<segmentId>`), which is sealed when all chunks are inserted, counted, and promoted to the own table by partition
 * (docs/adr/0027-upload-tables.md).
 */
import { randomBytes } from 'node:crypto';
import type { NamedColumn } from '../model/column.js';
import type { Place } from '../model/version.js';
import type { Connection, QuerySettings } from '../storage/clickhouse/client.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import type { Target } from './copy.js';
import { poolPartitions, runAll } from './ddl.js';
import { isPooled, storedAs, tableOf } from './place.js';
import { type ServerTables, tableNames } from './server-tables.js';

/** One block of rows in `Native` format. */
interface Block {
  readonly columns: readonly NamedColumn[];
  readonly rows: number;
  readonly queryId: string;
}

/** A chunk of an upload, encoded. */
export interface EncodedChunk extends Block {
  /** Its number in the upload. @default 0 */
  readonly number?: number;
  readonly block: readonly Buffer[];
  /** Deduplication token: inserting it again adds nothing. */
  readonly token: string;
}

/** Rows of several segments for one table, in one statement. */
export interface Batch extends Omit<Block, 'columns'> {
  /** Place of one of the segments. Slot maps may differ. */
  readonly place: Place;
  /** Columns that any of the blocks has. */
  readonly columns: readonly NamedColumn[];
  /** Names of all stored columns that the blocks fill. */
  readonly names: readonly string[];
  /** One block per segment, each with its own column names; ordered by segment. */
  readonly blocks: readonly Buffer[];
  /** Deduplication token; own tables ignore it. */
  readonly token: string;
}

/** A staging table that takes no more rows. */
export interface SealedTable {
  /** Unique name, so that the promoted rows are the counted ones. */
  readonly table: string;
  readonly rows: number;
}

/** Settings that make one block one part. */
const blockSettings = (rows: number): QuerySettings => ({
  async_insert: 0,
  // Never split or join blocks: limits above the size of any chunk.
  max_insert_block_size: String(Math.max(rows, 1) + 1),
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  max_partitions_per_insert_block: '1',
  input_format_parallel_parsing: 0,
  optimize_on_insert: 0,
  max_query_size: '16777216',
});

/** Deduplication settings: a repeated block adds nothing. */
const deduplicated = (token: string): QuerySettings => ({
  insert_deduplicate: 1,
  insert_deduplication_token: token,
});

/** Settings that combine the blocks of several segments into one, which is split only by partition. */
const batchSettings = ({ place, rows, token }: Batch): QuerySettings => ({
  ...blockSettings(rows),
  min_insert_block_size_rows: String(rows),
  // In an own table each segment is a partition.
  max_partitions_per_insert_block: isPooled(place) ? String(poolPartitions) : '0',
  ...(isPooled(place) ? deduplicated(token) : {}),
});

export interface StagingOptions {
  /** Timeout of one block: a dead connection may stay silent forever. */
  readonly insertTimeoutMs?: number;
}

export type Staging = ReturnType<typeof createStaging>;

export const createStaging = (
  clickhouse: Connection,
  tables: ServerTables,
  { insertTimeoutMs = 600_000 }: StagingOptions = {},
) => {
  const { database } = clickhouse;
  /** Segments whose staging tables were created recently. */
  const staged = new Set<number>();
  /** Segments with a failed insert. */
  const doubtful = new Set<number>();

  const create = async ({ segment, place }: Target, columns: readonly NamedColumn[]): Promise<void> => {
    await tables.ensure(place, columns);
    await tables.createStaging(`u${segment}`, place, columns.length);
  };

  /** Creates the table for the chunks of a segment. */
  const ensure = async (to: Target, columns: readonly NamedColumn[]): Promise<void> => {
    const { segment, place } = to;
    if (isPooled(place)) return tables.ensure(place, columns);
    if (staged.has(segment)) return;
    try {
      await create(to, columns);
    } catch (error) {
      // Another process has dropped the own table since: all of its rows had moved to a pool.
      if (!isUnknownTable(error)) throw error;
      tables.forget(tableOf(place));
      await create(to, columns);
    }
    // It may have the columns of an own table that was dropped and created again meanwhile.
    if (doubtful.delete(segment)) await tables.alignColumns(`u${segment}`, place);
    if (staged.size >= 100) staged.clear();
    staged.add(segment);
  };

  /** Another process may have dropped or restored the table: the next attempt reads its columns again. */
  const markDoubtful = ({ segment, place }: Target): void => {
    tables.forget(tableOf(place));
    staged.delete(segment);
    if (doubtful.size >= 1_000) doubtful.clear();
    if (!isPooled(place)) doubtful.add(segment);
  };

  const send = (
    table: string,
    names: readonly string[],
    blocks: readonly Buffer[],
    queryId: string,
    settings: QuerySettings,
  ): Promise<void> =>
    clickhouse.insert(
      `INSERT INTO ${database}.${table} (${['_seg', '_row', ...names].join(', ')}) FORMAT Native`,
      blocks,
      { settings, queryId, signal: AbortSignal.timeout(insertTimeoutMs) },
    );

  const listSealed = (segmentId: number): Promise<string[]> =>
    tableNames(clickhouse, `^a${segmentId}(_[0-9a-f]+)?$`);

  const countSealed = async (table: string): Promise<SealedTable> => {
    const [counted] = await clickhouse.rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${database}.${table}`,
    );
    return { table, rows: Number(counted?.n) };
  };

  return {
    /** Inserts a chunk into its pool or its staging table. */
    async insert(to: Target, { columns, block, rows, token, queryId }: EncodedChunk): Promise<void> {
      const { segment, place } = to;
      await ensure(to, columns);
      const table = isPooled(place) ? tableOf(place) : `u${segment}`;
      const names = columns.map((column) => storedAs(column, place).name);
      try {
        await send(table, names, block, queryId, { ...blockSettings(rows), ...deduplicated(token) });
      } catch (error) {
        markDoubtful(to);
        throw error;
      }
    },

    /** Inserts a batch into a pool or an own table. */
    async insertTogether(batch: Batch): Promise<void> {
      const { place, columns, names, blocks, queryId } = batch;
      try {
        await tables.ensure(place, columns);
        await send(tableOf(place), names, blocks, queryId, batchSettings(batch));
      } catch (error) {
        tables.forget(tableOf(place));
        throw error;
      }
    },

    /** Renames the staging table of a segment, so that a late worker does not find it. Returns undefined if there is none. */
    async seal(segmentId: number): Promise<SealedTable | undefined> {
      const name = `a${segmentId}_${randomBytes(6).toString('hex')}`;
      await runAll(clickhouse, tables.ddl.rename(`u${segmentId}`, name)).catch((error: unknown) => {
        if (!isUnknownTable(error)) throw error;
      });
      // If a table with all rows was sealed before, a late chunk may have created this one.
      const sealed = await Promise.all((await listSealed(segmentId)).map(countSealed));
      return sealed.sort((one, other) => other.rows - one.rows)[0];
    },

    /** Adds the rows of a sealed table to the own table. Idempotent. */
    async promote({ segment, place }: Target, sealed: string): Promise<void> {
      await tables.alignColumns(sealed, place);
      await runAll(clickhouse, tables.ddl.replaceSegment(tableOf(place), segment, sealed));
    },

    async dropStaging(segmentId: number): Promise<void> {
      staged.delete(segmentId);
      doubtful.delete(segmentId);
      for (const name of [`u${segmentId}`, ...(await listSealed(segmentId))])
        await runAll(clickhouse, tables.ddl.dropTable(name, 'SYNC'));
    },

    /** Segments with a staging table. */
    async listStaging(): Promise<number[]> {
      const names = await tableNames(clickhouse, '^(u[0-9]+|a[0-9]+(_[0-9a-f]+)?)$');
      return [...new Set(names.map((name) => Number.parseInt(name.slice(1), 10)))];
    },
  };
};
