/**
 * Runs uploads of all sizes and modes, reads in all formats, aggregations, provider requests and event streams at the same
 * time while processes are restarted, killed and stopped. `api-1` and `worker-1` are not disturbed, to observe their memory over the
 * whole time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrashReport, runCrash, type Scenario, type Stage } from '../crash/crash-run.js';
import { createChaos, disruptionText } from '../harness/chaos.js';
import { createRandom } from '../harness/random.js';
import { count } from '../harness/report.js';
import { restart } from '../harness/restart.js';
import { type Outcome, type Sending, sendFile } from '../harness/sending.js';
import { createDataset, createTable } from '../harness/steady-table.js';
import { startLocalProvider } from '../support/local-provider.js';
import { createFollower } from './following.js';
import { type ProcessMemory, watchMemory } from './memory.js';
import { createQuestions, weights } from './questions.js';
import { send } from './request.js';
import { createTally, type KindTally, type Tally } from './tally.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Number of clients of each kind: uploading, reading, and following uploads. */
  readonly clients: number;
  /** Longest pause between two restarts or disruptions. */
  readonly calmMs: number;
  readonly say: (line: string) => void;
}

export interface SoakReport extends Pick<CrashReport, 'faults' | 'outcomes' | 'rowsChecked' | 'kept'> {
  readonly seed: number;
  readonly minutes: number;
  readonly kinds: readonly KindTally[];
  readonly memory: readonly ProcessMemory[];
  /** Restarts, kills and stops by target. */
  readonly disruptions: Readonly<Record<string, number>>;
}

/** Processes that are not disturbed, to observe their memory over the whole run. */
const undisturbed = ['api-1', 'worker-1'];

const timed =
  (tally: Tally) =>
  async (sending: Sending): Promise<Outcome> => {
    const startedAt = performance.now();
    const outcome = await sendFile(sending);
    const kind = sending.hangUpAfter === undefined ? 'upload' : 'upload, aborted by client';
    const result =
      outcome.kind === 'broken'
        ? 'broken'
        : outcome.status === 502 || outcome.status === 503
          ? 'refused'
          : 'whole';
    tally.note(kind, result, performance.now() - startedAt);
    return outcome;
  };

/** Starts the reading clients; the returned function stops them. */
const startReaders = async (
  { product, load }: Stage,
  tally: Tally,
  { clients, seed }: SoakOptions,
): Promise<() => Promise<void>> => {
  const { datasetId } = await createTable(product);
  // Checked by its readers, as are the datasets below.
  load.ledger.unchecked.add(datasetId);
  const questions = await createQuestions(product, datasetId);
  let stopping = false;
  const read = async (number: number): Promise<void> => {
    const random = createRandom(seed + 104_729 * (number + 1));
    while (!stopping) {
      const { path, ...question } = questions[random.weighted(weights)]!(random);
      const url = `${random.pick(product.apis)}${path}`;
      const answer = await send(tally, {
        ...question,
        url,
        headers: { authorization: product.authorization },
      });
      await sleep(answer === undefined ? random.between(300, 900) : random.between(0, 200));
    }
  };
  const follow = async (number: number): Promise<void> => {
    const random = createRandom(seed + 15_485_863 * (number + 1));
    const own = await createDataset(product, `followed ${number}`);
    load.ledger.unchecked.add(own);
    const once = createFollower(product, tally, random, own);
    while (!stopping) {
      await once();
      await sleep(random.between(100, 1_000));
    }
  };
  const running = Array.from({ length: clients }, (_, number) => [read(number), follow(number)]).flat();
  return async () => {
    stopping = true;
    await Promise.all(running);
  };
};

/** Restarts, kills and stops processes in sequence, with pauses, until the time is over. */
const disturb = async (
  { product }: Stage,
  { minutes, seed, calmMs, say }: SoakOptions,
  counts: Record<string, number>,
): Promise<{ readonly cycles: number; readonly faults: string[] }> => {
  const random = createRandom(seed);
  const targets = product.names.filter((name) => !undisturbed.includes(name));
  const processes = targets.filter((name) => /^(?:api|worker)-/.test(name));
  const chaos = createChaos({ product, random, targets, longestStopMs: 8_000, recoveryMs: 180_000 });
  const until = Date.now() + minutes * 60_000;
  const note = (what: string): void => count(counts, what.replace(/-\d+$/, ''));
  let cycles = 0;
  for (; Date.now() < until; cycles += 1) {
    await sleep(Math.min(random.between(calmMs / 4, calmMs), Math.max(0, until - Date.now())));
    if (random.chance(0.4)) {
      const name = random.pick(processes);
      const ms = await restart(product, name);
      note(`restart ${name}`);
      say(`restart ${name}: ready again after ${ms} ms`);
      continue;
    }
    const { disruptions, fault } = await chaos.cycle();
    for (const { action, target } of disruptions) note(`${action} ${target}`);
    say(disruptionText(disruptions));
    if (fault !== undefined) return { cycles, faults: [fault] };
  }
  return { cycles, faults: [] };
};

export const runSoak = async (options: SoakOptions): Promise<SoakReport> => {
  const { seed, clients, say, minutes } = options;
  const tally = createTally();
  const counts: Record<string, number> = {};
  let memory: ProcessMemory[] = [];
  const scenario: Scenario = async (stage) => {
    const stopReaders = await startReaders(stage, tally, options);
    const watch = watchMemory(stage.product);
    let played: Awaited<ReturnType<typeof disturb>>;
    try {
      played = await disturb(stage, options, counts);
    } finally {
      await stopReaders();
      memory = await watch.stop();
    }
    const grown = memory.filter(({ name, verdict }) => undisturbed.includes(name) && verdict === 'grows');
    const faults = grown.map(({ name, middleMb, lastMb }) => `${name} grew from ${middleMb} to ${lastMb} MB`);
    return { cycles: played.cycles, disruptions: [], faults: [...played.faults, ...tally.faults, ...faults] };
  };
  const provider = await startLocalProvider();
  try {
    const report = await runCrash(
      {
        cycles: Number.POSITIVE_INFINITY,
        seed,
        minutes,
        apis: 2,
        workers: 2,
        clients,
        datasets: 5,
        largestRows: 200_000,
        longestStopMs: 8_000,
        targets: [],
        settings: { providerUrls: provider.providerUrls },
        send: timed(tally),
        say,
      },
      scenario,
    );
    const { faults, outcomes, rowsChecked, kept } = report;
    return {
      seed,
      minutes,
      kinds: tally.kinds,
      memory,
      disruptions: counts,
      faults,
      outcomes,
      rowsChecked,
      kept,
    };
  } finally {
    provider.close();
  }
};
