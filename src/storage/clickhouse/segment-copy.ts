/**
 * Joins a run of segments into one, inside of ClickHouse: the same rows, in the same order, in one partition.
 *
 * Positions: each segment is moved behind the ones before it, gaps included. Every column of the table is copied,
 * whichever versions name it. The copy is compared with the run before anybody may read it.
 */
import type { Log } from '../../lib/log.js';
import type { ClickHouse, QuerySettings } from './client.js';
import { tableName } from './store-table.js';

export interface SegmentRun {
  readonly storeId: number;
  /** In reading order. */
  readonly segmentIds: readonly number[];
  /** The segment to write. */
  readonly target: number;
}

/** Where the rows of a run stand in the joined segment. */
export interface JoinedSegment {
  /** First position of each segment of the run; one more at the end: the first position behind all of them. */
  readonly starts: readonly number[];
  readonly rows: number;
}

export interface SegmentCopier {
  /** @throws Error when the copy is not what the run was; nobody names it then. */
  join(run: SegmentRun, signal: AbortSignal): Promise<JoinedSegment>;
}

const gib = 1024 ** 3;

/** Cells of one block, so that thousands of columns take no more memory than a few. */
const cellsPerBlock = 1_048_576;

/** In the background: one thread, bounded memory. */
const settingsFor = (columns: number): QuerySettings => ({
  max_threads: 1,
  max_insert_threads: '1',
  max_memory_usage: String(2 * gib),
  insert_deduplicate: 0,
  async_insert: 0,
  max_block_size: String(Math.max(1_024, Math.min(65_536, Math.floor(cellsPerBlock / columns)))),
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
  max_execution_time: 0,
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

export const createSegmentCopier = ({
  clickhouse,
  log,
}: {
  clickhouse: ClickHouse;
  log: Log;
}): SegmentCopier => {
  const { database } = clickhouse;

  const columnsOf = (storeId: number): Promise<{ name: string }[]> =>
    clickhouse.rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND name NOT IN ('_seg', '_row') ORDER BY position`,
      { params: { database, table: tableName(storeId) } },
    );

  const layOut = async (table: string, segmentIds: readonly number[]): Promise<JoinedSegment> => {
    const found = await clickhouse.rows<{ seg: string; rows: string; next: string }>(
      `SELECT toString(_seg) AS seg, toString(count()) AS rows, toString(max(_row) + 1) AS next FROM ${table}
       WHERE _seg IN {run:Array(UInt64)} GROUP BY _seg`,
      { params: { run: segmentIds }, settings: { max_threads: 1 } },
    );
    const bySegment = new Map(found.map((row) => [Number(row.seg), row]));
    const starts = [0];
    for (const id of segmentIds) starts.push((starts.at(-1) ?? 0) + Number(bySegment.get(id)?.next ?? 0));
    return { starts, rows: found.reduce((sum, { rows }) => sum + Number(rows), 0) };
  };

  return {
    async join({ storeId, segmentIds, target }, signal) {
      const table = `${database}.${tableName(storeId)}`;
      const columns = await columnsOf(storeId);
      const names = columns.map(({ name }) => `, ${name}`).join('');
      const joined = await layOut(table, segmentIds);
      const settings = settingsFor(columns.length + 2);
      const params = { run: segmentIds, starts: joined.starts.slice(0, -1), target };
      const position = '_row + transform(_seg, {run:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';

      const queryId = `compaction/${target}`;
      const cancel = (): void => {
        // The connection is closed by the signal as well; the insert would go on without this.
        clickhouse
          .command('KILL QUERY WHERE query_id = {queryId:String} ASYNC', { params: { queryId } })
          .catch((error: unknown) => log.warn({ err: error, segment: target }, 'copy not cancelled'));
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await clickhouse.command(
          `INSERT INTO ${table} (_seg, _row${names})
           SELECT {target:UInt64}, ${position}${names} FROM ${table} WHERE _seg IN {run:Array(UInt64)}`,
          { params, settings, queryId, signal },
        );
      } finally {
        signal.removeEventListener('abort', cancel);
      }

      // Within a tuple null, zero and an empty text have hashes of their own.
      const printOf = async (place: string, where: string): Promise<string> => {
        const [row] = await clickhouse.rows<{ rows: string; hash: string }>(
          `SELECT toString(count()) AS rows, toString(sum(sipHash64(tuple(${place}${names})))) AS hash
           FROM ${table} WHERE ${where}`,
          { params, settings, signal },
        );
        return `${row?.rows} ${row?.hash}`;
      };
      const before = await printOf(position, '_seg IN {run:Array(UInt64)}');
      const after = await printOf('_row', '_seg = {target:UInt64}');
      if (before !== after || !before.startsWith(`${joined.rows} `))
        throw new Error(`segment ${target} differs from what it was made of: ${after}, not ${before}`);
      return joined;
    },
  };
};
