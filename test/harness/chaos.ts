/** Kills and stops components at random times and waits until the product has recovered. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../src/embedded/process-identity.js';
import type { Deployment } from './deployment.js';
import type { Random } from './random.js';

export interface Disruption {
  readonly target: string;
  readonly action: 'kill' | 'stop';
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  /** Duration of a stop, milliseconds; 0 for a kill. */
  readonly stoppedMs: number;
}

export const disruptionText = (disruptions: readonly Disruption[]): string =>
  disruptions
    .map(({ action, target, stoppedMs }) => `${action} ${target} ${stoppedMs || ''}`.trim())
    .join(' + ');

export interface Chaos {
  /** Runs one disruption, sometimes two at once, and waits for recovery; `fault` is set if there is none. */
  cycle(): Promise<{ readonly disruptions: readonly Disruption[]; readonly fault: string | undefined }>;
}

export interface ChaosOptions {
  readonly product: Deployment;
  readonly random: Random;
  /** Names of the processes to disrupt. */
  readonly targets: readonly string[];
  readonly longestStopMs: number;
  /** Maximum recovery time of the product. */
  readonly recoveryMs: number;
}

/** Parent process id by process id. */
const parents = (): Map<number, number> => {
  const found = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1');
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      found.set(Number(entry), Number(parent));
    } catch (error) {
      // The process exited meanwhile.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
  return found;
};

/** Returns the process and all its descendants; a process group would miss PostgreSQL's backends. */
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

  const disrupt = async (target: string): Promise<Disruption> => {
    const action = random.chance(0.6) ? 'kill' : 'stop';
    // Mostly short stops: long ones rarely reveal more.
    const stoppedMs = action === 'kill' ? 0 : Math.round(500 + (longestStopMs - 500) * random.next() ** 3);
    const disruption = { target, action, atMs: Date.now() - startedAt, stoppedMs } as const;
    const pid = product.pid(target);
    if (pid === undefined) return disruption;
    if (action === 'kill') {
      sendSignal(pid, 'SIGKILL');
      return disruption;
    }
    const family = familyOf(pid);
    for (const member of family) sendSignal(member, 'SIGSTOP');
    try {
      await sleep(stoppedMs);
    } finally {
      for (const member of family) sendSignal(member, 'SIGCONT');
    }
    return disruption;
  };

  const recover = async (disruptions: readonly Disruption[]): Promise<string | undefined> => {
    const deadline = Date.now() + recoveryMs;
    while (!(await product.isWhole())) {
      if (Date.now() > deadline) {
        return `the product had not recovered ${recoveryMs} ms after: ${disruptionText(disruptions)}`;
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
      const disruptions = await Promise.all(targets.map(disrupt));
      // Leaves time to notice a killed process.
      await sleep(200);
      return { disruptions, fault: await recover(disruptions) };
    },
  };
};
