import type { Log } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import type { BenchContext, BenchEntry } from './bench.js';
import type { Figure } from './figure.js';
import type { ProductPool } from './product-pool.js';
import type { BenchResult } from './report.js';

export interface RunnerOptions {
  readonly quick: boolean;
  readonly pool: ProductPool;
  readonly say: (text: string) => void;
  readonly log: Log;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

/** Rejects at the timeout, when the run is stopped, or on an uncaught exception. */
const faults = (limitMinutes: number, signal: AbortSignal) => {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const timer = setTimeout(
    () => reject(new Error(`not done within ${limitMinutes} minutes`)),
    limitMinutes * 60_000,
  );
  const onAbort = (): void => reject(new Error('the run was stopped'));
  signal.addEventListener('abort', onAbort, { once: true });
  process.on('uncaughtException', reject);
  return {
    promise,
    end: (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      process.off('uncaughtException', reject);
    },
  };
};

/** Runs one bench. Never rejects: a failure is a result too. */
export const runBench = async (entry: BenchEntry, options: RunnerOptions): Promise<BenchResult> => {
  const { quick, pool, say, log, signal } = options;
  const scope = createScope(log);
  const reported: Figure[] = [];
  const context: BenchContext = {
    quick,
    report: (figures) => void reported.push(...figures),
    pick: (full, brief) => (quick ? brief : full),
    say,
    product: pool.openFor(scope),
    defer: scope.defer,
  };
  const startedAt = performance.now();
  const result = (figures: readonly Figure[], failure?: string): BenchResult => ({
    bench: entry.name,
    at: new Date().toISOString(),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    figures: [...reported, ...figures],
    ...(failure === undefined ? {} : { failure }),
  });
  const fault = faults(entry.limitMinutes ?? 15, signal);
  try {
    return result(await Promise.race([entry.run(context), fault.promise]));
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return result([], failure);
  } finally {
    // Pending requests of an aborted bench may still fail while the product stops.
    await scope.close();
    fault.end();
  }
};
