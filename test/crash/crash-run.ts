import type { Scope } from '../../src/lib/scope.js';
import { createBalancer } from '../harness/balancer.js';
import { createChaos, type Disruption, disruptionText } from '../harness/chaos.js';
import type { Deployment, DeploymentOptions, SmallDisk } from '../harness/deployment.js';
import { createRandom } from '../harness/random.js';
import { type Outcome, type Sending, sendFile } from '../harness/sending.js';
import { type Kept, withDeployment } from '../harness/with-deployment.js';
import { checkRun, type Verdict } from './checker.js';
import { createLoad, type Load } from './load.js';

export interface CrashOptions {
  /** Number of disruptions with recovery. */
  readonly cycles: number;
  readonly seed: number;
  /** Time limit of the run. */
  readonly minutes: number;
  readonly apis: number;
  readonly workers: number;
  readonly clients: number;
  readonly datasets: number;
  /** Rows of the largest files, about 45 bytes each. */
  readonly largestRows: number;
  readonly longestStopMs: number;
  /** Name prefixes of the processes to disrupt; empty for all. */
  readonly targets: readonly string[];
  /** Component with its files on a separate file system. */
  readonly smallDisk?: SmallDisk;
  /** Whether clients use a load balancer in front of the ready API processes. @default each request picks a process */
  readonly balanced?: boolean;
  readonly settings?: DeploymentOptions['settings'];
  /** Sends a file. @default one attempt, without retries */
  readonly send?: (sending: Sending) => Promise<Outcome>;
  readonly say: (line: string) => void;
}

export interface CrashReport extends Verdict, Kept {
  readonly seed: number;
  readonly cycles: number;
  readonly disruptions: readonly Disruption[];
  readonly uploads: number;
  readonly seconds: number;
}

/** Inputs of a scenario. */
export interface Stage {
  readonly product: Deployment;
  readonly load: Load;
  readonly options: CrashOptions;
}

/** Actions of a scenario, and the faults it found. */
export interface ScenarioResult {
  readonly cycles: number;
  readonly disruptions: readonly Disruption[];
  readonly faults: readonly string[];
}

export type Scenario = (stage: Stage) => Promise<ScenarioResult>;

const recoveryMs = 120_000;
const settleMs = 120_000;

/** Kills and stops processes at random times. */
export const randomDisruptions: Scenario = async ({ product, load, options }) => {
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
  const disruptions: Disruption[] = [];
  let cycles = 0;
  while (cycles < options.cycles && Date.now() < until) {
    const { disruptions: caused, fault } = await chaos.cycle();
    cycles += 1;
    disruptions.push(...caused);
    if (fault !== undefined) return { cycles, disruptions, faults: [fault] };
    say(`${cycles}: ${disruptionText(caused)}; uploads ${load.ledger.entries.length}`);
  }
  return { cycles, disruptions, faults: [] };
};

/** Returns the product with a load balancer in front of its API processes. */
const balance = async (product: Deployment, scope: Scope): Promise<Deployment> => {
  const { url, close } = await createBalancer(product.apis);
  await scope.defer('load balancer', close);
  return { ...product, apis: [url] };
};

/** Starts the product, uploads during the scenario, checks the result, and stops everything. */
export const runCrash = async (
  options: CrashOptions,
  scenario: Scenario = randomDisruptions,
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
    let played: ScenarioResult;
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
