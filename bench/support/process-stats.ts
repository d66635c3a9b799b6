import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figure.js';
import type { RunningProduct } from './product.js';

/** Clock ticks per second of /proc (Linux reports 100 to user space on every platform). */
const ticksPerSecond = 100;

/** CPU seconds (user and system) a process has used so far. */
export const cpuSeconds = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may contain spaces, so fields are counted after its closing parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

/** Largest resident memory in MB since the last reset. */
export const peakMemoryMb = (pid: number): number => {
  const kb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
};

export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

type Pids = Readonly<Record<string, number>>;

export const cpuOf = (pids: Pids): Record<string, number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds(pid)]));

export const difference = (
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after).map(([name, value]) => [
      name,
      Math.round((value - (before[name] ?? 0)) * 100) / 100,
    ]),
  );

/** CPU time and peak memory of the product's processes, by process name. */
export interface Usage {
  readonly cpuSeconds: Readonly<Record<string, number>>;
  readonly peakMemoryMb: Readonly<Record<string, number>>;
}

export interface Measured<T> {
  readonly value: T;
  readonly seconds: number;
  readonly usage: Usage;
}

/** Runs `work` and measures its duration and the resource usage of the product. */
export const measure = async <T>(product: RunningProduct, work: () => Promise<T>): Promise<Measured<T>> => {
  const pids = product.pids();
  for (const pid of Object.values(pids)) resetPeakMemory(pid);
  const before = cpuOf(pids);
  const startedAt = performance.now();
  const value = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const peaks = Object.entries(pids).map(([name, pid]): [string, number] => [name, peakMemoryMb(pid)]);
  return {
    value,
    seconds,
    usage: { cpuSeconds: difference(cpuOf(pids), before), peakMemoryMb: Object.fromEntries(peaks) },
  };
};

/** CPU seconds per second below which the product counts as idle; Kafka alone uses about 0.06. */
const idleCpu = 0.25;

/**
 * Waits until the product is idle, so that background work after an upload does not affect the next measurement.
 * Returns after two minutes in any case.
 */
export const untilQuiet = async (product: RunningProduct): Promise<void> => {
  const usedCpu = async (): Promise<number> => {
    const before = cpuOf(product.pids());
    await sleep(1_000);
    return Object.values(difference(cpuOf(product.pids()), before)).reduce((sum, each) => sum + each, 0);
  };
  for (let quiet = 0, seconds = 0; quiet < 2 && seconds < 120; seconds += 1)
    quiet = (await usedCpu()) < idleCpu ? quiet + 1 : 0;
};

/**
 * CPU seconds and peak memory as figures. Excludes PostgreSQL, which has a process per connection; only the first is
 * known here.
 */
export const usageFigures = (prefix: string, { cpuSeconds: cpu, peakMemoryMb: peaks }: Usage): Figure[] => {
  const ours = Object.keys(peaks).filter((name) => name !== 'postgres');
  return [
    ...ours.map(
      (name): Figure => ({
        name: `${prefix}, CPU of ${name}`,
        value: cpu[name] ?? Number.NaN,
        unit: 's',
        better: 'lower',
      }),
    ),
    ...ours.map(
      (name): Figure => ({
        name: `${prefix}, peak memory of ${name}`,
        value: peaks[name] ?? Number.NaN,
        unit: 'MB',
        better: 'lower',
      }),
    ),
  ];
};

/** CPU milliseconds of one process per operation; hardly affected by other load on the machine. */
export const perOperation = (name: string, usage: Usage, process: string, operations: number): Figure => ({
  name,
  value: ((usage.cpuSeconds[process] ?? Number.NaN) * 1000) / operations,
  unit: 'ms',
  better: 'lower',
});

const parentOf = (pid: string): number | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has exited since /proc was listed.
    return undefined;
  }
};

/** CPU seconds of each process and its children; PostgreSQL has one per connection. */
export const cpuOfFamilies = (pids: Pids): Record<string, number> => {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = all.map((pid) => [Number(pid), parentOf(pid)] as const);
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [
      name,
      parents
        .filter(([own, parent]) => own === pid || parent === pid)
        .reduce((sum, [own]) => sum + cpuSeconds(own), 0),
    ]),
  );
};
