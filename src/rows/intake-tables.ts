/**
 * What takes the chunks of uploads: a pool, or a table for one segment alone (`u<segmentId>`), whose rows are handed over
 * when all of them are there. It has a deduplication log, which the tables of stores do without
 * (docs/adr/0027-upload-tables.md).
 */
import { randomBytes } from 'node:crypto';
import type { NamedColumn } from '../model/column.js';
import type { Place } from '../model/version.js';
import type { Connection, QuerySettings } from '../storage/clickhouse/client.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import { poolPartitions, runAll } from './ddl.js';
import { isPooled, poolName, storedAs, tableOf } from './place.js';
import { type ServerTables, tableNames } from './server-tables.js';
import type { PoolClass } from './slots.js';

/** Of one server. */
export interface IntakeTables {
  /** Makes the table that takes the chunks of a segment: the pool, or one for this segment alone. */
  ensureIntake(placement: Place, segmentId: number, columns: readonly NamedColumn[]): Promise<void>;
  /** Inserts one block in `Native` format. `token` names the chunk: the same token adds nothing. */
  insertBlock(insert: BlockInsert): Promise<void>;
  /**
   * Inserts blocks of several segments into a pool, all in one statement. `token` names them all: repeated with the same
   * blocks it adds nothing. The columns of the blocks may differ.
   */
  insertBlocks(insert: BlocksInsert): Promise<void>;
  /**
   * Inserts blocks of several segments into the table of their store, all in one statement. That table forgets what it was given:
   * whatever comes of it, it must not be repeated.
   */
  appendBlocks(append: BlocksAppend): Promise<void>;
  /** Closes the table of a segment for inserts: whoever comes late finds none. Undefined without such a table. */
  closeIntake(segmentId: number): Promise<ClosedIntake | undefined>;
  /** Hands the rows of a closed table to the table of their store; the same when repeated. */
  handOver(placement: Place, segmentId: number, closed: string): Promise<void>;
  /** Removes what took the chunks of a segment. Idempotent. */
  dropIntake(segmentId: number): Promise<void>;
  /** Segments that have a table of their own for their chunks. */
  listIntakes(): Promise<number[]>;
}

export interface ClosedIntake {
  /** Its name, which no other table gets: what is handed over is what was counted. */
  readonly table: string;
  readonly rows: number;
}

export interface BlockInsert {
  readonly placement: Place;
  readonly segmentId: number;
  readonly columns: readonly NamedColumn[];
  readonly block: readonly Buffer[];
  readonly rows: number;
  readonly token: string;
  readonly queryId: string;
}

export interface BlocksInsert {
  readonly pool: PoolClass;
  /** Names of the slots that any of the blocks fills. */
  readonly slots: readonly string[];
  /** Each with names of its own; ordered by segment. */
  readonly blocks: readonly Buffer[];
  /** Of all blocks together. */
  readonly rows: number;
  readonly token: string;
  readonly queryId: string;
}

export interface BlocksAppend extends Omit<BlocksInsert, 'pool' | 'slots' | 'token'> {
  readonly placement: Place;
  /** All that any of the blocks has. */
  readonly columns: readonly NamedColumn[];
}

/** Settings that make one block one part. */
const blockSettings = (rows: number): QuerySettings => ({
  async_insert: 0,
  // Never cut or join blocks: sizes above whatever one chunk can hold.
  max_insert_block_size: String(Math.max(rows, 1) + 1),
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  max_partitions_per_insert_block: '1',
  input_format_parallel_parsing: 0,
  optimize_on_insert: 0,
  max_query_size: '16777216',
});

/** The same, once. */
const insertSettings = (rows: number, token: string): QuerySettings => ({
  ...blockSettings(rows),
  insert_deduplicate: 1,
  insert_deduplication_token: token,
});

export interface IntakeTableOptions {
  /** Longest that one block may take; a connection whose other end has gone says nothing for ever. */
  readonly insertTimeoutMs?: number;
}

export const createIntakeTables = (
  clickhouse: Connection,
  tables: ServerTables,
  { insertTimeoutMs = 600_000 }: IntakeTableOptions = {},
): IntakeTables => {
  const { database } = clickhouse;
  /** The segments whose tables were made last. */
  const intakes = new Set<number>();
  /** Those of them that an insert was refused by. */
  const doubted = new Set<number>();

  const listClosed = (segmentId: number): Promise<string[]> =>
    tableNames(clickhouse, `^a${segmentId}(_[0-9a-f]+)?$`);

  const countClosed = async (table: string): Promise<ClosedIntake> => {
    const [counted] = await clickhouse.rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM ${database}.${table}`,
    );
    return { table, rows: Number(counted?.n) };
  };

  const makeIntake = async (
    placement: Place,
    segmentId: number,
    columns: readonly NamedColumn[],
  ): Promise<void> => {
    await tables.ensure(placement, columns);
    await tables.createUpload(`u${segmentId}`, placement, columns.length);
  };

  return {
    async ensureIntake(placement, segmentId, columns) {
      if (isPooled(placement)) return tables.ensure(placement, columns);
      if (intakes.has(segmentId)) return;
      try {
        await makeIntake(placement, segmentId, columns);
      } catch (error) {
        // Another process has dropped the table of the store since this one made it: all of its rows had gone to a pool.
        if (!isUnknownTable(error)) throw error;
        tables.forget(tableOf(placement));
        await makeIntake(placement, segmentId, columns);
      }
      // It may have been made like a table that had been dropped and made anew, with other columns.
      if (doubted.delete(segmentId)) await tables.alignColumns(`u${segmentId}`, placement);
      if (intakes.size >= 100) intakes.clear();
      intakes.add(segmentId);
    },

    async insertBlock({ placement, segmentId, columns, block, rows, token, queryId }) {
      const table = isPooled(placement) ? tableOf(placement) : `u${segmentId}`;
      const names = ['_seg', '_row', ...columns.map((column) => storedAs(column, placement).name)].join(', ');
      try {
        await clickhouse.insert(`INSERT INTO ${database}.${table} (${names}) FORMAT Native`, block, {
          settings: insertSettings(rows, token),
          queryId,
          signal: AbortSignal.timeout(insertTimeoutMs),
        });
      } catch (error) {
        // The table may have been dropped or restored behind our back: look again before the next try.
        tables.forget(tableOf(placement));
        intakes.delete(segmentId);
        if (doubted.size >= 1_000) doubted.clear();
        if (!isPooled(placement)) doubted.add(segmentId);
        throw error;
      }
    },

    async insertBlocks({ pool, slots, blocks, rows, token, queryId }) {
      await tables.ensurePool(pool);
      const names = ['_seg', '_row', ...slots].join(', ');
      const settings = {
        ...insertSettings(rows, token),
        // The blocks become one, cut by partition alone.
        min_insert_block_size_rows: String(rows),
        max_partitions_per_insert_block: String(poolPartitions),
      };
      try {
        await clickhouse.insert(
          `INSERT INTO ${database}.${poolName(pool)} (${names}) FORMAT Native`,
          blocks,
          { settings, queryId, signal: AbortSignal.timeout(insertTimeoutMs) },
        );
      } catch (error) {
        tables.forget(poolName(pool));
        throw error;
      }
    },

    async appendBlocks({ placement, columns, blocks, rows, queryId }) {
      const names = ['_seg', '_row', ...columns.map((column) => storedAs(column, placement).name)].join(', ');
      try {
        await tables.ensure(placement, columns);
        await clickhouse.insert(
          `INSERT INTO ${database}.${tableOf(placement)} (${names}) FORMAT Native`,
          blocks,
          {
            settings: {
              ...blockSettings(rows),
              min_insert_block_size_rows: String(rows),
              // Each segment is a partition.
              max_partitions_per_insert_block: '0',
            },
            queryId,
            signal: AbortSignal.timeout(insertTimeoutMs),
          },
        );
      } catch (error) {
        tables.forget(tableOf(placement));
        throw error;
      }
    },

    async closeIntake(segmentId) {
      const name = `a${segmentId}_${randomBytes(6).toString('hex')}`;
      await runAll(clickhouse, tables.ddl.rename(`u${segmentId}`, name)).catch((error: unknown) => {
        if (!isUnknownTable(error)) throw error;
      });
      // Others may have closed one before, and a chunk that came late made this one, of which they have all rows.
      const closed = await Promise.all((await listClosed(segmentId)).map(countClosed));
      return closed.sort((one, other) => other.rows - one.rows)[0];
    },

    async handOver(placement, segmentId, closed) {
      await tables.alignColumns(closed, placement);
      await runAll(clickhouse, tables.ddl.replaceSegment(tableOf(placement), segmentId, closed));
    },

    async dropIntake(segmentId) {
      intakes.delete(segmentId);
      doubted.delete(segmentId);
      for (const name of [`u${segmentId}`, ...(await listClosed(segmentId))])
        await runAll(clickhouse, tables.ddl.dropTable(name, 'SYNC'));
    },

    async listIntakes() {
      return [
        ...new Set(
          (await tableNames(clickhouse, '^(u[0-9]+|a[0-9]+(_[0-9a-f]+)?)$')).map((name) =>
            Number.parseInt(name.slice(1), 10),
          ),
        ),
      ];
    },
  };
};
