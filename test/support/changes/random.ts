/** Random changes of many datasets, whose versions are compared with plain tables before and after segments are joined. */
import type { Client } from '../datasets.js';
import type { TestProduct } from '../product.js';
import { checkHistory } from './checks.js';
import { changeOnce, createHistory, type History } from './history.js';
import { joinAndSweep } from './maintenance.js';

export const rounds = 3;
export const changesOfRound = 5;
/** Datasets that are changed at the same time. */
const atOnce = 8;

/** Does something for each history; an error says what was done to the dataset. */
const forEach = async (histories: readonly History[], work: (history: History) => Promise<void>) => {
  const waiting = [...histories];
  const next = async (): Promise<void> => {
    for (let history = waiting.shift(); history !== undefined; history = waiting.shift()) {
      const { dataset, log } = history;
      await work(history).catch((error: unknown) => {
        throw new Error(
          `dataset ${dataset}: ${error instanceof Error ? error.message : error}\n${log.join('\n')}`,
        );
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
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

/** @param seed Of the first dataset. @returns Number of changes. */
export const changeAtRandom = async (
  product: TestProduct,
  client: Client,
  { datasets, seed }: { readonly datasets: number; readonly seed: number },
): Promise<number> => {
  let changes = 0;
  for (let at = 0; at < datasets; at += atOnce)
    changes += await runBatch(product, client, seed + at, Math.min(atOnce, datasets - at));
  return changes;
};
