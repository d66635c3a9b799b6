/**
 * Writes the joined segment of a compaction. Segments are joined only with the rows and the hashes that PostgreSQL has of them: otherwise a
 * value that was altered on disk would get a recorded hash of its own, and nothing would find it any more.
 */
import type { Log } from '../lib/log.js';
import type {
  ClickHouseServers,
  Connection,
  QueryParams,
  StatementOptions,
} from '../storage/clickhouse/client.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { CopyDiffers, insertRows, maxOrderedColumns, type Target, valueColumns } from './copy.js';
import { addHashes, type HashedSegment, hashRows } from './hash.js';
import { latestOf, patchMask } from './patches.js';
import { insideOf, statedTable } from './place.js';
import type { JoinedRows, ListedSegment } from './runs.js';
import { backgroundSettings, copySettings } from './statement-settings.js';

/** Segments that do not have the rows with which they were published. */
export class SourcesDiffer extends Error {
  constructor(readonly segmentIds: readonly number[]) {
    super(`${segmentIds.length} segments differ from their records, first ${segmentIds[0]}`);
  }
}

/** A segment to join, according to PostgreSQL. */
export type JoinedSegment = Pick<ListedSegment, 'id' | 'rows' | 'patch' | 'hash'>;

/**
 * Joins segments of one place into one, with the same rows at the same positions and every column of their table. A run of patches
 * becomes the latest row of each position, including tombstones; patches with bases become the rows of the version.
 * @throws SourcesDiffer before the first row is written
 * @throws CopyDiffers
 */
export type Join = (run: readonly JoinedSegment[], target: Target, stop: AbortSignal) => Promise<JoinedRows>;

export interface JoinerOptions {
  readonly clickhouse: ClickHouseServers;
  readonly log: Log;
}

/** Also finds rows that are not read, such as those on a shard that was removed from the cluster: they would be lost for good. */
const requireRecorded = (run: readonly JoinedSegment[], sources: readonly HashedSegment[]): void => {
  const found = new Map(sources.map((source) => [source.segmentId, source]));
  const differing = run.filter(({ id, rows, hash }) => {
    const source = found.get(id);
    return (source?.rows ?? 0) !== rows || (source !== undefined && source.hash !== (hash ?? source.hash));
  });
  if (differing.length > 0) throw new SourcesDiffer(differing.map(({ id }) => id));
};

/** Number of rows and hash of several segments. */
const totalOf = (segments: readonly HashedSegment[]) => ({
  rows: segments.reduce((sum, { rows }) => sum + rows, 0),
  hash: addHashes(segments.map(({ hash }) => hash)),
});

export const createJoin = ({ clickhouse: servers, log }: JoinerOptions): Join => {
  const { database } = servers;

  /** Kills the statement on the server: closing the connection does not end it. */
  const cancellable = async (
    clickhouse: Connection,
    queryId: string,
    signal: AbortSignal,
    work: (options: StatementOptions) => Promise<void>,
  ): Promise<void> => {
    const cancel = (): void => {
      clickhouse
        .command('KILL QUERY WHERE query_id = {queryId:String} ASYNC', { params: { queryId } })
        .catch((error: unknown) => log.warn({ err: error, queryId }, 'copy not cancelled'));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await work({ queryId, signal });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  return async (run, target, signal) => {
    const clickhouse = servers.at(insideOf(target.place));
    const columns = await valueColumns(servers, target.place);
    const table = statedTable(database, target.place);
    const stored = `FROM ${table} WHERE _seg IN {run:Array(UInt64)}`;
    const segmentIds = run.map(({ id }) => id);
    const patches = run.filter(({ patch }) => patch).map(({ id }) => id);
    const mask = patchMask(table, { segmentIds, patches }, 'run');
    const isPatch = patches.length === run.length;
    const condition = isPatch ? latestOf(stored) : mask?.sql;
    const from = condition === undefined ? stored : `${stored} AND ${condition}`;
    const params = { run: segmentIds, ...mask?.values };
    const hash = (rows: string, values: QueryParams) => hashRows(clickhouse, columns, rows, values, signal);

    // Read before all rows of the sources, so that rows that are damaged in between are noticed.
    const visible = condition === undefined ? undefined : await hash(from, params);
    const sources = await hash(stored, { run: segmentIds });
    requireRecorded(run, sources);

    // Unsorted, rows of patches would follow those of bases: parts would overlap, and every ordered read would have to merge them.
    const ordered = patches.length > 0 && !isPatch && columns.length <= maxOrderedColumns;
    const low = await lowPriority(clickhouse);
    await cancellable(clickhouse, `compaction/${target.segment}`, signal, (options) =>
      insertRows(
        clickhouse,
        {
          target,
          columns,
          sets: [{ from, values: columns, ordered }],
          params,
          settings: { ...backgroundSettings(columns.length), ...copySettings, ...low },
        },
        options,
      ),
    );

    const expected = totalOf(visible ?? sources);
    const copy = totalOf(
      await hash(`FROM ${table} WHERE _seg = {target:UInt64}`, { target: target.segment }),
    );
    if (copy.rows !== expected.rows || copy.hash !== expected.hash)
      throw new CopyDiffers(
        `segment ${target.segment} differs from its sources: ${copy.rows} rows instead of ${expected.rows}, hash ${copy.hash} instead of ${expected.hash}`,
      );
    return copy;
  };
};
