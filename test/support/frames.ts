/** How smoothly a page draws, from traces of Chromium. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the clock on the wall, and of the processor. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly functionName?: string } };
}

/** Turns of the page's main thread: each handles events, runs scripts, or draws a frame. */
export interface Turns {
  /** Frames for which scripts ran. */
  readonly frames: number;
  /** Milliseconds of processor that each turn took, the longest first: what others do on the machine counts little. */
  readonly cpuMs: readonly number[];
  /** The same by the clock on the wall. */
  readonly wallMs: readonly number[];
  /** Summary of the longest turn, for people. */
  readonly longest: string;
}

const descending = (a: number, b: number): number => b - a;

/** The largest parts of a turn, with their milliseconds of processor. */
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

/** Traces the page while `work` goes on: for seconds, not minutes, since a trace is kept in memory. */
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
  // Without the processor's clock nothing would ever be too long. The trace may cut the first and the last turn of a thread.
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

/** Work of a known size, done in the page itself: a machine that is slower, or busy with others, is slower at both. */
const yardstick = `(() => {
  const numbers = new Map();
  for (let at = 0; at < 20000; at += 1) numbers.set('column ' + at + ' of a table', at);
  for (const [name, at] of JSON.parse(JSON.stringify([...numbers])))
    if (numbers.get(name) !== at) throw new Error('the yardstick is broken');
})()`;

/** It takes 15 to 25 ms of processor where a frame may take 50. */
const maxYardsticks = 3;

/**
 * Checks that no turn of the page's main thread takes longer than the promise while `work` goes on, which can be done
 * again: the best of several attempts counts, since garbage is collected now and then.
 */
export const expectShortFrames = async (page: Page, work: () => Promise<void>): Promise<void> => {
  let least = Number.POSITIVE_INFINITY;
  await page.evaluate(yardstick);
  for (let attempt = 0; attempt < 4 && least > maxYardsticks; attempt += 1) {
    const { frames, cpuMs } = await traceTurns(page, work);
    expect(frames).toBeGreaterThan(30);
    const known = await traceTurns(page, () => page.evaluate(yardstick));
    least = Math.min(least, (cpuMs[0] ?? 0) / (known.cpuMs[0] ?? 0));
  }
  expect(least, 'the longest turn, in yardsticks').toBeLessThanOrEqual(maxYardsticks);
};

/** Megabytes of the page's scripts that are in use. */
export const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
};

/** Puts the pointer over the grid, where its wheel scrolls. */
const pointAt = async (page: Page): Promise<void> => {
  const box = await page.locator('.grid').boundingBox();
  if (box === null) throw new Error('there is no grid');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.75);
};

/** Turns the wheel, slowly at first, then as fast as it goes. */
export const turnWheel = async (page: Page, axis: 'down' | 'right', steps: number): Promise<void> => {
  await pointAt(page);
  for (let step = 0; step < steps; step += 1) {
    const pixels = 40 + Math.round((step / steps) * 2_000);
    await page.mouse.wheel(axis === 'right' ? pixels : 0, axis === 'down' ? pixels : 0);
  }
};

/** Drags the scroll bar to a share of the whole, in steps. */
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
