import { createItemIndex } from '../src/gateway/search/item-index.js';
import { createLog } from '../src/lib/log.js';
import { allProviders } from '../src/providers/registry.js';
import { createPool } from '../src/storage/postgres/pool.js';
import { createSql } from '../src/storage/postgres/sql.js';
import { startReplayUpstream } from '../test/support/replay-upstream.js';
import type { Bench, BenchContext } from './support/bench.js';
import { catalogEntries, catalogQueries } from './support/catalog-entries.js';
import type { Figure } from './support/figure.js';
import { measure, perOperation } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { type Fetched, fetchAll, inTurn } from './support/requests.js';
import { median, percentile } from './support/statistics.js';

const seriesId = 'FXUSDCAD';

/** Bank of Canada response with 24 observations, the length of a preview. */
const reply = {
  terms: { url: 'https://www.bankofcanada.ca/terms/' },
  seriesDetail: {
    [seriesId]: { label: 'USD/CAD', description: 'US dollar', dimension: { key: 'd', name: 'Date' } },
  },
  observations: Array.from({ length: 24 }, (_, day) => ({
    d: `2026-03-${String(day + 1).padStart(2, '0')}`,
    [seriesId]: { v: `1.3${String(day * 37).padStart(3, '0')}` },
  })),
};

const openProduct = async ({ product, defer }: BenchContext): Promise<RunningProduct> => {
  const bank = await startReplayUpstream([
    { path: `/observations/${seriesId}/json`, query: { recent: '24' }, reply },
  ]);
  await defer('upstream', bank.close);
  const empty = await startReplayUpstream([]);
  await defer('upstream without responses', empty.close);
  const urls = allProviders.map(
    ({ slug }) => `${slug}=${slug === 'bankofcanada' ? bank.baseUrl : empty.baseUrl}`,
  );
  return product({ providerUrls: urls.join(',') });
};

const timesOf = (answers: readonly Fetched[]): number[] => {
  const wrong = answers.find(({ status }) => status !== 200);
  if (wrong !== undefined) throw new Error(`the gateway answered ${wrong.status}`);
  return answers.map(({ totalMs }) => totalMs);
};

/** Responses within `ms` to concurrent callers that send requests back to back. */
const load = async (callers: number, ms: number, ask: () => Promise<Fetched>): Promise<Fetched[]> => {
  const end = performance.now() + ms;
  const answers: Fetched[] = [];
  const caller = async (): Promise<void> => {
    while (performance.now() < end) answers.push(await ask());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return answers;
};

const cacheFigures = async ({ pick }: BenchContext, product: RunningProduct): Promise<Figure[]> => {
  const headers = { authorization: product.authorization };
  const preview = () => fetchAll(`${product.baseUrl}/providers/bankofcanada/series/${seriesId}`, { headers });
  const alive = () => fetchAll(product.baseUrl.replace(/\/api$/, '/healthz'));
  await load(4, pick(3_000, 500), preview);
  const pairs = await inTurn(pick(1_000, 200), async () => ({
    cached: await preview(),
    bare: await alive(),
  }));
  const cached = timesOf(pairs.map((pair) => pair.cached));
  const bare = timesOf(pairs.map((pair) => pair.bare));
  const loadMs = pick(10_000, 2_000);
  const { value, usage } = await measure(product, () => load(16, loadMs, preview));
  const loaded = timesOf(value);
  return [
    {
      name: 'cached series, p95',
      value: percentile(cached, 0.95),
      unit: 'ms',
      goal: { atMost: 5 },
      yardstick: { name: '/healthz, p95', value: percentile(bare, 0.95), unit: 'ms' },
    },
    { name: 'cached series, p50', value: median(cached), unit: 'ms', better: 'lower' },
    {
      name: 'cached series, 16 callers',
      value: loaded.length / (loadMs / 1000),
      unit: 'requests/s',
      goal: { atLeast: 500 },
    },
    { name: 'cached series, 16 callers, p95', value: percentile(loaded, 0.95), unit: 'ms', better: 'lower' },
    perOperation('cached series, CPU of api', usage, 'api', loaded.length),
  ];
};

const fillIndex = async ({ databaseUrl }: RunningProduct, entries: number): Promise<void> => {
  const pool = createPool({ databaseUrl, maxConnections: 1, log: createLog('bench', 'warn', 2) });
  try {
    const sql = createSql(pool);
    const filling = createItemIndex(sql).fill('worldbank', 1);
    const items = catalogEntries(entries);
    for (let at = 0; at < items.length; at += 500) await filling.add(items.slice(at, at + 500));
    await filling.finish();
    await sql.query('VACUUM ANALYZE gateway_items, gateway_words');
  } finally {
    await pool.end();
  }
};

const searchFigures = async ({ pick, say }: BenchContext, product: RunningProduct): Promise<Figure[]> => {
  const entries = 30_000;
  await fillIndex(product, entries);
  say('search index filled');
  const headers = { authorization: product.authorization };
  const searches = (path: string) =>
    inTurn(pick(20, 3) * catalogQueries.length, (turn) => {
      const query = catalogQueries[turn % catalogQueries.length] ?? '';
      return fetchAll(`${product.baseUrl}${path}?q=${encodeURIComponent(query)}`, { headers });
    });
  const one = timesOf(await searches('/providers/worldbank/search'));
  const all = timesOf(await searches('/providers/search'));
  return [
    { name: 'search 30,000 entries, p95', value: percentile(one, 0.95), unit: 'ms', goal: { atMost: 50 } },
    { name: 'search 30,000 entries, p50', value: median(one), unit: 'ms', better: 'lower' },
    { name: 'search all providers, p95', value: percentile(all, 0.95), unit: 'ms', goal: { atMost: 50 } },
  ];
};

/** Cached series and the search index, with a local upstream. */
export const gateway: Bench = async (context) => {
  const product = await openProduct(context);
  return [...(await cacheFigures(context, product)), ...(await searchFigures(context, product))];
};
