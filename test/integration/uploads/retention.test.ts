import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planCommands } from '../../../src/admin/plans.js';
import { runCommandLine } from '../../../src/admin/run.js';
import { createSweepCommands } from '../../../src/admin/sweep.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { createLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    segmentGraceMs: '0',
    // The tests count what a sweep removes, so no other sweep may run.
    sweepIntervalMs: '86400000',
    storageSweepIntervalMs: '86400000',
    exportsIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const admin = async (...words: string[]): Promise<unknown> => {
  const log = createLog('test', 'error', 2);
  const scope = createScope(log);
  const groups = [createSweepCommands(openStorageSweep), planCommands];
  try {
    const context = { config: product.config, log, scope, sql: product.sql };
    return JSON.parse(await runCommandLine(groups, [...words, '--json'], async () => context));
  } finally {
    await scope.close();
  }
};

interface Item {
  readonly where: string;
  readonly what: string;
  readonly count: number;
}

/** Runs a sweep. @returns counts by name. */
const sweep = async (): Promise<Record<string, number>> =>
  Object.fromEntries(((await admin('sweep')) as Item[]).map(({ what, count }) => [what, count]));

const setRetention = (dataset: number, body: object): Promise<Response> =>
  call(owner, 'PUT', `/datasets/${dataset}/retention`, body);

const idsOf = async (dataset: number): Promise<string[]> =>
  (await json<{ versionId: string }[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`))).map(
    ({ versionId }) => versionId,
  );

/** Creates a dataset with this many versions, newest first. */
const versions = async (count: number): Promise<{ dataset: number; ids: string[] }> => {
  const dataset = await createDataset(owner);
  for (let at = 0; at < count; at += 1) await upload(owner, dataset, `a\n${at}\n`);
  return { dataset, ids: await idsOf(dataset) };
};

const pin = async (dataset: number, version: string | undefined): Promise<void> => {
  await json(await call(owner, 'PUT', `/datasets/${dataset}/versions/${version}`, { pinned: true }));
};

describe('retention', () => {
  it('keeps everything unless it is set, and shows its settings', async () => {
    const { dataset, ids } = await versions(3);
    await sweep();
    expect(await idsOf(dataset)).toEqual(ids);
    expect(await json(await call(owner, 'GET', `/datasets/${dataset}/retention`))).toEqual({
      versions: null,
      days: null,
      plan: { versions: null, days: null },
    });
    expect(await json(await setRetention(dataset, { versions: 7 }))).toMatchObject({
      versions: 7,
      days: null,
    });
    expect(await json(await setRetention(dataset, { days: 90 }))).toMatchObject({ versions: null, days: 90 });
    expect(await json(await call(owner, 'GET', `/datasets/${dataset}`))).toMatchObject({
      retention: { versions: null, days: 90 },
    });
  });

  it('refuses invalid values and changes nothing', async () => {
    const { dataset } = await versions(1);
    const bad = [
      { versions: 0 },
      { versions: -1 },
      { versions: 1.5 },
      { versions: '3' },
      { days: 1e9 },
      { versions: 3, weeks: 1 },
    ];
    for (const body of bad)
      expect((await setRetention(dataset, body)).status, JSON.stringify(body)).toBe(400);
    expect(await json(await call(owner, 'GET', `/datasets/${dataset}/retention`))).toMatchObject({
      versions: null,
      days: null,
    });
  });

  it('by count keeps the newest, the current one among them, and pinned ones in addition', async () => {
    const { dataset, ids } = await versions(6);
    await pin(dataset, ids[4]);
    await setRetention(dataset, { versions: 3 });
    expect(await sweep()).toMatchObject({
      'versions beyond retention': 2,
      'segments that no version names': 2,
    });
    expect(await idsOf(dataset)).toEqual([ids[0], ids[1], ids[2], ids[4]]);
    expect(await download(owner, dataset, `?versionId=${ids[4]}`)).toBe('"a"\n1\n');
    expect((await call(owner, 'GET', `/datasets/${dataset}/data?versionId=${ids[3]}`)).status).toBe(404);
    await pin(dataset, ids[0]);
    await setRetention(dataset, { versions: 1 });
    await sweep();
    expect(await idsOf(dataset)).toEqual([ids[0], ids[4]]);
  });

  it('by age counts from the day on which a version was replaced', async () => {
    const { dataset, ids } = await versions(4);
    const older = (id: string | undefined, days: number) =>
      product.sql.query(`UPDATE versions SET created_at = now() - $2 * interval '1 day' WHERE id = $1`, [
        Number(id),
        days,
      ]);
    // The second last was replaced today, although it is a hundred days old.
    await older(ids[3], 400);
    await older(ids[2], 200);
    await older(ids[1], 100);
    await setRetention(dataset, { days: 150 });
    expect(await sweep()).toMatchObject({ 'versions beyond retention': 1 });
    expect(await idsOf(dataset)).toEqual([ids[0], ids[1], ids[2]]);
    await older(ids[0], 300);
    await setRetention(dataset, { days: 1 });
    await sweep();
    expect(await idsOf(dataset)).toEqual([ids[0]]);
  });

  it('is bounded by the plan', async () => {
    await admin('plan', 'create', 'two', '--versions', '2', '--version-days', '30');
    const account = { baseUrl: product.baseUrl, key: (await product.createAccount('bounded', 'two')).key };
    const dataset = await createDataset(account);
    for (let at = 0; at < 4; at += 1) await upload(account, dataset, `a\n${at}\n`);
    const path = `/datasets/${dataset}/retention`;
    expect(await json(await call(account, 'PUT', path, { versions: 50, days: 10 }))).toEqual({
      versions: 50,
      days: 10,
      plan: { versions: 2, days: 30 },
    });
    expect(await json(await call(account, 'GET', `/datasets/${dataset}`))).toMatchObject({
      retention: { versions: 2, days: 10 },
    });
    expect(await sweep()).toMatchObject({ 'versions beyond retention': 2 });
    expect(await json<object[]>(await call(account, 'GET', `/datasets/${dataset}/versions`))).toHaveLength(2);
  });
});

describe('a sweep on demand', () => {
  it('removes and reports orphans in both databases and among the export files', async () => {
    const { dataset, ids } = await versions(3);
    for (const id of ids) await download(owner, dataset, `?versionId=${id}`);
    const folder = join(product.config.dataDir, 'exports');
    const fileFolders = async () => (await readdir(folder)).filter((name) => name.startsWith('v'));
    expect((await fileFolders()).filter((name) => ids.includes(name.slice(1)))).toHaveLength(3);
    const database = product.config.clickhouseDatabase;
    const [row] = await product.sql.query<{ storeId: number }>(
      'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
      [dataset],
    );
    const table = `${database}.s${row?.storeId}`;
    await product.clickhouse(`INSERT INTO ${table} (_seg, _row) VALUES (999999001, 0)`);
    await product.clickhouse(
      `CREATE TABLE ${database}.s99999 (_seg UInt64) ENGINE = MergeTree ORDER BY _seg`,
    );
    await setRetention(dataset, { versions: 1 });
    expect(await sweep()).toEqual({
      'versions beyond retention': 2,
      'compactions of silent workers': 0,
      'segments that no version names': 2,
      'stores without a dataset': 0,
      'segments that PostgreSQL does not know': 1,
      'tables that PostgreSQL does not know': 1,
      'segments that are missing (not removed)': 0,
      'files of deleted versions, and old files': 2,
    });
    expect(await product.clickhouse(`SELECT count() FROM ${table}`)).toBe('1\n');
    expect((await fileFolders()).filter((name) => ids.includes(name.slice(1)))).toEqual([`v${ids[0]}`]);
    expect(Object.values(await sweep()).every((count) => count === 0)).toBe(true);

    await product.clickhouse(`TRUNCATE TABLE ${table}`);
    expect(await sweep()).toMatchObject({ 'segments that are missing (not removed)': 1 });
    await call(owner, 'DELETE', `/datasets/${dataset}`);
    expect(await sweep()).toMatchObject({
      'segments that no version names': 1,
      'stores without a dataset': 1,
      'segments that are missing (not removed)': 0,
    });
    expect(await product.clickhouse(`EXISTS TABLE ${table}`)).toBe('0\n');
  });

  it('completes downloads that started before their version was deleted', async () => {
    const dataset = await createDataset(owner);
    const rows = Array.from({ length: 200_000 }, (_, at) => `${at},some text of row ${at}`);
    const content = `a,b\n${rows.join('\n')}\n`;
    const { versionId } = await upload(owner, dataset, content);
    await upload(owner, dataset, 'a,b\n1,x\n');
    const path = `/datasets/${dataset}/data?versionId=${versionId}&$format=json`;
    const response = await call(owner, 'GET', path);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect((await call(owner, 'DELETE', `/datasets/${dataset}/versions/${versionId}`)).status).toBe(204);
    expect(await sweep()).toMatchObject({ 'segments that no version names': 1 });
    let text = Buffer.from(first?.value ?? []).toString();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += Buffer.from(part.value).toString();
    expect(JSON.parse(text)).toHaveLength(rows.length);
    expect((await call(owner, 'GET', path)).status).toBe(404);
  });
});
