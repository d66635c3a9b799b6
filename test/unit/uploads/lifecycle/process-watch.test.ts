import { describe, expect, it } from 'vitest';
import type { ProcessView } from '../../../../src/model/process.js';
import { createProcessWatch } from '../../../../src/uploads/lifecycle/process-watch.js';

const viewOf = (id: number): ProcessView => ({
  id,
  datasetId: 1,
  status: 'pending',
  createdAt: '2026-01-01T00:00:00.000',
  completedAt: null,
  mode: 'replace',
  versionId: null,
  rows: 0,
  bytes: 0,
  rejectedRows: 0,
  inserted: null,
  replaced: null,
  unchanged: null,
  removed: null,
  dryRun: false,
  error: null,
  notices: [],
  expiresAt: null,
  progress: {
    received: 0,
    expected: null,
    percent: 0,
    chunks: null,
    sent: 0,
    inserted: 0,
    rows: 0,
    attempt: 1,
  },
});

describe('the process watch', () => {
  it('sends one query for all callers, and returns undefined for a deleted process', async () => {
    const queries: (readonly number[])[] = [];
    const views = async (ids: readonly number[]): Promise<ProcessView[]> => {
      queries.push(ids);
      return ids.filter((id) => id !== 13).map(viewOf);
    };
    const watch = createProcessWatch({ views }, 5);
    const followed = await Promise.all(Array.from({ length: 200 }, (_, index) => watch.next(index % 50)));
    expect(queries).toHaveLength(1);
    expect(queries[0]).toHaveLength(50);
    expect(followed[7]?.id).toBe(7);
    expect(followed[13]).toBeUndefined();
    expect((await watch.next(3))?.id).toBe(3);
    expect(queries).toHaveLength(2);
  });
});
