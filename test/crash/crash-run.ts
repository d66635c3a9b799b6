import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { type Blow, createChaos } from './chaos.js';
import { checkRun, type Verdict } from './checker.js';
import { createLoad } from './load.js';
import { startCrashProduct } from './product.js';
import { createRandom } from './random.js';

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
  readonly say: (line: string) => void;
}

export interface CrashReport extends Verdict {
  readonly seed: number;
  readonly cycles: number;
  readonly blows: readonly Blow[];
  readonly uploads: number;
  readonly seconds: number;
  /** Folder with the logs, kept when something is wrong. */
  readonly kept: string | undefined;
}

const recoveryMs = 120_000;
const settleMs = 120_000;

/** Breaks the product for as long as asked and judges it; everything that was started is stopped. */
export const runCrash = async (options: CrashOptions): Promise<CrashReport> => {
  const { seed, say, largestRows, targets } = options;
  const startedAt = Date.now();
  const log = createLog('crash', 'fatal', 2);
  const scope = createScope(log);
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-crash-'));
  let whole = false;
  try {
    const { apis, workers } = options;
    const product = await startCrashProduct({ dataDir, apis, workers, log, scope });
    say(`started in ${dataDir}: ${product.names.join(', ')}`);
    const load = await createLoad({
      product,
      seed,
      largestRows,
      clients: options.clients,
      datasets: options.datasets,
    });
    const chaos = createChaos({
      product,
      random: createRandom(seed),
      targets: product.names.filter(
        (name) => targets.length === 0 || targets.some((start) => name.startsWith(start)),
      ),
      longestStopMs: options.longestStopMs,
      recoveryMs,
    });
    const blows: Blow[] = [];
    const faults: string[] = [];
    let cycles = 0;
    try {
      while (cycles < options.cycles && Date.now() - startedAt < options.minutes * 60_000) {
        const struck = await chaos.cycle();
        cycles += 1;
        blows.push(...struck);
        const what = struck.map(({ action, target, stoppedMs }) =>
          `${action} ${target} ${stoppedMs || ''}`.trim(),
        );
        say(`${cycles}: ${what.join(' + ')}; uploads ${load.ledger.entries.length}`);
      }
    } catch (error) {
      faults.push(String(error));
    } finally {
      await load.stop();
    }
    say('checking');
    const verdict = await checkRun({ product, ledger: load.ledger, largestRows, settleMs });
    faults.push(...verdict.faults);
    whole = faults.length === 0;
    return {
      ...verdict,
      faults,
      seed,
      cycles,
      blows,
      uploads: load.ledger.entries.length,
      seconds: Math.round((Date.now() - startedAt) / 1000),
      kept: whole ? undefined : dataDir,
    };
  } finally {
    await scope.close();
    if (whole) await rm(dataDir, { recursive: true, force: true });
  }
};
