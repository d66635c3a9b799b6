/**
 * Restarts all processes of the product in turn while clients upload, download and query providers: no request fails, no
 * upload is lost, no download is cut off.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { components } from '../harness/deployment.js';
import { createReader } from '../harness/reader.js';
import { restart } from '../harness/restart.js';
import { type Outcome, type Sending, sendFile } from '../harness/sending.js';
import { createTable } from '../harness/steady-table.js';
import { localSeries, startLocalProvider } from '../support/local-provider.js';
import { type CrashOptions, type CrashReport, runCrash, type Stage } from './crash-run.js';

export interface RollingReport extends CrashReport {
  readonly restarts: number;
  /** Longest time from the signal until the process was ready again, milliseconds. */
  readonly longestRestartMs: number;
  /** Number of downloads and provider requests. */
  readonly reads: number;
  /** Reads during the restart of a process. */
  readonly readsDuringRestarts: number;
  /** Requests retried by their clients. */
  readonly retried: number;
}

const maxRetries = 20;

/** Sends a file and retries only after 502 or 503. */
const createSend =
  (faults: string[], onRetry: () => void) =>
  async (sending: Sending): Promise<Outcome> => {
    for (let left = maxRetries; ; left -= 1) {
      const outcome = await sendFile(sending);
      if (sending.hangUpAfter !== undefined) return outcome;
      const seen = outcome.kind === 'broken' ? 0 : outcome.status;
      if ((seen === 502 || seen === 503) && left > 0) {
        onRetry();
        await sleep(1_000);
        continue;
      }
      if (seen === 0 || seen >= 500)
        faults.push(`upload ${sending.requestId} failed: ${JSON.stringify(outcome)}`);
      return outcome;
    }
  };

export const runRolling = async (options: CrashOptions): Promise<RollingReport> => {
  const { say } = options;
  const faults: string[] = [];
  const restarts: number[] = [];
  let restarting = 0;
  let reads = 0;
  let readsDuringRestarts = 0;
  let retried = 0;
  const upstream = await startLocalProvider();

  const readWhileRestarting = async ({ product, load }: Stage) => {
    const table = await createTable(product);
    // Checked by its readers.
    load.ledger.unchecked.add(table.datasetId);
    const base = product.apis[0] ?? '';
    const reader = createReader(product.authorization);
    let stopping = false;
    const readUntilStopped = async (what: string, read: () => Promise<string | undefined>): Promise<void> => {
      while (!stopping) {
        const before = restarts.length + restarting;
        try {
          const fault = await read();
          if (fault !== undefined) faults.push(`${what}: ${fault}`);
        } catch (error) {
          faults.push(`${what}: ${error instanceof Error ? error.message : error}`);
        }
        reads += 1;
        if (restarting > 0 || restarts.length + restarting !== before) readsDuringRestarts += 1;
      }
    };
    let number = 0;
    const readProvider = async (): Promise<string | undefined> => {
      number += 1;
      const { status } = await reader.read(`${base}${localSeries(`S${number}`)}`);
      return status === 200 ? undefined : `answered ${status}`;
    };
    const clients = [
      readUntilStopped('link', () => table.readByLink(reader)),
      readUntilStopped('rows', () => table.readRows(reader)),
      readUntilStopped('rows', () => table.readRows(reader)),
      readUntilStopped('provider', readProvider),
      readUntilStopped('provider', readProvider),
    ];
    return async (): Promise<void> => {
      stopping = true;
      await Promise.all(clients);
      retried += reader.retried;
      reader.close();
    };
  };

  try {
    const report = await runCrash(
      {
        ...options,
        balanced: true,
        settings: { providerUrls: upstream.providerUrls },
        send: createSend(faults, () => {
          retried += 1;
        }),
      },
      async (stage) => {
        const { product } = stage;
        const stop = await readWhileRestarting(stage);
        const until = Date.now() + options.minutes * 60_000;
        const names = product.names.filter((name) => !components.some((component) => component === name));
        let cycles = 0;
        try {
          for (; cycles < options.cycles && (cycles === 0 || Date.now() < until); cycles += 1) {
            for (const name of names) {
              restarting += 1;
              const ms = await restart(product, name);
              restarting -= 1;
              restarts.push(ms);
              say(
                `round ${cycles + 1}: ${name} ready again after ${ms} ms; reads ${reads}, faults ${faults.length}`,
              );
            }
          }
        } finally {
          await stop();
        }
        // Pending uploads may still add faults.
        return { cycles, disruptions: [], faults };
      },
    );
    return {
      ...report,
      restarts: restarts.length,
      longestRestartMs: Math.max(...restarts),
      reads,
      readsDuringRestarts,
      retried,
    };
  } finally {
    upstream.close();
  }
};
