import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable, Transform } from 'node:stream';
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { createTailGuard, exceptionTagHeader } from './exception-tail.js';
import { type BoundValues, buildQueryForm } from './query-form.js';
import { readError, storeUnavailable, timeLimitReached } from './read-errors.js';
import { baseReadSettings, type ReadSettings } from './read-settings.js';
import { pipeToSlowReader } from './slow-reader-pipe.js';

export interface ReadQuery {
  /** A SELECT with its FORMAT; values only as `{name:Type}`. */
  readonly sql: string;
  readonly values: BoundValues;
  /** Beside those every read is sent with. */
  readonly settings?: ReadSettings;
  /** Shows up in ClickHouse's logs and `system.processes`. */
  readonly queryId: string;
  /** Ends the query, wherever it is. */
  readonly signal?: AbortSignal;
}

/** Reads of rows: bytes as ClickHouse formats them, never silently cut. */
export interface Reader {
  readonly database: string;
  /**
   * Starts a query and resolves when its first bytes are there. Failures up to then reject with an AppError;
   * a later one ends the stream with an AppError: what was read until then is not the whole answer.
   * Destroying the stream cancels the query.
   */
  open(query: ReadQuery): Promise<Readable>;
  /** Runs a query `FORMAT JSONEachRow` whose answer is small. */
  facts<T>(query: ReadQuery): Promise<T[]>;
  close(): void;
}

export interface ReaderOptions {
  /** HTTP address; user and password may stand in it. */
  readonly url: string;
  readonly database: string;
  /** Most seconds that a query may keep its reader waiting, all waits together. */
  readonly maxWaitSeconds: number;
  readonly maxMemoryBytes: number;
  readonly log: Log;
}

/** How often the time a query has taken is looked at. */
const tickMs = 100;

export const createReader = (options: ReaderOptions): Reader => {
  const { database, log, maxWaitSeconds } = options;
  const target = new URL(options.url);
  const secure = target.protocol === 'https:';
  const agentOptions = { keepAlive: true, scheduling: 'lifo' as const, timeout: 2_500 };
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const settings = baseReadSettings(maxWaitSeconds, options.maxMemoryBytes);
  const credentials: Record<string, string> =
    target.username === ''
      ? {}
      : {
          'x-clickhouse-user': decodeURIComponent(target.username),
          'x-clickhouse-key': decodeURIComponent(target.password),
        };

  const send = (query: ReadQuery, again = false): Promise<IncomingMessage> => {
    const form = buildQueryForm(query.sql, query.values);
    const search = new URLSearchParams({ database, query_id: query.queryId });
    for (const [name, value] of Object.entries({ ...settings, ...query.settings })) {
      search.set(name, String(value));
    }
    for (const [name, text] of form.search) search.set(name, text);
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(
        {
          host: target.hostname,
          port: target.port || (secure ? 443 : 80),
          path: `${target.pathname}?${search}`,
          method: 'POST',
          agent,
          headers: { ...credentials, 'content-type': form.contentType, 'content-length': form.body.length },
          ...(query.signal === undefined ? {} : { signal: query.signal }),
        },
        resolve,
      );
      request.once('error', (error: NodeJS.ErrnoException) => {
        // A kept-alive socket may be closed by the server just as a request is written to it. The query then
        // never ran.
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (stale && !again && query.signal?.aborted !== true) send(query, true).then(resolve, reject);
        else reject(error);
      });
      request.end(form.body);
    });
  };

  /** The response head; its body is not limited in time here. */
  const answerInTime = async (query: ReadQuery): Promise<IncomingMessage> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxWaitSeconds * 1_000);
    const signal = query.signal === undefined ? late.signal : AbortSignal.any([query.signal, late.signal]);
    try {
      return await send({ ...query, signal });
    } catch (error) {
      query.signal?.throwIfAborted();
      throw late.signal.aborted ? timeLimitReached(error) : storeUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };

  const open = async (query: ReadQuery): Promise<Readable> => {
    const startedAt = Date.now();
    const response = await answerInTime(query);
    if (response.statusCode !== 200) {
      const error = readError(await textOf(response), headerOf(response, 'x-clickhouse-exception-code'));
      log.warn({ queryId: query.queryId, code: error.code, err: error.cause }, 'query refused');
      throw error;
    }
    const guard = createTailGuard({ tag: headerOf(response, exceptionTagHeader), failure: readError });
    limitWaits(guard, maxWaitSeconds * 1_000 - (Date.now() - startedAt));
    guard.on('error', (error) => {
      if (query.signal?.aborted) return;
      log.warn({ queryId: query.queryId, err: error, cause: error.cause }, 'query broken off');
    });
    pipeToSlowReader(response, guard);
    await firstBytes(guard);
    return guard;
  };

  return {
    database,
    open,
    async facts<T>(query: ReadQuery): Promise<T[]> {
      const text = await textOf(await open(query));
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T);
    },
    close: () => agent.destroy(),
  };
};

const headerOf = (response: IncomingMessage, name: string): string | undefined => {
  const value = response.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const textOf = async (stream: Readable): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** Destroys the stream when its reader has waited for ClickHouse longer than allowed, all waits together. */
const limitWaits = (guard: Transform, budgetMs: number): void => {
  let leftMs = budgetMs;
  const timer = setInterval(() => {
    const readerIsSlow = guard.writableNeedDrain || guard.readableLength > 0;
    if (!readerIsSlow) leftMs -= tickMs;
    if (leftMs <= 0) guard.destroy(timeLimitReached(new Error('time limit of the reader')));
  }, tickMs);
  timer.unref();
  guard.once('close', () => clearInterval(timer));
};

/** Resolves at the first byte or the proper end, rejects when the stream fails before. */
const firstBytes = (stream: Readable): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void) => (): void => {
      stream.off('readable', onReadable);
      stream.off('error', onError);
      stream.off('close', onClose);
      act();
    };
    const onReadable = settle(resolve);
    let failure: Error | undefined;
    const onError = (error: Error): void => {
      failure = error;
      settle(() => reject(asReadError(error)))();
    };
    const onClose = settle(() => (failure === undefined ? resolve() : reject(asReadError(failure))));
    stream.once('readable', onReadable);
    stream.once('error', onError);
    stream.once('close', onClose);
  });

const asReadError = (error: Error): Error => (isAppError(error) ? error : storeUnavailable(error));
