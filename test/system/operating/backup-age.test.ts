/** Metric of the last successful backup. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBackup } from '../../../src/compose/backup.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let folder: string;
const scope = createScope(silentLog);

beforeAll(async () => {
  product = await startProduct({ watchIntervalMs: '200' }, silentLog);
  await product.createAccount('owner');
  folder = await mkdtemp(join(tmpdir(), 'tabulary-age-'));
});

afterAll(async () => {
  await scope.close();
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

const backupTo = async (place: string) => {
  const { config, sql } = product;
  const parts = { config, sql, log: silentLog, scope, place, databaseUrl: config.databaseUrl ?? '' };
  return (await openBackup(parts, '1.2.3')).run({ keep: 2 });
};

const shown = async (): Promise<number | undefined> => {
  const text = await (await fetch(`${product.baseUrl.replace(/\/api$/, '')}/metrics`)).text();
  const value = /^tabulary_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
};

it('the metric is absent before the first backup, 0 while none has succeeded, then the time of the last successful one', async () => {
  await expect.poll(shown).toBeUndefined();
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(backupTo(file)).rejects.toThrow();
  await expect.poll(shown).toBe(0);

  await backupTo(join(folder, 'good'));
  const { takenAt } = await backupTo(join(folder, 'good'));
  const newest = Math.floor(Date.parse(`${takenAt}Z`) / 1000);
  await expect.poll(shown).toBe(newest);

  await expect(backupTo(file)).rejects.toThrow();
  await expect.poll(shown).toBe(newest);
});
