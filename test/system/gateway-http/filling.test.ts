/** Filling of a search index across a restart. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { allProviders } from '../../../src/providers/registry.js';
import { createAsk } from '../../support/api.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Exchange, type ReplayUpstream, startReplayUpstream } from '../../support/replay-upstream.js';

const pages = 3;

/** A page of indicators in the upstream's format. */
const page = (number: number, more: Partial<Exchange> = {}): Exchange => ({
  path: '/indicator',
  query: { format: 'json', per_page: '2000', page: String(number) },
  reply: [
    { page: number, pages, per_page: '2000', total: 600 * pages },
    Array.from({ length: 600 }, (_, index) => ({
      id: `P${number}.I${index}`,
      name: `Indicator ${index} of page number${number}`,
      unit: '',
      source: { id: '2', value: 'World Development Indicators' },
      sourceNote: '',
      sourceOrganization: 'World Bank',
      topics: [],
    })),
  ],
  ...more,
});

let bank: ReplayUpstream;
let empty: ReplayUpstream;
let product: TestProduct;

beforeAll(async () => {
  // The delay of the last page blocks the first process.
  bank = await startReplayUpstream([page(1), page(2), page(3, { delayMs: 600_000, times: 1 }), page(3)]);
  empty = await startReplayUpstream([]);
  product = await startProduct({
    providerUrls: allProviders
      .map(({ slug }) => `${slug}=${slug === 'worldbank' ? bank.baseUrl : empty.baseUrl}`)
      .join(','),
  });
  // It would compete for the same job.
  await product.stopApi();
});

afterAll(async () => {
  await product?.close();
  await Promise.all([bank?.close(), empty?.close()]);
});

const requestsOf = (number: number): number =>
  bank.calls.filter(({ url }) => url.endsWith(`page=${number}`)).length;

const startProcess = async (scope: Scope) => {
  const config = { ...product.config, gatewayIntervalMs: 500 };
  const { port } = await createApiProcess(config, silentLog, scope);
  const ask = createAsk(`http://127.0.0.1:${port}/api`);
  return async (words: string) => {
    const answer = await ask('GET', `/providers/worldbank/search?q=${words}`);
    return answer.json<{ items: { id: string }[] }>().items.map(({ id }) => id);
  };
};

it('filling of the search index resumes after a restart at the missing page', async () => {
  const [first, second] = [createScope(silentLog), createScope(silentLog)];
  try {
    const searchFirst = await startProcess(first);
    await expect.poll(() => requestsOf(3)).toBe(1);
    // Received entries are searchable before the listing is complete.
    expect((await searchFirst('number1')).length).toBeGreaterThan(0);
    // Shutdown does not wait for the request in flight, nor does the request count as a failure.
    await first.close();
    const fillings = () =>
      product.sql.query(`SELECT failures, last_error FROM gateway_fillings WHERE provider = 'worldbank'`);
    expect(await fillings()).toEqual([{ failures: 0, last_error: null }]);

    const searchSecond = await startProcess(second);
    // Until then, the search returns entries with similar words.
    await expect.poll(() => searchSecond('number3')).toContainEqual(expect.stringMatching(/^P3\./));
    expect([requestsOf(1), requestsOf(2), requestsOf(3)]).toEqual([1, 1, 2]);
    const filled = () =>
      product.sql.query(
        `SELECT items, failures FROM gateway_fillings WHERE provider = 'worldbank' AND filled_at IS NOT NULL`,
      );
    await expect.poll(filled).toEqual([{ items: 600 * pages, failures: 0 }]);
  } finally {
    await first.close();
    await second.close();
  }
});
