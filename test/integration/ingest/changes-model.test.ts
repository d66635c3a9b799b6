/**
 * Random changes of all modes, with versions removed, restored and cloned in between, while segments are joined all the time:
 * every version that exists is compared with a plain table, byte for byte, before and after segments are joined and swept.
 *
 *   CHANGE_DATASETS   datasets that are changed; each more than a dozen times
 *   CHANGE_SEED       seed of the first one
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openVerification } from '../../../src/compose/verification.js';
import { runAdmin } from '../../support/admin.js';
import { checkHistory } from '../../support/changes/checks.js';
import { changeOnce, createHistory, type History } from '../../support/changes/history.js';
import { joinAndSweep } from '../../support/changes/maintenance.js';
import type { Client } from '../../support/datasets.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const datasets = Number(process.env.CHANGE_DATASETS ?? 8);
const seed = Number(process.env.CHANGE_SEED ?? 20_261_125);
const rounds = 3;
const changesOfRound = 5;
/** Datasets that are changed at the same time. */
const atOnce = 8;

let product: TestProduct;
let client: Client;

beforeAll(async () => {
  product = await startProduct({
    // Datasets of more rows have a table of their own.
    poolMaxRows: '12',
    patchMaxPercent: '80',
    firstChunkBytes: '256',
    chunkBytes: '1024',
    compactionIntervalMs: '300',
    compactionMinSegments: '3',
    exportsAheadBytes: '0',
    // The test sweeps by itself while nobody reads.
    storageSweepIntervalMs: '86400000',
  });
  client = await product.createAccount('owner');
});

afterAll(() => product?.close());

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

const runBatch = async (first: number, count: number): Promise<number> => {
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

it(`every version of ${datasets} datasets that change at random is that of a plain table (seed ${seed})`, {
  timeout: longestTestMs + datasets * 10_000,
}, async () => {
  let changes = 0;
  for (let at = 0; at < datasets; at += atOnce)
    changes += await runBatch(seed + at, Math.min(atOnce, datasets - at));
  expect(changes).toBeGreaterThan(datasets * rounds * changesOfRound * 0.8);
  const [seen] = await product.sql.query(
    `SELECT (SELECT count(*) > 0 FROM compactions WHERE state = 'done') AS joined,
       (SELECT count(*) > 0 FROM segments WHERE slot_map_id IS NULL AND rows > 0) AS "ownTables",
       (SELECT count(*) > 0 FROM segments WHERE patch) AS patches,
       (SELECT count(*) > 0 FROM segments WHERE slot_map_id IS NOT NULL AND rows > 0) AS pools`,
  );
  expect(seen).toEqual({ joined: true, ownTables: true, patches: true, pools: true });
  const verified = await runAdmin(product, [createVerifyCommands(openVerification)], 'verify --json');
  expect(JSON.parse(verified.output)).toMatchObject({ faults: [] });
});
