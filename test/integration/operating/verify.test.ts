import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackupCommands } from '../../../src/admin/backup.js';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openBackup } from '../../../src/compose/backup.js';
import { openRestore } from '../../../src/compose/restore.js';
import { openDatasetRestore } from '../../../src/compose/restore-dataset.js';
import { openVerification } from '../../../src/compose/verification.js';
import { silentLog } from '../../../src/lib/log.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import type { Fault, VerificationReport } from '../../../src/versions/verify/verification.js';
import { runAdmin } from '../../support/admin.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  type ProcessAnswer,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;
let folder: string;

beforeAll(async () => {
  product = await startProduct(
    // The tests count what `verify` records, and damage rows, so no worker may record, join or drop any.
    {
      poolMaxRows: '100',
      firstChunkBytes: '2000',
      chunkBytes: '2000',
      segmentHashIntervalMs: '86400000',
      compactionMinSegments: '0',
      patchFoldMinPercent: '0',
      sweepIntervalMs: '86400000',
    },
    silentLog,
  );
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
  folder = await mkdtemp(join(tmpdir(), 'tabulary-verify-'));
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Takes a backup. @returns the folder of rows that are not in earlier backups. */
const backup = async (): Promise<string> => {
  const parts = { databaseUrl: product.config.databaseUrl ?? '' };
  const commands = createBackupCommands({
    openBackup: (context, place) => openBackup({ ...context, ...parts, place }, '1.2.3'),
    openRestore: (context, place) => openRestore({ ...context, ...parts, place }),
    openDatasetRestore: (context, place) => openDatasetRestore({ ...context, ...parts, place }),
    verify: async (context) => (await openVerification(context)).verification.verify({}),
  });
  const { output } = await runAdmin(product, commands, `backup --to ${folder} --json`);
  return join(folder, 'segments', (JSON.parse(output) as { id: string }).id);
};

const verify = async (options = ''): Promise<VerificationReport & { exitCode: number }> => {
  const line = `verify --json${options}`;
  const ran = await runAdmin(product, [createVerifyCommands(openVerification)], line);
  return { ...(JSON.parse(ran.output) as VerificationReport), exitCode: ran.exitCode };
};

const file = (rows: number, from = 0): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${from + at},text ${from + at}\n`).join('')}`;

/** The same rows with other values, so that an upsert changes them. */
const changedFile = (rows: number, by: string): string => file(rows).replaceAll('text ', `${by} `);

const send = (dataset: number, content: string, fields: Options): Promise<ProcessAnswer> =>
  uploadWith(owner, dataset, content, fields);

const append = (dataset: number, content: string): Promise<ProcessAnswer> =>
  send(dataset, content, { mode: 'append' });

const tableOfDataset = async (dataset: number): Promise<string> => {
  const [row] = await product.sql.query<{ pool: string | null; store: number }>(
    `SELECT m.pool, s.store_id AS store FROM segment_ranges r JOIN segments s ON s.id = r.segment_id
       LEFT JOIN slot_maps m ON m.id = s.slot_map_id WHERE r.dataset_id = $1 LIMIT 1`,
    [dataset],
  );
  return row?.pool == null ? `s${row?.store}` : `pool_${row.pool}`;
};

/** Damages rows directly in ClickHouse, as a lost disk or an operator could. */
const damage = async (dataset: number, change: (table: string) => string): Promise<void> => {
  const table = await tableOfDataset(dataset);
  await product.clickhouse(
    `ALTER TABLE ${product.config.clickhouseDatabase}.${table} ${change(table)} SETTINGS mutations_sync = 2`,
  );
};

/** Changes one text of a segment that the upload or its merge wrote. */
const alterValue = async (dataset: number, process: number): Promise<void> => {
  const column = (await tableOfDataset(dataset)).startsWith('pool')
    ? 's0'
    : (
        await product.clickhouse(
          `SELECT name FROM system.columns WHERE database = '${product.config.clickhouseDatabase}'
             AND table = '${await tableOfDataset(dataset)}' AND type LIKE '%String%'`,
        )
      ).trim();
  await damage(
    dataset,
    () => `UPDATE ${column} = 'other' WHERE ${recordSql} = 7 AND intDiv(_seg, 1000) = ${process}`,
  );
};

const segmentCount = async (dataset: number): Promise<number | undefined> =>
  (
    await product.sql.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL',
      [dataset],
    )
  )[0]?.n;

const faultsOf = (report: VerificationReport, dataset: number): Fault[] =>
  report.faults.filter((fault) => fault.dataset === dataset);

describe('verify', () => {
  it('finds nothing in undamaged data, records hashes, and compares them the next time', async () => {
    const large = await createDataset(owner);
    await upload(owner, large, file(500));
    await append(large, file(300, 500));
    const small = await createDataset(owner);
    await upload(owner, small, file(20));
    const empty = await createDataset(owner);
    await upload(owner, empty, 'id,text\n');
    expect(await tableOfDataset(large)).toMatch(/^s\d/);
    expect(await tableOfDataset(small)).toBe('pool_narrow');

    const first = await verify();
    expect(first).toMatchObject({ exitCode: 0, left: 0, faults: [], versions: 4 });
    expect(first.hashesRecorded).toBeGreaterThanOrEqual(3);
    expect(first.rows).toBe(820);
    const second = await verify();
    expect(second).toMatchObject({ exitCode: 0, faults: [], hashesRecorded: 0 });
    expect(second.hashesCompared).toBe(first.hashesRecorded);
  });

  it.each([
    ['a table of its own', 500],
    ['a pool', 50],
  ])('finds lost rows in %s, repairs them from Kafka and finds nothing afterwards', async (_, rows) => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(rows));
    const before = await download(owner, dataset);
    await damage(dataset, () => `DELETE WHERE ${recordSql} % 7 = 3 AND intDiv(_seg, 1000) = ${process.id}`);
    const lost = Math.ceil((rows - 3) / 7);

    const report = await verify(` --dataset ${dataset}`);
    expect(report).toMatchObject({ exitCode: 1, left: 1, repaired: 0, versions: 1, segments: 1 });
    expect(faultsOf(report, dataset)).toEqual([
      expect.objectContaining({
        fault: 'rows_missing',
        segment: process.id * 1000 + process.progress.attempt,
        table: await tableOfDataset(dataset),
        versions: 1,
        expected: rows,
        found: rows - lost,
        repair: null,
      }),
    ]);

    const repaired = await verify(` --dataset ${dataset} --repair`);
    expect(repaired).toMatchObject({ exitCode: 0, left: 0, repaired: 1 });
    expect(faultsOf(repaired, dataset)).toEqual([expect.objectContaining({ repair: 'repaired' })]);
    expect(await verify(` --dataset ${dataset}`)).toMatchObject({ exitCode: 0, faults: [] });
    expect(await download(owner, dataset)).toBe(before);
  });

  it.each([
    ['a table of its own', 400],
    ['a pool', 40],
  ])('finds one changed value in %s by its hash, and repairs it', async (_, rows) => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(rows));
    const before = await download(owner, dataset);
    await verify(` --dataset ${dataset}`);
    await alterValue(dataset, process.id);

    const report = await verify(` --dataset ${dataset}`);
    expect(report.exitCode).toBe(1);
    expect(report.faults).toEqual([
      expect.objectContaining({ fault: 'values_changed', expected: rows, found: rows }),
    ]);
    expect(await verify(` --dataset ${dataset} --repair`)).toMatchObject({ exitCode: 0, repaired: 1 });
    expect(await verify(` --dataset ${dataset}`)).toMatchObject({ exitCode: 0, faults: [] });
    expect(await download(owner, dataset)).toBe(before);
  });

  it.each([
    ['a table of its own', 300, {}, 3],
    ['a pool', 10, {}, 3],
    [
      'patches to fold',
      300,
      { folds: { minPercent: 0, minRows: 1, intervalMs: 0, hasRoom: async () => true } },
      2,
    ],
  ])(
    'finds a changed value in %s after compaction, which joins the segments once they are repaired',
    async (_, rows, options, segments) => {
      const dataset = await createDataset(owner);
      const process = await upload(owner, dataset, file(rows));
      if (segments === 3) for (const from of [1, 2]) await append(dataset, file(rows, from * rows));
      else await send(dataset, changedFile(6, 'changed'), { mode: 'upsert', key: 'id' });
      const before = await download(owner, dataset);
      await verify(` --dataset ${dataset}`);
      await alterValue(dataset, process.id);

      await compact(product, clickhouse, options);
      expect(await segmentCount(dataset)).toBe(segments);
      const repaired = await verify(` --dataset ${dataset} --repair`);
      expect(repaired.faults).toEqual([
        expect.objectContaining({ fault: 'values_changed', repair: 'repaired' }),
      ]);
      await compact(product, clickhouse, options);
      expect(await segmentCount(dataset)).toBe(1);
      // The hash of the joined segment is recorded with it, not some time later.
      expect(await verify(` --dataset ${dataset}`)).toMatchObject({ exitCode: 0, hashesCompared: 1 });
      expect(await download(owner, dataset)).toBe(before);
    },
  );

  it('shows by a comparison with the repaired version that a later one has copies of damaged rows', async () => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(20));
    await verify(` --dataset ${dataset}`);
    await alterValue(dataset, process.id);
    const merged = await send(dataset, changedFile(2, 'changed'), { mode: 'upsert', key: 'id' });
    expect(merged).toMatchObject({ inserted: 0, replaced: 2, removed: 0 });
    expect(await verify(` --dataset ${dataset} --repair`)).toMatchObject({ exitCode: 0, repaired: 1 });
    const path = `/datasets/${dataset}/versions/${process.versionId}/diff/${merged.versionId}`;
    // By the texts, which are what was altered and changed.
    expect(await json(await call(owner, 'GET', path))).toMatchObject({ added: 3, removed: 3 });
  });

  it('finds duplicate rows and a table that is missing', async () => {
    const doubled = await createDataset(owner);
    await upload(owner, doubled, file(300));
    const table = `${product.config.clickhouseDatabase}.${await tableOfDataset(doubled)}`;
    await product.clickhouse(`INSERT INTO ${table} SELECT * FROM ${table} WHERE ${recordSql} < 10`);
    const gone = await createDataset(owner);
    await upload(owner, gone, file(200));
    const content = await download(owner, gone);
    await product.clickhouse(
      `DROP TABLE ${product.config.clickhouseDatabase}.${await tableOfDataset(gone)} SYNC`,
    );

    const report = await verify();
    expect(faultsOf(report, doubled)).toEqual([
      expect.objectContaining({ fault: 'rows_surplus', expected: 300, found: 310 }),
    ]);
    expect(faultsOf(report, gone)).toEqual([expect.objectContaining({ fault: 'rows_missing', found: 0 })]);
    expect(await verify(' --repair')).toMatchObject({ exitCode: 0, repaired: 2, left: 0 });
    expect(await verify()).toMatchObject({ exitCode: 0, faults: [] });
    expect(await download(owner, gone)).toBe(content);
  });

  it.each([
    ['a table of its own', 300],
    ['a pool', 60],
  ])('repairs rows of an upsert in %s from a backup, since Kafka does not have them', async (_, rows) => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, file(rows));
    const merged = await send(dataset, changedFile(10, 'merged'), { mode: 'upsert', key: 'id' });
    expect(merged.status).toBe('completed');
    const later = await append(dataset, file(5, rows));
    const versions = [merged, later].map(({ versionId }) => `?$skip=0&versionId=${versionId}`);
    const read = () => Promise.all(versions.map((query) => download(owner, dataset, query)));
    const before = await read();
    await backup();
    await damage(dataset, () => `DELETE WHERE ${recordSql} = 5 AND intDiv(_seg, 1000) = ${merged.id}`);

    const report = await verify(` --dataset ${dataset} --repair`);
    expect(report).toMatchObject({ exitCode: 1, left: 1, repaired: 0 });
    expect(report.faults).toEqual([
      expect.objectContaining({ fault: 'rows_missing', repair: 'rows_joined', versions: 2 }),
    ]);
    const repaired = await verify(` --dataset ${dataset} --repair --from ${folder}`);
    expect(repaired).toMatchObject({ exitCode: 0, left: 0, repaired: 1 });
    expect(repaired.faults).toEqual([expect.objectContaining({ repair: 'restored' })]);
    expect(await verify(` --dataset ${dataset}`)).toMatchObject({ exitCode: 0, faults: [] });
    expect(await read()).toEqual(before);
  });

  it('reports rows that no backup has, and uses no damaged backup and none of another installation', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, file(200));
    const saved = await send(dataset, changedFile(10, 'saved'), { mode: 'upsert', key: 'id' });
    const rowsFolder = await backup();
    const unsaved = await send(dataset, changedFile(20, 'unsaved'), { mode: 'upsert', key: 'id' });
    // In one step, since ClickHouse refuses mutations while parts of the table are dropped.
    const lost = [saved.id, unsaved.id];
    await damage(dataset, () => `DELETE WHERE ${recordSql} = 5 AND intDiv(_seg, 1000) IN (${lost.join()})`);
    for (const name of await readdir(rowsFolder)) await truncate(join(rowsFolder, name), 10);
    const repair = async () => {
      const { exitCode, faults } = await verify(` --dataset ${dataset} --repair --from ${folder}`);
      return { exitCode, repairs: faults.map(({ repair }) => repair).sort() };
    };
    expect(await repair()).toEqual({ exitCode: 1, repairs: ['backup_damaged', 'not_in_backup'] });

    const other = 'ffffffff-0000-4000-8000-000000000000';
    await product.sql.query(`UPDATE settings SET value = $1 WHERE name = 'installation'`, [other]);
    const bound = `${product.config.clickhouseDatabase}.installation`;
    await product.clickhouse(`TRUNCATE TABLE ${bound}`);
    await product.clickhouse(`INSERT INTO ${bound} SETTINGS async_insert = 0 VALUES ('${other}')`);
    expect(await repair()).toEqual({ exitCode: 1, repairs: ['foreign_backup', 'foreign_backup'] });
    // Reads fail instead of returning partial rows.
    expect((await call(owner, 'GET', `/datasets/${dataset}/data?$skip=0`)).status).toBe(503);
    await product.sql.query('DELETE FROM datasets WHERE id = $1', [dataset]);
  });

  it('finds a version whose number of rows differs from that of its segments', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, file(10));
    await append(dataset, file(5, 10));
    const version = Number(first.versionId);
    await product.sql.query('UPDATE versions SET row_count = 11 WHERE id = $1', [version]);
    const report = await verify(` --dataset ${dataset}`);
    expect(report).toMatchObject({ exitCode: 1, versions: 2, left: 1 });
    expect(report.faults).toEqual([
      expect.objectContaining({ fault: 'version_count', versions: version, expected: 11, found: 10 }),
    ]);
  });

  it('refuses an unknown dataset and invalid options', async () => {
    await expect(verify(' --dataset 999999')).rejects.toMatchObject({ code: 'dataset_not_found' });
    await expect(verify(' --dataset x')).rejects.toMatchObject({ code: 'usage' });
    await expect(verify(` --from ${folder}`)).rejects.toMatchObject({ code: 'usage' });
  });
});
