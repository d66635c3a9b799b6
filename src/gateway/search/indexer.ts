import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { Context, Item, Provider } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ItemIndex } from './item-index.js';

/** Fills the search index from upstreams that have no search, in the background, one upstream at a time. */
export interface Indexer {
  /** Puts the bundled lists in; needs no upstream. */
  seed(): Promise<void>;
  /**
   * Fills what is due; gives the slugs that were filled. Another process at work on an upstream is left alone.
   * When `stop` aborts, the filling ends at the next batch and is due again at once.
   */
  fillDue(stop?: AbortSignal): Promise<string[]>;
}

export interface IndexerOptions {
  readonly sql: Sql;
  readonly index: ItemIndex;
  readonly providers: readonly Provider[];
  /** A context that asks the upstream in the name of the indexer. */
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
/** A process that dies while filling leaves the upstream to another one after this. */
const leaseMs = 1_800_000;

// Taking the turn moves it away: two processes never fill one upstream at the same time.
const claim = `
  INSERT INTO gateway_fillings AS filling (provider, generation, due_at) VALUES ($1, 1, $3)
  ON CONFLICT (provider) DO UPDATE SET generation = filling.generation + 1, due_at = $3
   WHERE filling.due_at <= $2
  RETURNING generation, failures`;
const succeed = `
  UPDATE gateway_fillings SET items = $2, filled_at = $3, due_at = $4, failures = 0 WHERE provider = $1`;
const giveBack = `UPDATE gateway_fillings SET due_at = $2 WHERE provider = $1`;
const fail = `UPDATE gateway_fillings SET failures = failures + 1, due_at = $2 WHERE provider = $1`;

const batches = async function* (items: AsyncIterable<Item>): AsyncIterable<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

export const createIndexer = ({ sql, index, providers, openContext, log, now }: IndexerOptions): Indexer => {
  const fillOne = async (provider: Provider, generation: number, stop?: AbortSignal): Promise<number> => {
    const filling = index.fill(provider.slug, generation);
    let items = 0;
    for await (const batch of batches(provider.listAll?.(await openContext(provider)) ?? emptyList())) {
      stop?.throwIfAborted();
      await filling.add(batch);
      items += batch.length;
    }
    // Nothing at all is a fault of somebody's, not an empty upstream.
    if (items === 0) throw new Error('the upstream listed nothing');
    await filling.finish();
    return items;
  };

  const fillIfDue = async (provider: Provider, stop?: AbortSignal): Promise<boolean> => {
    const startedAt = now();
    const [due] = await sql.query<Due>(claim, [
      provider.slug,
      new Date(startedAt),
      new Date(startedAt + leaseMs),
    ]);
    if (due === undefined) return false;
    try {
      const items = await fillOne(provider, due.generation, stop);
      const next = now() + provider.validity.structure * 1000;
      await sql.query(succeed, [provider.slug, items, new Date(now()), new Date(next)]);
      log.info({ provider: provider.slug, items, ms: now() - startedAt }, 'search index filled');
      return true;
    } catch (error) {
      if (stop?.aborted === true) {
        await sql.query(giveBack, [provider.slug, new Date(now())]);
        return false;
      }
      const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, due.failures));
      await sql.query(fail, [provider.slug, new Date(now() + wait)]);
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
