import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figure.js';
import type { RunningProduct } from './product.js';

/** Clock ticks per second of /proc (Linux reports 100 to user space on every platform). */
const ticksPerSecond = 100;

/** CPU seconds (user and system) a process has used so far. */
export const cpuSeconds = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold blanks: fields are counted after it.
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

/** CPU time and memory of the product's processes for some work, by the name of the process. */
export interface Usage {
  readonly cpuSeconds: Readonly<Record<string, number>>;
  readonly peakMemoryMb: Readonly<Record<string, number>>;
}

export interface Measured<T> {
  readonly value: T;
  readonly seconds: number;
  readonly usage: Usage;
}

/** Runs `work` and measures its time and what the processes of the product took meanwhile. */
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

/** CPU seconds in a second of a product at rest, at most; Kafka alone takes some 0.06. */
const atRest = 0.25;

/**
 * Waits until the product is at rest: what it makes ahead of questions after an upload is not the business of what is
 * measured next. Ends after two minutes in any case.
 */
export const untilQuiet = async (product: RunningProduct): Promise<void> => {
  const busy = async (): Promise<number> => {
    const before = cpuOf(product.pids());
    await sleep(1_000);
    return Object.values(difference(cpuOf(product.pids()), before)).reduce((sum, each) => sum + each, 0);
  };
  for (let quiet = 0, seconds = 0; quiet < 2 && seconds < 120; seconds += 1)
    quiet = (await busy()) < atRest ? quiet + 1 : 0;
};

/**
 * CPU seconds and peak memory as figures. PostgreSQL is left out: one process per connection, of which only the first is
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

/** CPU milliseconds that one process takes for one of many equal operations: hardly depends on what else runs. */
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
    // It has ended since the folder was read.
    return undefined;
  }
};

/** CPU seconds of each process with its children: PostgreSQL has one for each connection. */
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
