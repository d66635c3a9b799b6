/**
 * Joins a run of segments into one, inside of ClickHouse: the same rows, in the same order, in one partition.
 *
 * Positions: each segment is moved behind the ones before it, gaps included. Every column of the table is copied,
 * whichever versions name it. The copy is compared with the run before anybody may read it.
 */
import type { Log } from '../../lib/log.js';
import { backgroundSettings } from './background-settings.js';
import type { ClickHouse, QuerySettings } from './client.js';
import { fingerprintRows, fingerprintSegment } from './segment-fingerprint.js';
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

/** One copy at a time writes, in blocks of a bounded size; the same rows are never taken for a repetition. */
const insertSettings: QuerySettings = {
  max_insert_threads: '1',
  insert_deduplicate: 0,
  async_insert: 0,
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(1024 ** 3 / 8),
};

export const createSegmentCopier = ({
  clickhouse,
  log,
}: {
  clickhouse: ClickHouse;
  log: Log;
}): SegmentCopier => {
  const { database } = clickhouse;

  const columnsOf = async (storeId: number): Promise<string[]> => {
    const rows = await clickhouse.rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND name NOT IN ('_seg', '_row') ORDER BY position`,
      { params: { database, table: tableName(storeId) } },
    );
    return rows.map(({ name }) => name);
  };

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
      const names = columns.map((name) => `, ${name}`).join('');
      const joined = await layOut(table, segmentIds);
      const settings = { ...backgroundSettings(columns.length), ...insertSettings };
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

      const before = await fingerprintRows(
        clickhouse,
        { storeId, columns, position, where: '_seg IN {run:Array(UInt64)}', params },
        signal,
      );
      const after = await fingerprintSegment(clickhouse, storeId, target, columns, signal);
      if (before.hash !== after.hash || before.rows !== joined.rows || after.rows !== joined.rows)
        throw new Error(
          `segment ${target} differs from what it was made of: ${after.rows} rows of ${joined.rows}, hash ${after.hash} of ${before.hash}`,
        );
      return joined;
    },
  };
};
