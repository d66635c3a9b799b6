/** Merges that ClickHouse cannot write for a while, or never. */
import { ClickHouseError } from '@clickhouse/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { lastMerge, mergeSegmentId } from '../../../src/model/version.js';
import type { Outcome } from '../../../src/uploads/lifecycle/outcome.js';
import { createMerger } from '../../../src/versions/merge/merger.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (code: string, type: string): Error =>
  new ClickHouseError({ message: `(${type})`, code, type });

const noSpace = refusal('243', 'NOT_ENOUGH_SPACE');
const noMemory = refusal('241', 'MEMORY_LIMIT_EXCEEDED');

type Work = (begin: () => void) => Outcome;

/** Errors of merges. */
const failures = new Set<Error>();

/** A process of mode merge_columns whose merge does this, and the workers that take its turns. */
const processWith = (work: Work) => {
  const tried: number[] = [];
  let tries = 0;
  const merges = {
    turn: async () => ({ processId: 7, datasetId: 1, mode: 'merge_columns', tries }),
    countTries: async (_process: number, least: number) => {
      tries = Math.max(tries, least);
      return tries;
    },
  };
  const begin = (): void => {
    mergeSegmentId(7, tries + 1);
    tries += 1;
  };
  const begins = (count: number): void => {
    for (let at = 0; at < count; at += 1) begin();
  };
  const worker = () =>
    createMerger({
      sql: { query: async () => [] },
      merges,
      log: silentLog,
      mergeColumns: async () => {
        tried.push(Date.now());
        try {
          return work(begin);
        } catch (error) {
          failures.add(error as Error);
          throw error;
        }
      },
    } as unknown as Parameters<typeof createMerger>[0]);
  return { tried, worker, numbersUsedUp: () => begins(lastMerge) };
};

type Step = ReturnType<typeof createMerger>;

/** The merger throws on what its merge threw, so that the sweep repeats it. */
const toBeRetried = (error: Error): undefined => {
  if (!failures.has(error)) throw error;
};

/** Takes a turn with each worker at every poll, until an outcome other than `done` or `ms` are over. */
const poll = async (workers: readonly Step[], ms: number, everyMs = 500): Promise<Outcome | undefined> => {
  for (const end = Date.now() + ms; Date.now() < end; vi.advanceTimersByTime(everyMs))
    for (const step of workers) {
      const outcome = await step({ processId: 7 } as never, {} as never).catch(toBeRetried);
      if (outcome !== undefined && outcome.kind !== 'done') return outcome;
    }
  return undefined;
};

const merged = { kind: 'merged' } as Outcome;
const hour = 3_600_000;

it('a merge survives a full disk of twelve hours, with any number of workers', async () => {
  for (const count of [1, 3]) {
    let isFull = true;
    const { worker, tried } = processWith((begin) => {
      begin();
      if (isFull) throw noSpace;
      return merged;
    });
    const workers = Array.from({ length: count }, worker);
    expect(await poll(workers, 12 * hour)).toBeUndefined();
    expect(tried.length).toBeLessThan(lastMerge);
    isFull = false;
    expect(await poll(workers, hour)).toEqual(merged);
  }
});

it('a merge is tried again soon after a short outage', async () => {
  const { worker, tried } = processWith((begin) => {
    begin();
    if (tried.length < 4) throw noSpace;
    return merged;
  });
  expect(await poll([worker()], hour)).toEqual(merged);
  expect(tried.map((at) => at - tried[0]!)).toEqual([0, 1_000, 3_000, 7_000]);
});

it('a merge that always exceeds the memory limit fails in the end, whether or not it had a segment', async () => {
  for (const begins of [true, false]) {
    const { worker, tried } = processWith((begin) => {
      if (begins) begin();
      throw noMemory;
    });
    const outcome = await poll([worker()], 72 * hour, 5_000);
    expect(outcome).toEqual({
      kind: 'fail',
      error: {
        code: 'store_refused',
        message:
          'The data store could not join the rows in 299 tries (MEMORY_LIMIT_EXCEEDED). Tell the operator.',
      },
    });
    expect(tried).toHaveLength(lastMerge);
  }
});

it('a merge without a number left fails', async () => {
  const { worker, numbersUsedUp } = processWith((begin) => {
    begin();
    return merged;
  });
  numbersUsedUp();
  expect(await poll([worker()], 1)).toMatchObject({ kind: 'fail', error: { code: 'store_refused' } });
});

it('an outage before the first row was written is no try', async () => {
  let isDown = true;
  const { worker, tried } = processWith((begin) => {
    if (isDown) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    begin();
    return merged;
  });
  const step = worker();
  expect(await poll([step], hour)).toBeUndefined();
  expect(tried.length).toBe(7_200);
  isDown = false;
  expect(await poll([step], 1)).toEqual(merged);
});

it('a statement that ClickHouse refuses for good fails after twenty tries', async () => {
  const { worker, tried } = processWith(() => {
    throw refusal('47', 'UNKNOWN_IDENTIFIER');
  });
  expect(await poll([worker()], hour)).toMatchObject({ kind: 'fail', error: { code: 'store_refused' } });
  expect(tried).toHaveLength(20);
});
