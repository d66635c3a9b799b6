import { expect, test } from 'vitest';
import type { Bench, BenchEntry } from '../../../bench/support/bench.js';
import { runBench } from '../../../bench/support/runner.js';
import { silentLog } from '../../../src/lib/log.js';

const noProduct = async (): Promise<never> => {
  throw new Error('there is no product here');
};

const run = (bench: Bench, more: Partial<BenchEntry> = {}, signal = new AbortController().signal) =>
  runBench(
    { name: 'some', run: bench, ...more },
    {
      quick: true,
      pool: { openFor: () => noProduct, drop: async () => undefined },
      say: () => undefined,
      log: silentLog,
      signal,
    },
  );

const endless: Bench = () => new Promise(() => undefined);

test('the result of a bench has its figures, and its setup is undone in reverse order', async () => {
  const undone: string[] = [];
  const result = await run(async ({ pick, defer }) => {
    await defer('first', () => void undone.push('first'));
    await defer('second', () => void undone.push('second'));
    return [{ name: 'x', value: pick(100, 1), unit: 's' }];
  });
  expect(result).toMatchObject({ bench: 'some', figures: [{ name: 'x', value: 1, unit: 's' }] });
  expect(result.failure).toBeUndefined();
  expect(undone).toEqual(['second', 'first']);
});

test('the result of a bench that throws has the reason and the figures so far, and its setup is undone', async () => {
  let undone = false;
  const result = await run(async ({ defer, product, report }) => {
    report([{ name: 'x', value: 1, unit: 's' }]);
    await defer('something', () => {
      undone = true;
    });
    await product();
    return [];
  });
  expect(result.failure).toContain('there is no product here');
  expect(result.figures).toEqual([{ name: 'x', value: 1, unit: 's' }]);
  expect(undone).toBe(true);
});

test('a bench is aborted at its time limit', async () => {
  expect((await run(endless, { limitMinutes: 0.0005 })).failure).toContain('not done within 0.0005 minutes');
});

test('a bench is aborted when the run is stopped', async () => {
  const stopping = new AbortController();
  const result = run(endless, {}, stopping.signal);
  stopping.abort();
  expect((await result).failure).toContain('the run was stopped');
});
