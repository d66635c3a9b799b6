/**
 * Random changes of all modes, with versions removed, restored and cloned, while segments are joined. Every version is
 * compared byte for byte with a model in memory, before and after segments are joined and swept.
 *
 *   CHANGE_DATASETS   number of datasets, each with more than a dozen changes
 *   CHANGE_SEED       seed of the first one
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openVerification } from '../../../src/compose/verification.js';
import { runAdmin } from '../../support/admin.js';
import { changeAtRandom, changesOfRound, rounds } from '../../support/changes/random.js';
import type { Client } from '../../support/datasets.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const datasets = Number(process.env.CHANGE_DATASETS ?? 16);
const seed = Number(process.env.CHANGE_SEED ?? 20_261_125);

let product: TestProduct;
let client: Client;

beforeAll(async () => {
  product = await startProduct({
    // Larger datasets have their own tables.
    poolMaxRows: '12',
    patchMaxPercent: '80',
    firstChunkBytes: '256',
    chunkBytes: '1024',
    compactionIntervalMs: '300',
    compactionMinSegments: '3',
    // The test sweeps itself while there are no readers.
    storageSweepIntervalMs: '86400000',
  });
  client = await product.createAccount('owner');
});

afterAll(() => product?.close());

it(`every version of ${datasets} randomly changed datasets matches the model (seed ${seed})`, {
  timeout: longestTestMs + datasets * 10_000,
}, async () => {
  const changes = await changeAtRandom(product, client, { datasets, seed });
  expect(changes).toBeGreaterThan(datasets * rounds * changesOfRound * 0.8);
  const [seen] = await product.sql.query(
    `SELECT (SELECT count(*) > 0 FROM compactions WHERE state = 'done') AS joined,
       (SELECT count(*) > 0 FROM compactions WHERE state = 'done' AND folds) AS folded,
       (SELECT count(*) > 0 FROM segments WHERE slot_map_id IS NULL AND rows > 0) AS "ownTables",
       (SELECT count(*) > 0 FROM segments WHERE patch) AS patches,
       (SELECT count(*) > 0 FROM segments WHERE slot_map_id IS NOT NULL AND rows > 0) AS pools`,
  );
  expect(seen).toEqual({ joined: true, folded: true, ownTables: true, patches: true, pools: true });
  const verified = await runAdmin(product, [createVerifyCommands(openVerification)], 'verify --json');
  expect(JSON.parse(verified.output)).toMatchObject({ faults: [] });
});
