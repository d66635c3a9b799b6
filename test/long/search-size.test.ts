import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createItemIndex, type ItemIndex } from '../../src/gateway/search/item-index.js';
import { allProviders } from '../../src/providers/registry.js';
import { openDatabase, type TestDatabase } from '../integration/gateway/database.js';

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
let index: ItemIndex;
/** Recorded statements of the search. */
const statements: { text: string; values: readonly unknown[] }[] = [];

beforeAll(async () => {
  database = await openDatabase();
  const { sql } = database;
  const recording: typeof sql = {
    ...sql,
    query: (text: string, values?: unknown[]) => {
      statements.push({ text, values: values ?? [] });
      return sql.query(text, values);
    },
  };
  index = createItemIndex(recording, allProviders);
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
  await sql.query('ANALYZE gateway_items');
}, 900_000);
afterAll(() => database.close());

const sequentialScans = async (text: string, values: readonly unknown[]): Promise<string[]> => {
  const rows = await database.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
  return rows.map((row) => row['QUERY PLAN']).filter((line) => /Seq Scan on gateway_items/.test(line));
};

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
    statements.length = 0;
    const startedAt = performance.now();
    const { hits } = await index.search(query, { limit: 10 });
    console.info(`${query}: ${hits.length} hits in ${Math.round(performance.now() - startedAt)} ms`);
    for (const { text, values } of statements) expect(await sequentialScans(text, values)).toEqual([]);
    expect(hits.length > 0).toBe(query !== 'goldfish');
  });
});
