/** Rendering smoothness of a page, from Chromium traces. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: start and duration by the wall clock (`ts`, `dur`), CPU time (`tdur`). */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly functionName?: string } };
}

/** Tasks of the page's main thread: each handles events, runs scripts or draws a frame. */
export interface Turns {
  /** Frames for which scripts ran. */
  readonly frames: number;
  /** CPU time of each task, longest first: less sensitive to other load on the machine. */
  readonly cpuMs: readonly number[];
  /** Wall-clock time of each task, longest first. */
  readonly wallMs: readonly number[];
  /** Summary of the longest task, for humans. */
  readonly longest: string;
}

const descending = (a: number, b: number): number => b - a;

/** Largest parts of a task, with their CPU milliseconds. */
const partsOf = (turn: TraceEvent | undefined, own: readonly TraceEvent[]): string =>
  turn === undefined
    ? ''
    : own
        .filter(({ ts, name }) => name !== 'RunTask' && ts >= turn.ts && ts < turn.ts + (turn.dur ?? 0))
        .sort((a, b) => (b.tdur ?? 0) - (a.tdur ?? 0))
        .slice(0, 6)
        .map(
          ({ name, tdur = 0, args }) =>
            `${name} ${args?.data?.functionName ?? ''} ${Math.round(tdur / 1_000)}`,
        )
        .join(', ');

/** Traces the page during `work`, which may take seconds, not minutes: the trace is kept in memory. */
export const traceTurns = async (page: Page, work: () => Promise<unknown>): Promise<Turns> => {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the window has no browser');
  await browser.startTracing(page, {
    categories: ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const own = traceEvents.filter((event) => main.has(threadOf(event)));
  const turns = own.filter(({ name, ph }) => name === 'RunTask' && ph === 'X');
  // Without CPU times no task would ever be too long. The trace may cut the first and the last task of a thread.
  const timed = turns.filter(({ tdur }) => tdur !== undefined);
  expect(timed.length).toBeGreaterThan(0);
  expect(turns.length - timed.length).toBeLessThanOrEqual(2 * main.size);
  return {
    frames: own.filter(({ name }) => name === 'FireAnimationFrame').length,
    cpuMs: timed.map(({ tdur = 0 }) => tdur / 1_000).sort(descending),
    wallMs: turns.map(({ dur = 0 }) => dur / 1_000).sort(descending),
    longest: partsOf(timed.sort((a, b) => (b.tdur ?? 0) - (a.tdur ?? 0))[0], own),
  };
};

/** Reference work in the page itself: a slow or busy machine slows both this and the measured work. */
const yardstick = `(() => {
  const numbers = new Map();
  for (let at = 0; at < 20000; at += 1) numbers.set('column ' + at + ' of a table', at);
  for (const [name, at] of JSON.parse(JSON.stringify([...numbers])))
    if (numbers.get(name) !== at) throw new Error('the yardstick is broken');
})()`;

/** The reference takes 15 to 25 ms of CPU on a machine where a frame may take 50. */
const maxYardsticks = 3;

/**
 * Checks that no task of the main thread is longer than the limit during `work`, which must be repeatable:
 * the best of several attempts counts, because of garbage collection.
 */
export const expectShortFrames = async (page: Page, work: () => Promise<void>): Promise<void> => {
  let least = Number.POSITIVE_INFINITY;
  await page.evaluate(yardstick);
  for (let attempt = 0; attempt < 4 && least > maxYardsticks; attempt += 1) {
    const { frames, cpuMs } = await traceTurns(page, work);
    expect(frames).toBeGreaterThan(30);
    const reference = await traceTurns(page, () => page.evaluate(yardstick));
    least = Math.min(least, (cpuMs[0] ?? 0) / (reference.cpuMs[0] ?? 0));
  }
  expect(least, 'longest task, in multiples of the reference work').toBeLessThanOrEqual(maxYardsticks);
};

/** Used JavaScript heap of the page, in MB. */
export const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
};

/** Moves the pointer over the grid, so that the wheel scrolls it. */
const pointAt = async (page: Page): Promise<void> => {
  const box = await page.locator('.grid').boundingBox();
  if (box === null) throw new Error('there is no grid');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.75);
};

/** Scrolls with the wheel, faster with every step. */
export const turnWheel = async (page: Page, axis: 'down' | 'right', steps: number): Promise<void> => {
  await pointAt(page);
  for (let step = 0; step < steps; step += 1) {
    const pixels = 40 + Math.round((step / steps) * 2_000);
    await page.mouse.wheel(axis === 'right' ? pixels : 0, axis === 'down' ? pixels : 0);
  }
};

/** Scrolls to a fraction of the whole in 20 steps, as if the scroll bar were dragged. */
export const dragTo = (page: Page, axis: 'down' | 'right', share: number): Promise<void> =>
  page.evaluate(`(async () => {
    const grid = document.querySelector('.grid');
    const [place, length] = ${axis === 'down' ? "['scrollTop', 'scrollHeight']" : "['scrollLeft', 'scrollWidth']"};
    const from = grid[place];
    const to = grid[length] * ${share};
    for (let step = 1; step <= 20; step += 1) {
      grid[place] = from + ((to - from) * step) / 20;
      await new Promise((done) => requestAnimationFrame(done));
    }
  })()`);
