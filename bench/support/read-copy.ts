import { setTimeout as sleep } from 'node:timers/promises';
import { untilQuiet } from './process-stats.js';
import type { ProductSettings, RunningProduct } from './product.js';
import { queryClickHouse } from './requests.js';
import { download } from './stored.js';

/** Settings of a product that makes read copies at once, and only of versions with at least `rows` rows. */
export const readCopiesFrom = (rows: number): ProductSettings => ({
  readCopyMinRows: String(rows),
  readCopyQuietMs: '0',
  readCopyIntervalMs: '500',
});

/** Reads the current version of a dataset, which has `rows` rows, until the API reads it from its read copy. */
export const untilReadCopy = async (
  product: RunningProduct,
  datasetId: number,
  rows: number,
): Promise<void> => {
  const copies = `SELECT count() FROM system.tables WHERE match(name, '^r[0-9]+_') AND total_rows = ${rows}`;
  for (let turn = 0; (await queryClickHouse(product.clickhouseUrl, copies)).trim() !== '1'; turn += 1) {
    if (turn === 120) throw new Error('no read copy was made within two minutes');
    await download(product, { datasetId }, `$top=1&$skip=${turn}`)();
    await sleep(1_000);
  }
  await untilQuiet(product);
  // The API learns of the copy when it notes a read, at most every 30 seconds.
  for (let turn = 0; turn < 2; turn += 1) {
    await sleep(31_000);
    await download(product, { datasetId }, `$top=2&$skip=${turn}`)();
  }
};
