import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createItemIndex } from '../../src/gateway/search/item-index.js';
import { allProviders } from '../../src/providers/registry.js';
import { openDatabase, type TestDatabase } from '../integration/gateway/database.js';
import { watchScans } from '../support/sequential-scans.js';

/** Search over a million entries; every statement must use an index. */

const entries = 1_000_000;
const subjects = [
  'unemployment rate',
  'consumer prices',
  'exports of goods',
  'policy rate',
  'wages',
  'house prices',
];
const places = ['Norway', 'Japan', 'Germany', 'Brazil', 'Kenya', 'Canada', 'Spain', 'India'];

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
  const index = createItemIndex(database.sql, allProviders);
  for (const { slug, popularSeries } of allProviders) await index.seed(slug, popularSeries);
  const filling = index.fill('ecb', 1);
  for (let first = 0; first < entries; first += 10_000) {
    await filling.add(
      Array.from({ length: 10_000 }, (_, offset) => {
        const number = first + offset;
        const subject = subjects[number % subjects.length];
        const place = places[Math.floor(number / 7) % places.length];
        return { id: `FLOW/M.${number}`, label: `${subject}, ${place}, group ${number % 9_973}` };
      }),
    );
  }
  await database.sql.query('ANALYZE gateway_items');
}, 900_000);
afterAll(() => database.close());

describe('a search over a million entries', () => {
  it.each([
    'unemployment rate Norway',
    'policy rate of Japan',
    'house prices',
    'group 4711',
    'FLOW/M.123',
    'FLOW/M.123456',
    'wages in Kenya',
    'unemploymnt',
    'goldfish',
  ])('uses no sequential scan: %s', async (query) => {
    const watch = watchScans(database.sql);
    const { hits } = await createItemIndex(watch.sql, allProviders).search(query, { limit: 10 });
    expect(watch.plans.length).toBeGreaterThan(0);
    expect(watch.scansOf('gateway_items')).toEqual([]);
    expect(hits.length > 0).toBe(query !== 'goldfish');
  });
});
