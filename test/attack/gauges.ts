import { readFileSync } from 'node:fs';
import { peakMemoryMb, resetPeakMemory } from '../../bench/support/process-stats.js';
import type { RunningProduct } from '../../bench/support/product.js';

export interface Strain {
  /** Largest resident memory by process, MB. */
  readonly peakMb: Readonly<Record<string, number>>;
  /** Longest time in which the API, or the worker, did nothing else, milliseconds. */
  readonly pauseMs: Readonly<Record<'api' | 'worker', number>>;
  /** Processor time of the longest turn of the event loop, milliseconds; undefined where nothing measures it. */
  readonly turnMs: Readonly<Partial<Record<'api' | 'worker', number>>>;
  /** Processes that died. */
  readonly died: readonly string[];
}

/** Milliseconds between two looks at a healthy event loop, which prom-client counts as delay. */
const resolutionMs = 10;

const longestPause = async (metricsUrl: string): Promise<number> => {
  try {
    const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(30_000) });
    const seconds = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(await answer.text())?.[1];
    return Math.max(0, Number(seconds) * 1000 - resolutionMs);
  } catch {
    // It died, or is so busy that it does not answer: the longest pause there is.
    return Number.POSITIVE_INFINITY;
  }
};

/** Lines of `turn-probe.mjs` so far. */
const linesOf = (file: string | undefined): readonly string[] => {
  if (file === undefined) return [];
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
};

const longestTurn = (lines: readonly string[], pid: number | undefined): number | undefined => {
  const own = lines.map((line) => line.split(' ')).filter(([of]) => of === String(pid));
  return own.length === 0 ? undefined : Math.max(...own.map(([, ms]) => Number(ms)));
};

const watched = ['api', 'worker', 'clickhouse'] as const;

/**
 * Begins to look at the processes of the product; the result ends it.
 * @param turnsFile What `turn-probe.mjs` writes.
 */
export const watchStrain = async (
  product: RunningProduct,
  turnsFile?: string,
): Promise<() => Promise<Strain>> => {
  const metrics = {
    api: `${product.baseUrl.replace(/\/api$/, '')}/metrics`,
    worker: `${product.workerUrl}/metrics`,
  };
  // A reading begins the next stretch of time.
  await Promise.all(Object.values(metrics).map(longestPause));
  const before = product.pids();
  for (const name of watched) if (before[name] !== undefined) resetPeakMemory(before[name]);
  const seen = linesOf(turnsFile).length;
  return async () => {
    const after = product.pids();
    const died = watched.filter((name) => after[name] === undefined || after[name] !== before[name]);
    const alive = watched.filter((name) => !died.includes(name));
    const [api, worker] = await Promise.all([longestPause(metrics.api), longestPause(metrics.worker)]);
    const lines = linesOf(turnsFile).slice(seen);
    const turns = { api: longestTurn(lines, after.api), worker: longestTurn(lines, after.worker) };
    return {
      turnMs: Object.fromEntries(Object.entries(turns).filter(([, ms]) => ms !== undefined)),
      peakMb: Object.fromEntries(alive.map((name) => [name, peakMemoryMb(after[name] ?? 0)])),
      pauseMs: { api, worker },
      died,
    };
  };
};
