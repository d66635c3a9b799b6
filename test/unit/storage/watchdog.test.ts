import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWatchdog, type Watchdog } from '../../../src/storage/watchdog.js';

const silenceMs = 5_000;
const never = (): Promise<never> => new Promise(() => undefined);

let pings: { readonly signal: AbortSignal; readonly settle: () => void; readonly fail: () => void }[];
let watchdog: Watchdog;
let answers: 'at once' | 'refuses' | 'not at all';

beforeEach(() => {
  vi.useFakeTimers();
  pings = [];
  answers = 'not at all';
  watchdog = createWatchdog({
    ping: (signal) => {
      if (answers === 'refuses') return Promise.reject(new Error('too many connections'));
      if (answers === 'at once') return Promise.resolve();
      return new Promise<void>((resolve, reject) =>
        pings.push({ signal, settle: resolve, fail: () => reject(new Error('aborted')) }),
      );
    },
    silenceMs,
    silent: () => new Error('silent'),
  });
});

afterEach(() => {
  watchdog.close();
  vi.useRealTimers();
});

/** Current state of the promise. */
const state = async (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'done',
      (error: Error) => error.message,
    ),
    Promise.resolve().then(() => 'waits'),
  ]);

describe('a server that answers pings', () => {
  it.each(['at once', 'refuses'] as const)(
    'may take any time for a query, if it answers pings: %s',
    async (how) => {
      answers = how;
      let finish = (): void => undefined;
      const work = watchdog.run(() => new Promise<void>((resolve) => (finish = resolve)));
      await vi.advanceTimersByTimeAsync(100 * silenceMs);
      expect(await state(work)).toBe('waits');
      finish();
      await work;
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('is not pinged for work that ends before the first round', async () => {
    await watchdog.run(() => Promise.resolve(1));
    await vi.advanceTimersByTimeAsync(10 * silenceMs);
    expect(pings).toHaveLength(0);
  });

  it('throws the error of the work', async () => {
    await expect(watchdog.run(() => Promise.reject(new Error('syntax')))).rejects.toThrow('syntax');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a silent server', () => {
  it('fails all pending work after silenceMs, and aborts its signals', async () => {
    const signals: AbortSignal[] = [];
    const works = [1, 2].map(() =>
      watchdog
        .run((signal) => {
          signals.push(signal);
          return never();
        })
        .catch((error: Error) => error.message),
    );
    await vi.advanceTimersByTimeAsync(silenceMs - 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(works)).toEqual(['silent', 'silent']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('fails a response that is being read', async () => {
    const answer = new PassThrough();
    const broken = new Promise<Error>((resolve) => answer.once('error', resolve));
    watchdog.watch(answer);
    await vi.advanceTimersByTimeAsync(silenceMs);
    expect((await broken).message).toBe('silent');
  });

  it('gets no more work until it answers a ping again', async () => {
    const first = watchdog.run(never).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(silenceMs);
    expect(await first).toBe('silent');
    const work = vi.fn(never);
    await expect(watchdog.run(work)).rejects.toThrow('silent');
    expect(work).not.toHaveBeenCalled();
    // Unanswered pings are aborted, and at most five are in flight.
    await vi.advanceTimersByTimeAsync(4 * silenceMs);
    expect(pings.length).toBeGreaterThan(20);
    expect(pings.filter(({ signal }) => !signal.aborted)).toHaveLength(5);
    for (const { signal, fail } of pings) if (signal.aborted) fail();
    await vi.advanceTimersByTimeAsync(0);
    await expect(watchdog.run(work)).rejects.toThrow('silent');

    pings.at(-1)?.settle();
    await vi.advanceTimersByTimeAsync(0);
    expect(await watchdog.run(() => Promise.resolve('well'))).toBe('well');
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('incoming bytes are a sign of life while pings are not answered', async () => {
  const answer = Object.assign(new PassThrough(), { socket: { bytesRead: 0 } });
  const broken = vi.fn();
  answer.once('error', broken);
  watchdog.watch(answer);
  for (let round = 0; round < 50; round += 1) {
    answer.socket.bytesRead += 1;
    await vi.advanceTimersByTimeAsync(silenceMs / 2);
  }
  expect(broken).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2 * silenceMs);
  expect(broken).toHaveBeenCalledOnce();
});

it('no timer is left after a response has closed', async () => {
  const answer = new PassThrough();
  watchdog.watch(answer);
  expect(vi.getTimerCount()).toBe(1);
  answer.destroy();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});
