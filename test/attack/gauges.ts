import { readFileSync } from 'node:fs';
import { peakMemoryMb, resetPeakMemory } from '../../bench/support/process-stats.js';
import type { RunningProduct } from '../../bench/support/product.js';

export interface Strain {
  /** Peak resident memory by process, MB. */
  readonly peakMb: Readonly<Record<string, number>>;
  /** Longest event loop delay, milliseconds. */
  readonly pauseMs: Readonly<Record<'api' | 'worker', number>>;
  /** CPU time of the longest event loop turn, milliseconds; undefined if not measured. */
  readonly turnMs: Readonly<Partial<Record<'api' | 'worker', number>>>;
  /** Processes that died. */
  readonly died: readonly string[];
}

/** Sampling resolution, which prom-client includes in the delay. */
const resolutionMs = 10;

const longestPause = async (metricsUrl: string): Promise<number> => {
  try {
    const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(30_000) });
    const seconds = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(await answer.text())?.[1];
    return Math.max(0, Number(seconds) * 1000 - resolutionMs);
  } catch {
    // The process is dead or too busy to respond: an infinite pause.
    return Number.POSITIVE_INFINITY;
  }
};

/** Lines written by `turn-probe.mjs` so far. */
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
 * Starts watching the processes of the product; the returned function stops and returns the measurements.
 * @param turnsFile output of `turn-probe.mjs`
 */
export const watchStrain = async (
  product: RunningProduct,
  turnsFile?: string,
): Promise<() => Promise<Strain>> => {
  const metrics = {
    api: `${product.baseUrl.replace(/\/api$/, '')}/metrics`,
    worker: `${product.workerUrl}/metrics`,
  };
  // Reading the metric resets the maximum.
  await Promise.all(Object.values(metrics).map(longestPause));
  const before = product.pids();
  for (const name of watched) if (before[name] !== undefined) resetPeakMemory(before[name]);
  const linesBefore = linesOf(turnsFile).length;
  return async () => {
    const after = product.pids();
    const died = watched.filter((name) => after[name] === undefined || after[name] !== before[name]);
    const alive = watched.filter((name) => !died.includes(name));
    const [api, worker] = await Promise.all([longestPause(metrics.api), longestPause(metrics.worker)]);
    const lines = linesOf(turnsFile).slice(linesBefore);
    const turns = { api: longestTurn(lines, after.api), worker: longestTurn(lines, after.worker) };
    return {
      turnMs: Object.fromEntries(Object.entries(turns).filter(([, ms]) => ms !== undefined)),
      peakMb: Object.fromEntries(alive.map((name) => [name, peakMemoryMb(after[name] ?? 0)])),
      pauseMs: { api, worker },
      died,
    };
  };
};
