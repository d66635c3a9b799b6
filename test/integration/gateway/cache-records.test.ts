import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCacheRecords } from '../../../src/gateway/cache/cache-records.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const hour = 3_600_000;
const keyOf = (index: number): string => index.toString(16).padStart(64, '0');

describe('cached answers', () => {
  let nowMs = Date.parse('2026-03-10T12:00:00Z');
  const records = (maxBytes = 1_000_000) =>
    createCacheRecords({ sql: database.sql, maxBytes, staleMs: 10 * hour, now: () => nowMs });
  const entry = (body: string, storedAtMs = nowMs) => ({ body, storedAtMs, freshUntilMs: storedAtMs + hour });
  const bytes = async (): Promise<number> =>
    (
      await database.sql.query<{ bytes: number }>(
        'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM gateway_cache',
      )
    )[0]?.bytes ?? 0;

  it('are read back unchanged, by another process too', async () => {
    await records().set(keyOf(1), 'fred', entry(JSON.stringify('a "body" \u0000 é')));
    expect(
      await createCacheRecords({ sql: database.other(), maxBytes: 1, staleMs: 1, now: () => nowMs }).get(
        keyOf(1),
      ),
    ).toEqual(entry(JSON.stringify('a "body" \u0000 é')));
    expect(await records().get(keyOf(2))).toBeUndefined();
  });

  it('are not replaced by an older answer', async () => {
    await records().set(keyOf(3), 'fred', entry('new'));
    await records().set(keyOf(3), 'fred', entry('old', nowMs - hour));
    expect((await records().get(keyOf(3)))?.body).toBe('new');
  });

  it('stay within their size limit: the least recently used is evicted first', async () => {
    for (let index = 10; index < 110; index += 1) {
      nowMs += 1_000;
      await records(100_000).set(keyOf(index), 'fred', entry('x'.repeat(2_000)));
    }
    nowMs += hour;
    await records().get(keyOf(10));
    await records(100_000).trim();
    expect(await bytes()).toBeLessThanOrEqual(90_000);
    expect(await bytes()).toBeGreaterThan(80_000);
    expect(await records().get(keyOf(10))).toBeDefined();
    expect(await records().get(keyOf(11))).toBeUndefined();
    expect(await records().get(keyOf(109))).toBeDefined();
  });

  it('exclude an answer that is too large, and expire when too old to be served', async () => {
    await records(1_000).set(keyOf(200), 'fred', entry('x'.repeat(300)));
    expect(await records().get(keyOf(200))).toBeUndefined();
    nowMs += 12 * hour;
    await records().trim();
    expect(await bytes()).toBe(0);
  });
});
