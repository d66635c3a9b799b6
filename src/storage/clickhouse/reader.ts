import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isAppError } from '../../lib/errors.js';
import { firstBytes } from '../../lib/first-bytes.js';
import type { Log } from '../../lib/log.js';
import { createTailGuard, exceptionTagHeader, limitWaits, pipeToSlowReader } from './answer-stream.js';
import { type ClickHouseServers, type Connection, firstShard, type ShardPlace } from './client.js';
import { readError, storeUnavailable, timeLimitReached } from './errors.js';
import { lowPriority } from './low-priority.js';
import { type BoundValues, buildQueryForm } from './query-form.js';
import type { RawAnswer, RawRequest } from './raw-requests.js';

export type ReadSettings = Readonly<Record<string, string | number>>;

export interface ReadQuery {
  /** A SELECT with its FORMAT. Values are bound only as `{name:Type}`. */
  readonly sql: string;
  readonly values: BoundValues;
  /** Shard of the rows. */
  readonly place: ShardPlace;
  /** Settings in addition to those of all reads. */
  readonly settings?: ReadSettings;
  /** True for a query that calculates for long: on a busy server, threads of other queries have priority. */
  readonly isHeavy?: boolean;
  /** Account or address whose heavy queries run one at a time; undefined: not limited. */
  readonly owner?: string | undefined;
  /** Visible in ClickHouse's logs and in `system.processes`. */
  readonly queryId: string;
  /** Id of the request, for the log. */
  readonly requestId?: string | undefined;
  /** Cancels the query at any time. */
  readonly signal?: AbortSignal;
}

/** Reads rows as bytes in a format of ClickHouse, which are never truncated silently. */
export interface Reader {
  readonly database: string;
  /**
   * Starts a query and resolves at its first bytes. Earlier failures reject with an AppError; a later one ends the stream with an AppError,
   * since the bytes read so far are not the whole answer. Destroying the stream cancels the query.
   */
  open(query: ReadQuery): Promise<Readable>;
  /** Runs a query `FORMAT JSONEachRow` with a small answer. */
  queryObjects<T>(query: ReadQuery): Promise<T[]>;
  /** The servers with rows of a place, each as a separate place. */
  serversOf<P extends ShardPlace>(place: P): (P & { readonly shard: number })[];
}

interface ReaderOptions {
  /** One connection per read; semaphores limit concurrent reads. */
  readonly servers: ClickHouseServers;
  /** Maximum seconds that a query may keep its reader waiting, over all waits. */
  readonly maxWaitSeconds: number;
  readonly maxMemoryBytes: number;
  readonly log: Log;
}

const secondsPerDay = 86_400;

/**
 * Sent with every read. A slow reader must not reach ClickHouse's own time limits, so time is measured here (see `limitWaits`), and the
 * server's limits are only a safety net.
 */
export const baseReadSettings = (maxWaitSeconds: number, maxMemoryBytes: number): ReadSettings => ({
  readonly: 2,
  cancel_http_readonly_queries_on_client_close: 1,
  wait_end_of_query: 0,
  http_write_exception_in_output_format: 0,
  send_progress_in_http_headers: 0,
  enable_http_compression: 0,
  max_execution_time: Math.max(secondsPerDay, maxWaitSeconds),
  timeout_overflow_mode: 'throw',
  max_memory_usage: maxMemoryBytes,
  max_bytes_before_external_sort: Math.floor(maxMemoryBytes / 3),
  max_bytes_before_external_group_by: Math.floor(maxMemoryBytes / 3),
  max_result_rows: 0,
  max_result_bytes: 0,
  max_query_size: 67_108_864,
  max_ast_depth: 10_000,
  max_ast_elements: 4_000_000,
  max_expanded_ast_elements: 8_000_000,
  max_parser_depth: 10_000,
  max_parser_backtracks: 10_000_000,
  optimize_read_in_order: 1,
  // Otherwise each thread's rows are collected before the first of them is sent: with 5 M filtered rows the first byte comes after 120 ms
  // instead of 25. It costs a filtered download about 5 % of its throughput.
  read_in_order_two_level_merge_threshold: 1,
  query_plan_remove_redundant_sorting: 0,
  // Users choose the names after AS, which must never hide a column of the table.
  prefer_column_name_to_alias: 1,
  transform_null_in: 0,
  precise_float_parsing: 1,
});

export const createReader = (options: ReaderOptions): Reader => {
  const { servers, log, maxWaitSeconds } = options;
  const settings = baseReadSettings(maxWaitSeconds, options.maxMemoryBytes);

  const requestOf = async (
    query: ReadQuery,
    clickhouse: Connection,
    signal: AbortSignal,
  ): Promise<RawRequest> => {
    const priority = query.isHeavy ? await lowPriority(clickhouse, 'heavyQuery') : {};
    const { body, contentType, search } = buildQueryForm(query.sql, query.values);
    return {
      body,
      contentType,
      search: { ...settings, ...priority, ...query.settings, ...Object.fromEntries(search) },
      queryId: query.queryId,
      signal,
    };
  };

  /** The head of the answer. The time of its body is not limited here. */
  const answerInTime = async (query: ReadQuery): Promise<RawAnswer> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxWaitSeconds * 1_000);
    const signal = query.signal === undefined ? late.signal : AbortSignal.any([query.signal, late.signal]);
    const clickhouse = servers.at(query.place);
    const { requestId, queryId, sql } = query;
    log.debug({ requestId, queryId, sql }, 'query sent');
    try {
      const request = await requestOf(query, clickhouse, signal);
      return await clickhouse.send(request).catch((error: unknown) => {
        // The server may close an idle connection just when a request is written to it: the query never ran.
        if (signal.aborted || !isStale(error)) throw error;
        return clickhouse.send(request);
      });
    } catch (error) {
      query.signal?.throwIfAborted();
      throw late.signal.aborted ? timeLimitReached(error) : storeUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };

  const open = async (query: ReadQuery): Promise<Readable> => {
    const startedAt = Date.now();
    const answer = await answerInTime(query);
    if (answer.status !== 200) {
      const error = readError(await text(answer.body), headerOf(answer, 'x-clickhouse-exception-code'));
      log.warn({ queryId: query.queryId, code: error.code, err: error.cause }, 'query refused');
      throw error;
    }
    const guard = createTailGuard({ tag: headerOf(answer, exceptionTagHeader), failure: readError });
    limitWaits(guard, maxWaitSeconds * 1_000 - (Date.now() - startedAt), () =>
      timeLimitReached(new Error('time limit of the reader')),
    );
    guard.on('error', (error) => {
      if (query.signal?.aborted) return;
      log.warn({ queryId: query.queryId, err: error, cause: error.cause }, 'query broken off');
    });
    endWith(guard, query.signal);
    pipeToSlowReader(answer.body, guard);
    await firstBytes(guard).catch((error: Error) => {
      throw isAppError(error) ? error : storeUnavailable(error);
    });
    return guard;
  };

  return {
    database: servers.database,
    open,
    serversOf: (place) => {
      const { shard = firstShard } = place;
      const numbers = shard === null ? servers.shards.map(({ number }) => number) : [shard];
      return numbers.map((number) => ({ ...place, shard: number }));
    },
    async queryObjects<T>(query: ReadQuery): Promise<T[]> {
      return (await text(await open(query)))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T);
    },
  };
};

const isStale = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException | null)?.code));

/** Destroys the stream, and so cancels the query, when the signal is aborted. */
const endWith = (stream: Readable, signal: AbortSignal | undefined): void => {
  if (signal === undefined) return;
  const end = (): void => {
    stream.destroy(signal.reason as Error);
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', end));
};

const headerOf = ({ headers }: RawAnswer, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};
