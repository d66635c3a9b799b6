/** Kills and stops components at random instants, and waits until the product is whole again. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../src/embedded/process-identity.js';
import type { Deployment } from './deployment.js';
import type { Random } from './random.js';

export interface Blow {
  readonly target: string;
  readonly action: 'kill' | 'stop';
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  /** How long a stopped process was stopped. */
  readonly stoppedMs: number;
}

export const blowText = (blows: readonly Blow[]): string =>
  blows.map(({ action, target, stoppedMs }) => `${action} ${target} ${stoppedMs || ''}`.trim()).join(' + ');

export interface Chaos {
  /** One cycle: one blow, sometimes two at once, and the recovery from it; a fault when there is none. */
  cycle(): Promise<{ readonly blows: readonly Blow[]; readonly fault: string | undefined }>;
}

export interface ChaosOptions {
  readonly product: Deployment;
  readonly random: Random;
  /** Names of what is broken; others are left alone. */
  readonly targets: readonly string[];
  readonly longestStopMs: number;
  /** Longest that the product may take to be whole again. */
  readonly recoveryMs: number;
}

/** Parent of each process that runs, by id. */
const parents = (): Map<number, number> => {
  const found = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1');
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      found.set(Number(entry), Number(parent));
    } catch (error) {
      // A process that ended while we looked.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
  return found;
};

/** The process and everything it started: the servers of PostgreSQL's connections have groups of their own. */
export const familyOf = (pid: number): number[] => {
  const known = parents();
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of known) if (parent === member) family.push(child);
  }
  return family;
};

export const createChaos = (options: ChaosOptions): Chaos => {
  const { product, random, targets: names, longestStopMs, recoveryMs } = options;
  const startedAt = Date.now();

  const strike = async (target: string): Promise<Blow> => {
    const action = random.chance(0.6) ? 'kill' : 'stop';
    // Short stops are the rule: most of the time a long one teaches nothing that a short one does not.
    const stoppedMs = action === 'kill' ? 0 : Math.round(500 + (longestStopMs - 500) * random.next() ** 3);
    const blow = { target, action, atMs: Date.now() - startedAt, stoppedMs } as const;
    const pid = product.pid(target);
    if (pid === undefined) return blow;
    if (action === 'kill') {
      sendSignal(pid, 'SIGKILL');
      return blow;
    }
    const family = familyOf(pid);
    for (const member of family) sendSignal(member, 'SIGSTOP');
    try {
      await sleep(stoppedMs);
    } finally {
      for (const member of family) sendSignal(member, 'SIGCONT');
    }
    return blow;
  };

  const recover = async (blows: readonly Blow[]): Promise<string | undefined> => {
    const deadline = Date.now() + recoveryMs;
    while (!(await product.isWhole())) {
      if (Date.now() > deadline) {
        return `the product was not whole ${recoveryMs} ms after: ${blowText(blows)}`;
      }
      await sleep(100);
    }
    return undefined;
  };

  return {
    async cycle() {
      await sleep(random.between(100, 2_500));
      const targets = [random.pick(names)];
      const others = names.filter((name) => name !== targets[0]);
      if (others.length > 0 && random.chance(0.12)) targets.push(random.pick(others));
      const blows = await Promise.all(targets.map(strike));
      // A process that was killed is noticed a moment later.
      await sleep(200);
      return { blows, fault: await recover(blows) };
    },
  };
};
