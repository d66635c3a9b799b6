import { describe, expect, it, vi } from 'vitest';
import { ensureRoom } from '../../../../src/storage/clickhouse/room.js';

const diskWith = (free: string) => vi.fn(async () => [{ free }]);

describe('a statement that writes the definition of a table', () => {
  it.each([
    'CREATE TABLE IF NOT EXISTS t.s1 (a UInt8) ENGINE = MergeTree ORDER BY a',
    ' ALTER TABLE t.s1 ADD COLUMN IF NOT EXISTS c2_s String',
    'ALTER TABLE t.s1\n  MODIFY SETTING min_bytes_for_wide_part = 1',
    'ALTER TABLE t.s1 DROP COLUMN c2_s',
  ])('waits for room: %s', async (sql) => {
    await expect(ensureRoom(sql, diskWith('16777215'))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'store_unavailable',
    });
    await expect(ensureRoom(sql, diskWith('16777216'))).resolves.toBeUndefined();
    await expect(ensureRoom(sql, diskWith('18446744073709551615'))).resolves.toBeUndefined();
    await expect(ensureRoom(sql, async () => [])).resolves.toBeUndefined();
  });
});

it.each([
  'DROP TABLE t.s1',
  "ALTER TABLE t.s1 DROP PARTITION ID '7'",
  'ALTER TABLE t.s1 DELETE WHERE a = 1',
  'CREATE DATABASE IF NOT EXISTS t',
  "INSERT INTO t.s1 SELECT 'CREATE TABLE'",
])('what makes room or writes none asks nothing: %s', async (sql) => {
  const rows = diskWith('0');
  await ensureRoom(sql, rows);
  expect(rows).not.toHaveBeenCalled();
});
