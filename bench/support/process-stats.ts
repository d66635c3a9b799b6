import { readFileSync, writeFileSync } from 'node:fs';

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

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
