/**
 * Copies of segments that ClickHouse makes, without a row leaving it.
 *
 *   join    a run of segments into one: the same rows, in the same order, each segment moved behind the ones before
 *           it, gaps included. Every column of the table is copied, whichever versions name it.
 *   move    segments of a table of their own into a pool, or out of one.
 *
 * A copy is compared with what it was made of before anybody may read it. It is written into a segment of its own, so
 * work that died leaves nothing but a segment that nobody names.
 */
import type { Log } from '../lib/log.js';
import type { NamedColumn, Placement } from '../model/placement.js';
import {
  anyShardOf,
  type ClickHouseServers,
  type Connection,
  type QuerySettings,
} from '../storage/clickhouse/client.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { sourceOf, statedTable, storedAs, tableOf, writtenAs } from './places.js';
import { backgroundSettings, copySettings, fingerprintRows, requireEqualRows } from './segments.js';

export interface SegmentRun {
  readonly placement: Placement;
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
  /**
   * Copies segments from one table into another, under their own numbers.
   * @throws Error when the copy is not what they were.
   */
  move(move: SegmentMove, signal: AbortSignal): Promise<void>;
}

export interface SegmentMove {
  readonly from: Placement;
  readonly segmentIds: readonly number[];
  /** On the same shard, or spread as well. */
  readonly target: Placement;
  /** All columns that the segments have. */
  readonly columns: readonly NamedColumn[];
  /** Rows of all segments together. */
  readonly rows: number;
}

export const createSegmentCopier = ({
  clickhouse: servers,
  log,
}: {
  clickhouse: ClickHouseServers;
  log: Log;
}): SegmentCopier => {
  const { database } = servers;

  const columnsOf = async (place: Placement): Promise<string[]> => {
    const rows = await anyShardOf(servers, place).rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND name NOT IN ('_seg', '_row') ORDER BY position`,
      { params: { database, table: tableOf(place) } },
    );
    return rows.map(({ name }) => name);
  };

  /** The connection is closed by the signal as well; the statement would go on without this. */
  const cancellable = async (
    clickhouse: Connection,
    queryId: string,
    signal: AbortSignal,
    run: (queryId: string) => Promise<void>,
  ): Promise<void> => {
    const cancel = (): void => {
      clickhouse
        .command('KILL QUERY WHERE query_id = {queryId:String} ASYNC', { params: { queryId } })
        .catch((error: unknown) => log.warn({ err: error, queryId }, 'copy not cancelled'));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await run(queryId);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  const layOut = async (
    clickhouse: Connection,
    table: string,
    segmentIds: readonly number[],
    low: QuerySettings,
  ): Promise<JoinedSegment> => {
    const found = await clickhouse.rows<{ seg: string; rows: string; next: string }>(
      `SELECT toString(_seg) AS seg, toString(count()) AS rows, toString(max(_row) + 1) AS next FROM ${table}
       WHERE _seg IN {run:Array(UInt64)} GROUP BY _seg`,
      { params: { run: segmentIds }, settings: { max_threads: 1, ...low } },
    );
    const bySegment = new Map(found.map((row) => [Number(row.seg), row]));
    const starts = [0];
    for (const id of segmentIds) starts.push((starts.at(-1) ?? 0) + Number(bySegment.get(id)?.next ?? 0));
    return { starts, rows: found.reduce((sum, { rows }) => sum + Number(rows), 0) };
  };

  return {
    async join({ placement, segmentIds, target }, signal) {
      const clickhouse = servers.at(placement);
      const table = statedTable(database, placement);
      const columns = await columnsOf(placement);
      const names = columns.map((name) => `, ${name}`).join('');
      const low = await lowPriority(clickhouse);
      const joined = await layOut(clickhouse, table, segmentIds, low);
      const settings = { ...backgroundSettings(columns.length), ...copySettings, ...low };
      const params = { run: segmentIds, starts: joined.starts.slice(0, -1), target };
      const fromRun = `FROM ${table} WHERE _seg IN {run:Array(UInt64)}`;
      await cancellable(clickhouse, `compaction/${target}`, signal, (queryId) =>
        clickhouse.command(
          `INSERT INTO ${statedTable(database, placement)} (_seg, _row${names}) SELECT {target:UInt64}, ${movedRow}${names} ${fromRun}`,
          { params, settings, queryId, signal },
        ),
      );
      const fingerprint = (from: string, position: string) =>
        fingerprintRows(
          clickhouse,
          { parts: [{ from, position, values: columns }], params, settings: low },
          signal,
        );
      requireEqualRows(
        await fingerprint(fromRun, movedRow),
        await fingerprint(`FROM ${table} WHERE _seg = {target:UInt64}`, '_row'),
        joined.rows,
      );
      return joined;
    },

    async move({ from: place, segmentIds, target, columns, rows }, signal) {
      const clickhouse = servers.at(place, target);
      const low = await lowPriority(clickhouse);
      const source = sourceOf(database, place, columns);
      const params = { segments: segmentIds };
      const where = 'WHERE _seg IN {segments:Array(UInt64)}';
      const names = columns.map((column) => `, ${storedAs(column, target).name}`).join('');
      const values = columns.map((column) => `, ${writtenAs(column.name, column, target)}`).join('');
      await cancellable(clickhouse, `move/${target.storeId}`, signal, (queryId) =>
        clickhouse.command(
          `INSERT INTO ${statedTable(database, target)} (_seg, _row${names})
           SELECT _seg, _row${values} FROM ${source} ${where}`,
          {
            params,
            settings: {
              ...backgroundSettings(columns.length),
              ...copySettings,
              ...low,
              max_partitions_per_insert_block: '0',
            },
            queryId,
            signal,
          },
        ),
      );
      const fingerprint = (from: string) =>
        fingerprintRows(
          clickhouse,
          {
            parts: [
              {
                from: `FROM ${from} ${where}`,
                position: '_seg, _row',
                values: columns.map(({ name }) => name),
              },
            ],
            params,
            settings: low,
          },
          signal,
        );
      requireEqualRows(
        await fingerprint(source),
        await fingerprint(sourceOf(database, target, columns)),
        rows,
      );
    },
  };
};

const movedRow = '_row + transform(_seg, {run:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';
