/** Random changes of many datasets, whose versions are checked before and after segments are joined. */
import type { Client } from '../datasets.js';
import type { TestProduct } from '../product.js';
import { checkHistory } from './checks.js';
import { changeOnce, createHistory, type History } from './history.js';
import { joinAndSweep } from './maintenance.js';

export const rounds = 3;
export const changesOfRound = 5;
/** Number of datasets that are changed concurrently. */
const concurrency = 8;

/** Processes histories concurrently. Errors include the log of the dataset. */
const forEach = async (histories: readonly History[], work: (history: History) => Promise<void>) => {
  const pending = [...histories];
  const next = async (): Promise<void> => {
    for (let history = pending.shift(); history !== undefined; history = pending.shift()) {
      const { dataset, log } = history;
      await work(history).catch((error: unknown) => {
        throw new Error(
          `dataset ${dataset}: ${error instanceof Error ? error.message : error}\n${log.join('\n')}`,
        );
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, next));
};

const runBatch = async (
  product: TestProduct,
  client: Client,
  first: number,
  count: number,
): Promise<number> => {
  const histories: History[] = [];
  for (let at = 0; at < count; at += 1) histories.push(await createHistory(client, first + at));
  for (let round = 0; round < rounds; round += 1) {
    await forEach([...histories], async (history) => {
      for (let change = 0; change < changesOfRound; change += 1) {
        const copy = await changeOnce(client, history);
        if (copy !== undefined) histories.push(copy);
      }
    });
    if (round === 0) await forEach(histories, (history) => checkHistory(client, history));
    await joinAndSweep(product);
    await forEach(histories, (history) => checkHistory(client, history));
  }
  return histories.reduce((sum, { log }) => sum + log.length - 1, 0);
};

/** @param seed seed of the first dataset. @returns number of changes. */
export const changeAtRandom = async (
  product: TestProduct,
  client: Client,
  { datasets, seed }: { readonly datasets: number; readonly seed: number },
): Promise<number> => {
  let changes = 0;
  for (let at = 0; at < datasets; at += concurrency)
    changes += await runBatch(product, client, seed + at, Math.min(concurrency, datasets - at));
  return changes;
};
