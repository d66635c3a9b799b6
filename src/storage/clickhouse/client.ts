import { Readable } from 'node:stream';
import { ClickHouseError, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { AppError } from '../../lib/errors.js';

export type QuerySettings = ClickHouseSettings;
export type QueryParams = Readonly<Record<string, unknown>>;

export interface StatementOptions {
  readonly params?: QueryParams;
  readonly settings?: QuerySettings;
  /** Shows up in ClickHouse's logs and `system.processes`. */
  readonly queryId?: string;
  readonly signal?: AbortSignal;
}

export interface ClickHouse {
  readonly database: string;
  /** Runs a statement that answers nothing (DDL). */
  command(sql: string, options?: StatementOptions): Promise<void>;
  /** Runs a query and gives its rows as objects; for facts about data, never for data itself. */
  rows<T>(sql: string, options?: StatementOptions): Promise<T[]>;
  /** Runs `INSERT … FORMAT …` with the bytes as its data. */
  insert(sql: string, data: readonly Buffer[], options?: StatementOptions): Promise<void>;
  /** Runs a query with a FORMAT of its own and gives the raw answer. */
  stream(sql: string, options?: StatementOptions): Promise<RawAnswer>;
  /** True when the server answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface RawAnswer {
  readonly body: Readable;
  readonly queryId: string;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ClickHouseOptions {
  /** HTTP address; user and password may stand in it. */
  readonly url: string;
  readonly database: string;
  readonly maxConnections?: number;
}

/** What a broken connection or a server that starts or stops answers with. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
]);

/**
 * Exceptions that say "not now": too many queries or parts, memory, disk, time, ZooKeeper, shutting down.
 * Numbers: ClickHouse, src/Common/ErrorCodes.cpp.
 */
const passingExceptions = new Set([
  '159',
  '160',
  '202',
  '210',
  '209',
  '225',
  '236',
  '241',
  '242',
  '243',
  '252',
  '319',
  '394',
  '999',
]);

export const isClickHouseException = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError;

/** What the operating system lacks, said under whatever code the failed call has. */
const exhausted = /No space left on device|Disk quota exceeded|Too many open files/;

/** True when the same statement may succeed later without any change. */
export const isPassing = (error: unknown): boolean => {
  if (isClickHouseException(error)) return passingExceptions.has(error.code) || exhausted.test(error.message);
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && connectionCodes.has(code)) return true;
  return /socket hang up|timeout|aborted|premature/i.test(error.message);
};

const unavailable = (error: unknown): unknown =>
  !isClickHouseException(error) && isPassing(error)
    ? new AppError('unavailable', 'store_unavailable', 'The data store does not answer at the moment.', {
        cause: error,
        retryAfterSeconds: 5,
      })
    : error;

export const createClickHouse = ({ url, database, maxConnections = 32 }: ClickHouseOptions): ClickHouse => {
  const client = createClient({
    url,
    application: 'tabulary',
    max_open_connections: maxConnections,
    request_timeout: 3_600_000,
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
    log: { level: 127 },
  });

  const common = ({ params, settings, queryId, signal }: StatementOptions) => ({
    ...(params === undefined ? {} : { query_params: { ...params } }),
    ...(settings === undefined ? {} : { clickhouse_settings: settings }),
    ...(queryId === undefined ? {} : { query_id: queryId }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
  });

  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw unavailable(error);
    }
  };

  return {
    database,
    command: (sql, options = {}) =>
      translated(async () => {
        await client.command({ query: sql, ...common(options) });
      }),
    rows: <T>(sql: string, options: StatementOptions = {}) =>
      translated(async () => {
        const answer = await client.query({ query: sql, format: 'JSONEachRow', ...common(options) });
        return answer.json<T>();
      }),
    insert: (sql, data, options = {}) =>
      translated(async () => {
        const { stream } = await client.exec({
          query: sql,
          values: Readable.from(data, { objectMode: false }),
          ...common(options),
        });
        for await (const _ of stream) {
          // An insert answers nothing; reading to the end frees the connection.
        }
      }),
    stream: (sql, options = {}) =>
      translated(async () => {
        const answer = await client.exec({ query: sql, ...common(options) });
        return { body: answer.stream, queryId: answer.query_id, headers: answer.response_headers };
      }),
    async ping() {
      const answer = await client.ping();
      return answer.success;
    },
    close: () => client.close(),
  };
};
