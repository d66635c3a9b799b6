import { type AppError, isAppError, messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { orAborted } from '../../lib/or-aborted.js';
import { storableText } from '../../lib/well-formed.js';
import type { Context, Item, Provider } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ItemIndex } from './item-index.js';

/** Fills the search index from upstreams without a search, in the background, one upstream at a time. */
export interface Indexer {
  /** Adds the bundled lists. Sends no request. */
  seed(): Promise<void>;
  /**
   * Fills what is due, in one process at a time. Returns the slugs that were filled. When `stop` is aborted, the filling ends at the next
   * batch and stays due.
   */
  fillDue(stop?: AbortSignal): Promise<string[]>;
}

export interface IndexerOptions {
  readonly sql: Sql;
  readonly index: ItemIndex;
  readonly providers: readonly Provider[];
  /** Context for requests of the indexer. */
  readonly openContext: (provider: Provider) => Promise<Context>;
  readonly log: Log;
  readonly now: () => number;
}

interface Due {
  generation: number;
  failures: number;
}

const batchSize = 500;
const firstRetryMs = 600_000;
const longestRetryMs = 86_400_000;
/** Longest time before failed parts are requested again; the other parts come from the cache. */
const partsRetryMs = 6 * 3_600_000;

const begin = `
  INSERT INTO gateway_fillings AS filling (provider, generation, due_at) VALUES ($1, 1, $2)
  ON CONFLICT (provider) DO UPDATE SET generation = filling.generation + 1 WHERE filling.due_at <= $2
  RETURNING generation, failures`;
const succeed = `
  UPDATE gateway_fillings SET items = $2, filled_at = $3, due_at = $4, failures = 0, failed_parts = $5, last_error = $6
   WHERE provider = $1`;
const postpone = `UPDATE gateway_fillings SET due_at = $2 WHERE provider = $1`;
const fail = `
  UPDATE gateway_fillings SET failures = failures + 1, due_at = $2, last_error = $3 WHERE provider = $1`;

const batches = async function* (items: AsyncIterable<Item>): AsyncIterable<Item[]> {
  let batch: Item[] = [];
  try {
    for await (const item of items) {
      batch.push(item);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  } finally {
    // Items listed before a failure are kept.
    if (batch.length > 0) yield batch;
  }
};

/** The same, until `stop` is aborted: a request in flight is not awaited. */
const untilStopped = async function* <T>(items: AsyncIterable<T>, stop?: AbortSignal): AsyncGenerator<T> {
  if (stop === undefined) return yield* items;
  const iterator = items[Symbol.asyncIterator]();
  for (;;) {
    const next = await orAborted(() => iterator.next(), stop);
    if (next.done === true) return;
    yield next.value;
  }
};

/** The upstream, or the background share of the quota, requires a wait, which is not a failure of the listing. */
const isPause = (error: unknown): error is AppError =>
  isAppError(error) && (error.kind === 'rate_limited' || error.kind === 'unavailable');

/** Failed parts of one listing. */
interface PassedOver {
  count: number;
  last: string | null;
}

export const createIndexer = ({ sql, index, providers, openContext, log, now }: IndexerOptions): Indexer => {
  const fillOne = async (
    provider: Provider,
    generation: number,
    passed: PassedOver,
    stop?: AbortSignal,
  ): Promise<number> => {
    const filling = index.fill(provider.slug, generation);
    const opened = await openContext(provider);
    const skipPart = (part: string, error: unknown): boolean => {
      if (isPause(error) || stop?.aborted === true) return false;
      opened.skipPart?.(part, error);
      passed.count += 1;
      passed.last = storableText(`${part}: ${messageOf(error)}`, 500);
      return true;
    };
    const ctx = { ...opened, skipPart };
    let items = 0;
    try {
      for await (const batch of batches(untilStopped(provider.listAll?.(ctx) ?? emptyList(), stop))) {
        stop?.throwIfAborted();
        await filling.add(batch);
        items += batch.length;
      }
    } catch (error) {
      // A reply that could not be parsed must not be cached for the next attempt.
      if (!isPause(error) && stop?.aborted !== true) opened.skipPart?.('listing', error);
      throw error;
    }
    // An empty result is a fault, not an empty upstream.
    if (items === 0) throw new Error('the upstream listed nothing');
    // Items of a part that failed may still exist.
    if (passed.count === 0) await filling.finish();
    return items;
  };

  const fillIfDue = async (provider: Provider, stop?: AbortSignal): Promise<boolean> => {
    const startedAt = now();
    const [due] = await sql.query<Due>(begin, [provider.slug, new Date(startedAt)]);
    if (due === undefined) return false;
    const passed: PassedOver = { count: 0, last: null };
    try {
      const items = await fillOne(provider, due.generation, passed, stop);
      const validMs = provider.validity.structure * 1000;
      const next = now() + (passed.count === 0 ? validMs : Math.min(validMs, partsRetryMs));
      const values = [provider.slug, items, new Date(now()), new Date(next), passed.count, passed.last];
      await sql.query(succeed, values);
      log.info({ provider: provider.slug, items, ms: now() - startedAt }, 'search index filled');
      return true;
    } catch (error) {
      if (stop?.aborted === true) return false;
      if (isPause(error)) {
        const wait = Math.max(60, error.retryAfterSeconds ?? 0) * 1000;
        await sql.query(postpone, [provider.slug, new Date(now() + wait)]);
        log.info({ provider: provider.slug, reason: error.message, retryMs: wait }, 'search index waits');
        return false;
      }
      const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, due.failures));
      await sql.query(fail, [provider.slug, new Date(now() + wait), storableText(messageOf(error), 500)]);
      log.warn(
        { provider: provider.slug, reason: messageOf(error), retryMs: wait },
        'search index not filled',
      );
      return false;
    }
  };

  return {
    async seed() {
      for (const { slug, popularSeries } of providers) {
        await index.seed(slug, popularSeries);
      }
    },
    async fillDue(stop) {
      const filled: string[] = [];
      for (const provider of providers) {
        if (stop?.aborted === true) break;
        if (provider.listAll !== undefined && (await fillIfDue(provider, stop))) filled.push(provider.slug);
      }
      return filled;
    },
  };
};

const emptyList = async function* (): AsyncIterable<Item> {};
