import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { asReadCopy } from '../../../src/rows/read-copy-source.js';
import { createReadNotes } from '../../../src/rows/read-notes.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { own } from '../query/recorded-downloads.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Notes in a minute in which a version with a copy is read every 100 ms. */
const notesInMinute = async (keepMs: number): Promise<number> => {
  const query = vi.fn(async () => [{ isMade: true }]);
  const sql = { query } as unknown as Sql;
  const noteRead = createReadNotes({ sql, minRows: 1, keepMs, onChanged: vi.fn(), log: silentLog });
  const version = { ...own, copy: asReadCopy({ table: 'r7_00', plain: [] }) };
  for (let read = 0; read < 600; read += 1) {
    noteRead(version);
    await vi.advanceTimersByTimeAsync(100);
  }
  return query.mock.calls.length;
};

describe('reads of a version that has a copy', () => {
  it('are noted rarely', async () => {
    expect(await notesInMinute(7 * 24 * 3_600_000)).toBe(1);
  });

  it('are noted at least twice in the time for which an unread copy is kept', async () => {
    expect(await notesInMinute(10_000)).toBe(12);
  });
});
