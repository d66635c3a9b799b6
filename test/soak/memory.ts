/** Memory of each process over time. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/support/statistics.js';
import { familyOf } from '../harness/chaos.js';
import type { Deployment } from '../harness/deployment.js';

export interface Life {
  readonly pid: number;
  readonly samples: readonly { readonly atMs: number; readonly mb: number }[];
}

export interface ProcessMemory {
  readonly name: string;
  /** Number of starts. */
  readonly lives: number;
  readonly peakMb: number;
  /** Longest lifetime, seconds. */
  readonly longestSeconds: number;
  /** Medians of the second and last third of the longest lifetime. */
  readonly middleMb: number;
  readonly lastMb: number;
  /** Growth between the two; undefined if the lifetime is too short. */
  readonly mbPerMinute: number | undefined;
  readonly verdict: 'flat' | 'grows' | 'too short to tell';
}

const sampleMs = 2_000;
/** Minimum lifetime to judge: caches and heap fill in the first minutes. */
const shortestLifeMs = 150_000;
/** Growth attributed to garbage collection. */
const noise = { share: 0.15, mb: 32 } as const;

/**
 * Proportional set size (`Pss`) without shared memory, so that PostgreSQL's processes per connection can be added up.
 * Undefined if the process has just exited.
 */
const residentMb = (pid: number): number | undefined => {
  try {
    const shares = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kb = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(shares)?.[1] ?? 0);
    return (kb('Pss_Anon') + kb('Pss_File')) / 1024;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
};

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

export const judgeMemory = (name: string, lives: readonly Life[]): ProcessMemory => {
  const spanOf = ({ samples }: Life): number => (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
  const longest = lives.reduce<Life | undefined>(
    (best, life) => (best === undefined || spanOf(life) > spanOf(best) ? life : best),
    undefined,
  );
  const samples = longest?.samples ?? [];
  const third = Math.floor(samples.length / 3);
  const middleMb = median(samples.slice(third, 2 * third).map(({ mb }) => mb));
  const lastMb = median(samples.slice(2 * third).map(({ mb }) => mb));
  const spanMs = longest === undefined ? 0 : spanOf(longest);
  const isLong = spanMs >= shortestLifeMs;
  const growth = lastMb - middleMb;
  const grows = growth > Math.max(noise.mb, noise.share * middleMb);
  return {
    name,
    lives: lives.length,
    peakMb: Math.max(0, ...lives.flatMap((life) => life.samples.map(({ mb }) => mb))),
    longestSeconds: Math.round(spanMs / 1_000),
    middleMb,
    lastMb,
    mbPerMinute: isLong ? growth / (spanMs / 3 / 60_000) : undefined,
    verdict: isLong ? (grows ? 'grows' : 'flat') : 'too short to tell',
  };
};

/** Samples the memory of all processes of the product until `stop`, which returns the results. */
export const watchMemory = (product: Deployment): { stop(): Promise<ProcessMemory[]> } => {
  const lives = new Map<string, { pid: number; samples: { atMs: number; mb: number }[] }[]>();
  const stopping = new AbortController();
  const sample = (): void => {
    for (const name of product.names) {
      const pid = product.pid(name);
      if (pid === undefined) continue;
      const own = residentMb(pid);
      if (own === undefined) continue;
      // PostgreSQL has a process per connection.
      const children = name === 'postgres' ? familyOf(pid).slice(1) : [];
      const mb = own + sumOf(children.map((child) => residentMb(child) ?? 0));
      const known = lives.get(name) ?? [];
      lives.set(name, known);
      let life = known.at(-1);
      if (life?.pid !== pid) {
        life = { pid, samples: [] };
        known.push(life);
      }
      life.samples.push({ atMs: performance.now(), mb });
    }
  };
  const watching = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      sample();
      await sleep(sampleMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
      return [...lives].map(([name, known]) => judgeMemory(name, known));
    },
  };
};
