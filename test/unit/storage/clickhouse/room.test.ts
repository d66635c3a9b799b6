import { describe, expect, it, vi } from 'vitest';
import { ensureRoom } from '../../../../src/storage/clickhouse/room.js';

/** Server with this many free bytes, on which the `existing` checks succeed. */
const serverWith = (free: string, ...existing: readonly string[]) => {
  const answer = vi.fn((query: string): unknown[] => {
    if (query.includes('system.disks')) return free === '' ? [] : [{ free }];
    return [{ result: existing.includes(query) ? 1 : 0 }];
  });
  return { answer, rows: async <T>(query: string) => answer(query) as T[] };
};

describe('a statement that writes a table definition or a mutation', () => {
  it.each([
    'CREATE DATABASE IF NOT EXISTS t',
    'CREATE TABLE IF NOT EXISTS t.s1 (a UInt8) ENGINE = MergeTree ORDER BY a',
    'CREATE TABLE t.s2 AS t.s1',
    ' ALTER TABLE t.s1 ADD COLUMN IF NOT EXISTS c2_s String',
    'ALTER TABLE t.s1\n  MODIFY SETTING min_bytes_for_wide_part = 1',
    'ALTER TABLE t.s1 DROP COLUMN c2_s',
    'DELETE FROM t.pool_narrow WHERE _seg IN (1, 2)',
  ])('is refused without enough disk space: %s', async (sql) => {
    await expect(ensureRoom(sql, serverWith('16777215').rows)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'store_unavailable',
    });
    for (const enough of ['16777216', '18446744073709551615', ''])
      await expect(ensureRoom(sql, serverWith(enough).rows)).resolves.toBeUndefined();
  });
});

it.each([
  'DROP TABLE t.s1',
  'ALTER TABLE t.s1 DROP PARTITION 7',
  "ALTER TABLE t.s1 REPLACE PARTITION ID '7' FROM t.u1",
  'ALTER TABLE t.s1 ATTACH PARTITION ALL FROM t.s2',
  "INSERT INTO t.s1 SELECT 'CREATE TABLE'",
])('a statement that frees space or needs little is not checked: %s', async (sql) => {
  const { answer, rows } = serverWith('0');
  await ensureRoom(sql, rows);
  expect(answer).not.toHaveBeenCalled();
});

it('CREATE IF NOT EXISTS needs no space for what exists, so that processes start on a full disk', async () => {
  const { rows } = serverWith('0', 'EXISTS DATABASE t', 'EXISTS TABLE t.`nodes_a`');
  await ensureRoom('CREATE DATABASE IF NOT EXISTS t', rows);
  await ensureRoom('CREATE TABLE IF NOT EXISTS t.`nodes_a` (dummy UInt8) ENGINE = Null', rows);
  await expect(ensureRoom('CREATE TABLE t.`nodes_a` (dummy UInt8) ENGINE = Null', rows)).rejects.toThrow();
});
