import type { Scope } from '../../src/lib/scope.js';
import { createBalancer } from '../harness/balancer.js';
import { type Blow, blowText, createChaos } from '../harness/chaos.js';
import type { Deployment, DeploymentOptions, SmallDisk } from '../harness/deployment.js';
import { createRandom } from '../harness/random.js';
import { type Outcome, type Sending, sendFile } from '../harness/sending.js';
import { type Kept, withDeployment } from '../harness/with-deployment.js';
import { checkRun, type Verdict } from './checker.js';
import { createLoad, type Load } from './load.js';

export interface CrashOptions {
  /** Blows and recoveries. */
  readonly cycles: number;
  readonly seed: number;
  /** Ends the run earlier, after this many minutes. */
  readonly minutes: number;
  readonly apis: number;
  readonly workers: number;
  readonly clients: number;
  readonly datasets: number;
  /** Rows of the largest files, some 45 bytes each. */
  readonly largestRows: number;
  readonly longestStopMs: number;
  /** Starts of the names of what is broken; everything when empty. */
  readonly targets: readonly string[];
  /** A component whose files lie on a file system of its own. */
  readonly smallDisk?: SmallDisk;
  /** Clients reach the API processes by one address, which leads to those that are ready. @default they pick one */
  readonly balanced?: boolean;
  readonly settings?: DeploymentOptions['settings'];
  /** How a client sends a file. @default once, whatever comes of it */
  readonly send?: (sending: Sending) => Promise<Outcome>;
  readonly say: (line: string) => void;
}

export interface CrashReport extends Verdict, Kept {
  readonly seed: number;
  readonly cycles: number;
  readonly blows: readonly Blow[];
  readonly uploads: number;
  readonly seconds: number;
}

/** Tools of a scenario while clients upload. */
export interface Stage {
  readonly product: Deployment;
  readonly load: Load;
  readonly options: CrashOptions;
}

/** Actions of a scenario, and the faults that it found itself. */
export interface Played {
  readonly cycles: number;
  readonly blows: readonly Blow[];
  readonly faults: readonly string[];
}

export type Scenario = (stage: Stage) => Promise<Played>;

const recoveryMs = 120_000;
const settleMs = 120_000;

/** Kills and stops at random instants. */
export const randomBlows: Scenario = async ({ product, load, options }) => {
  const { seed, targets, longestStopMs, say } = options;
  const chaos = createChaos({
    product,
    random: createRandom(seed),
    targets: product.names.filter(
      (name) => targets.length === 0 || targets.some((start) => name.startsWith(start)),
    ),
    longestStopMs,
    recoveryMs,
  });
  const until = Date.now() + options.minutes * 60_000;
  const blows: Blow[] = [];
  let cycles = 0;
  while (cycles < options.cycles && Date.now() < until) {
    const { blows: struck, fault } = await chaos.cycle();
    cycles += 1;
    blows.push(...struck);
    if (fault !== undefined) return { cycles, blows, faults: [fault] };
    say(`${cycles}: ${blowText(struck)}; uploads ${load.ledger.entries.length}`);
  }
  return { cycles, blows, faults: [] };
};

/** The product as clients reach it behind a load balancer. */
const balance = async (product: Deployment, scope: Scope): Promise<Deployment> => {
  const { url, close } = await createBalancer(product.apis);
  await scope.defer('load balancer', close);
  return { ...product, apis: [url] };
};

/** Starts the product, uploads while the scenario is played, and judges it; everything that was started is stopped. */
export const runCrash = async (
  options: CrashOptions,
  scenario: Scenario = randomBlows,
): Promise<CrashReport> => {
  const { seed, say, largestRows, apis, workers, clients, datasets, smallDisk, settings } = options;
  const startedAt = Date.now();
  const processes = {
    apis,
    workers,
    ...(smallDisk === undefined ? {} : { smallDisk }),
    ...(settings === undefined ? {} : { settings }),
  };
  return withDeployment({ ...processes, say }, async (started, scope) => {
    const product = options.balanced ? await balance(started, scope) : started;
    const load = await createLoad({
      product,
      seed,
      largestRows,
      clients,
      datasets,
      send: options.send ?? sendFile,
    });
    let played: Played;
    try {
      played = await scenario({ product, load, options });
    } finally {
      await load.stop();
    }
    say('checking');
    const verdict = await checkRun({ product, ledger: load.ledger, largestRows, settleMs });
    return {
      ...verdict,
      ...played,
      faults: [...played.faults, ...verdict.faults],
      seed,
      uploads: load.ledger.entries.length,
      seconds: Math.round((Date.now() - startedAt) / 1000),
    };
  });
};
