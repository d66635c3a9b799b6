import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createBackupCommands } from '../../../src/admin/backup.js';
import type { BackupReport } from '../../../src/backup/backup.js';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { type BackupParts, openBackup } from '../../../src/compose/backup.js';
import { openStorageAt } from '../../../src/compose/export-storage.js';
import { openRestore } from '../../../src/compose/restore.js';
import { openDatasetRestore } from '../../../src/compose/restore-dataset.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { openVerification } from '../../../src/compose/verification.js';
import { createWorkerProcess } from '../../../src/compose/worker-process.js';
import type { Config } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { holdSegments } from '../../../src/storage/postgres/held-segments.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { answersOf } from '../../integration/uploads/version-answers.js';
import { runAdmin } from '../../support/admin.js';
import { createEmptyDatabase } from '../../support/database.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';
import { startS3Server } from '../../support/s3-server.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let folder: string;
const scope: Scope = createScope(silentLog);

beforeAll(async () => {
  product = await startProduct(
    {
      poolMaxRows: '100',
      firstChunkBytes: '2000',
      chunkBytes: '2000',
      sweepIntervalMs: '200',
      storageSweepIntervalMs: '300',
      segmentGraceMs: '0',
      compactionIntervalMs: '500',
      compactionMinSegments: '4',
      poolDropIntervalMs: '100',
    },
    silentLog,
  );
  owner = await product.createAccount('owner');
  folder = await mkdtemp(join(tmpdir(), 'tabulary-backup-'));
});

afterAll(async () => {
  await scope.close();
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

const commands = createBackupCommands({
  openBackup: (context, place) => openBackup(partsOf(context, place), '1.2.3'),
  openRestore: (context, place) => openRestore(partsOf(context, place)),
  openDatasetRestore: (context, place) => openDatasetRestore(partsOf(context, place)),
  verify: async (context) => (await openVerification(context)).verification.verify({}),
});

const partsOf = (
  context: Pick<BackupParts, 'config' | 'log' | 'scope' | 'sql'>,
  place: string,
): BackupParts => ({ ...context, databaseUrl: context.config.databaseUrl ?? '', place });

interface Installation {
  readonly config: Config;
  readonly sql: Sql;
}

const admin = async <T>(on: Installation, line: string): Promise<T & { exitCode: number }> => {
  const { output, exitCode } = await runAdmin(on, commands, `${line} --json`);
  return { ...(JSON.parse(output) as T), exitCode };
};

const backup = (options = ''): Promise<BackupReport & { exitCode: number }> =>
  admin(product, `backup --to ${folder}${options}`);

const emptyInstallation = async (): Promise<Installation> => {
  const name = `r${randomBytes(6).toString('hex')}`;
  const database = await createEmptyDatabase(inject('databaseUrl'));
  await scope.defer('database', database.drop);
  await scope.defer('rows', async () => {
    await product.clickhouse(`DROP DATABASE IF EXISTS ${name} SYNC`);
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-restored-'));
  await scope.defer('data', () => rm(dataDir, { recursive: true, force: true }));
  const pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 2, log: silentLog });
  await scope.defer('pool', () => pool.end());
  return {
    config: {
      ...product.config,
      databaseUrl: database.databaseUrl,
      clickhouseDatabase: name,
      kafkaPrefix: name,
      dataDir,
    },
    sql: createSql(pool),
  };
};

const startOn = async ({ config }: Installation): Promise<Client> => {
  await createWorkerProcess(config, silentLog, scope);
  const { port } = await createApiProcess(config, silentLog, scope);
  return { baseUrl: `http://127.0.0.1:${port}/api`, key: owner.key };
};

const file = (rows: number, from = 0, text = 'text'): string =>
  `k,v,t\n${Array.from({ length: rows }, (_, at) => `${from + at},${at / 8},${text} ${from + at}\n`).join('')}`;

const send = (dataset: number, content: string, fields: Options): Promise<ProcessAnswer> =>
  uploadWith(owner, dataset, content, fields);

interface VersionRef {
  readonly dataset: number;
  readonly version: string;
}

const versionsIn = (sql: Sql): Promise<VersionRef[]> =>
  sql.query<VersionRef>('SELECT dataset_id AS dataset, id::text AS version FROM versions ORDER BY id');

const answersTo = async (client: Client, versions: readonly VersionRef[]): Promise<Map<string, string>> => {
  const all = new Map<string, string>();
  for (const { dataset, version } of versions)
    for (const [question, answer] of await answersOf(client, dataset, version)) all.set(question, answer);
  return all;
};

/** Creates datasets in pools and in their own tables, with versions of every mode, and a clone. */
const fill = async (): Promise<number[]> => {
  const small = await createDataset(owner);
  await upload(owner, small, file(20));
  await send(small, file(5, 20), { mode: 'append' });
  await send(small, file(3, 0, 'other'), { mode: 'upsert', key: 'k' });
  const large = await createDataset(owner);
  await upload(owner, large, file(400));
  for (let at = 1; at < 6; at += 1) await send(large, file(120, 400 * at), { mode: 'append' });
  await send(large, file(50, 380, 'other'), { mode: 'upsert', key: 'k' });
  const grown = await createDataset(owner);
  await upload(owner, grown, file(30));
  await send(grown, file(300, 30), { mode: 'append' });
  const { id: home } = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
  const clone = await json<{ id: number }>(
    await call(owner, 'POST', `/datasets/${large}/clone`, { name: 'clone', repositoryId: home }),
    201,
  );
  await upload(owner, await createDataset(owner), 'k,v,t\n');
  return [small, large, grown, clone.id];
};

describe('a backup', () => {
  it('taken while uploads run restores versions with byte-identical answers', async () => {
    await fill();
    let running = true;
    let uploads = 0;
    const busy = createDataset(owner);
    const load = async (): Promise<void> => {
      while (running) {
        uploads += 1;
        await send(await busy, file(uploads % 2 === 0 ? 20 : 250, uploads), { mode: 'replace' });
      }
    };
    const loads = [load(), load()];
    while (uploads < 4) await new Promise((resolve) => setTimeout(resolve, 50));
    const made = await backup();
    const after = uploads;
    while (uploads < after + 2) await new Promise((resolve) => setTimeout(resolve, 50));
    running = false;
    await Promise.all(loads);
    expect(made).toMatchObject({ exitCode: 0, accounts: 1, reused: 0 });

    const place = await emptyInstallation();
    const restored = await admin<Record<string, unknown>>(place, `restore --from ${folder} --verify`);
    expect(restored).toMatchObject({
      exitCode: 0,
      id: made.id,
      rows: made.rows,
      versions: made.versions,
      faults: [],
    });
    expect(restored.hashesCompared).toBeGreaterThan(0);
    const versions = await versionsIn(place.sql);
    expect(versions).toHaveLength(made.versions);
    const kept = new Set((await versionsIn(product.sql)).map(({ version }) => version));
    const known = versions.filter(({ version }) => kept.has(version));
    const common = [...known.slice(0, 25), ...known.slice(25).slice(-5)];
    expect(common.length).toBeGreaterThan(10);

    const there = await startOn(place);
    const [before, now] = [await answersTo(owner, common), await answersTo(there, common)];
    expect([...now.values()].filter((answer) => answer.startsWith('200 ')).length).toBeGreaterThan(50);
    expect(now).toEqual(before);
    // The restored installation accepts uploads.
    const dataset = await createDataset(there);
    await upload(there, dataset, file(20));
    expect(await download(there, dataset)).toContain('"text 19"');
    expect((await runAdmin(place, commands, `restore --from ${folder} --check --json`)).output).toContain(
      'whole',
    );
  });

  it('is incremental, and earlier backups stay restorable until they are deleted', async () => {
    const place = folder;
    folder = await mkdtemp(join(tmpdir(), 'tabulary-backup-'));
    try {
      const first = await backup();
      const dataset = await createDataset(owner);
      await upload(owner, dataset, file(150));
      const second = await backup();
      const neededBy = async (id: unknown): Promise<number[]> =>
        JSON.parse(await readFile(join(folder, 'snapshots', String(id), 'manifest.json'), 'utf8')).needed;
      const had = new Set(await neededBy(first.id));
      const again = (await neededBy(second.id)).filter((segment) => had.has(segment));
      expect(again.length).toBeGreaterThan(0);
      expect(second.reused).toBe(again.length);
      expect(second.bytesWritten).toBeLessThan(first.bytesWritten + 5_000);
      for (const id of [first.id, second.id])
        expect(await admin(product, `restore --from ${folder} --backup ${id} --check`)).toMatchObject({ id });
      const third = await backup(' --keep 1');
      expect(third.removedFiles).toBeGreaterThan(10);
      await expect(
        admin(product, `restore --from ${folder} --backup ${first.id} --check`),
      ).rejects.toMatchObject({
        code: 'no_backup',
      });
      expect(await admin(product, `restore --from ${folder} --check`)).toMatchObject({ id: third.id });
    } finally {
      await rm(folder, { recursive: true, force: true });
      folder = place;
    }
  });

  it('is readable only by its owner', async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile()))
      expect((await stat(join(entry.parentPath, entry.name))).mode & 0o077).toBe(0);
  });

  it('fails when stored rows are damaged', async () => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(200));
    const [row] = await product.sql.query<{ store: number }>(
      'SELECT store_id AS store FROM datasets WHERE id = $1',
      [dataset],
    );
    await product.clickhouse(
      `ALTER TABLE ${product.config.clickhouseDatabase}.s${row?.store} DELETE WHERE ${recordSql} = 7 SETTINGS mutations_sync = 2`,
    );
    await expect(backup()).rejects.toMatchObject({
      code: 'rows_damaged',
      message: expect.stringContaining(String(process.id * 1000 + 1)),
    });
    await product.sql.query('DELETE FROM datasets WHERE id = $1', [dataset]);
  });

  it('prevents the deletion of rows until it is done', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, file(200));
    const [row] = await product.sql.query<{ store: number }>(
      'SELECT store_id AS store FROM datasets WHERE id = $1',
      [dataset],
    );
    const tables = (): Promise<string> =>
      product.clickhouse(
        `SELECT count() FROM system.tables WHERE database = '${product.config.clickhouseDatabase}' AND name = 's${row?.store}'`,
      );
    const sweep = async (): Promise<void> => {
      const own = createScope(silentLog);
      await (await openStorageSweep({ ...product, log: silentLog, scope: own }))();
      await own.close();
    };
    const hold = await holdSegments(product.config.databaseUrl ?? '');
    await expect(backup()).rejects.toMatchObject({ code: 'busy' });
    await call(owner, 'DELETE', `/datasets/${dataset}`);
    await sweep();
    await sweep();
    expect((await tables()).trim()).toBe('1');
    await hold.release();
    await sweep();
    await sweep();
    expect((await tables()).trim()).toBe('0');
  });
});

describe('a backup to a bucket', () => {
  it('is incremental, can be restored and verified, and is refused when a file is missing', async () => {
    const server = await startS3Server();
    await scope.defer('S3', server.close);
    const { bucket, endpoint, region, pathStyle, credentials } = server.lenient;
    const at = <T extends Installation>(place: T): Installation => ({
      sql: place.sql,
      config: {
        ...place.config,
        s3Endpoint: endpoint,
        s3Region: region,
        s3PathStyle: pathStyle ?? true,
        s3AccessKeyId: credentials?.accessKeyId,
        s3SecretAccessKey: credentials?.secretAccessKey,
      },
    });
    const here = at(product);
    const dataset = await createDataset(owner);
    await upload(owner, dataset, file(400));
    const to = `s3://${bucket}/backups/night`;
    const first = await admin<BackupReport>(here, `backup --to ${to}`);
    expect(first).toMatchObject({ exitCode: 0, reused: 0 });
    const header = file(0).replace('\n', ',New\n');
    await uploadWith(owner, dataset, header, { mode: 'append' });
    await upload(owner, dataset, file(300));
    const made = await admin<BackupReport>(here, `backup --to ${to}`);
    expect(made.reused).toBeGreaterThan(0);

    const place = at(await emptyInstallation());
    expect(await admin(place, `restore --from ${to} --check`)).toMatchObject({ id: made.id });
    const restored = await admin<Record<string, unknown>>(place, `restore --from ${to} --verify`);
    expect(restored).toMatchObject({ exitCode: 0, id: made.id, versions: made.versions, faults: [] });
    const versions = (await versionsIn(product.sql)).filter((one) => one.dataset === dataset);
    expect(versions).toHaveLength(3);
    const there = await startOn(place);
    expect(await answersTo(there, versions)).toEqual(await answersTo(owner, versions));

    const stored = (await openStorageAt(here.config, to, scope)).storage;
    const segments: string[] = [];
    for await (const { key } of stored.list()) if (/^segments\//.test(key)) segments.push(key);
    expect(segments.length).toBeGreaterThan(0);
    for (const key of segments.slice(0, 1)) await stored.delete(key);
    const other = at(await emptyInstallation());
    await expect(admin(other, `restore --from ${to}`)).rejects.toMatchObject({ code: 'backup_damaged' });
    expect(await other.sql.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });
});

describe('a restore', () => {
  const filesOf = async (pattern: RegExp): Promise<string[]> =>
    (await readdir(folder, { recursive: true }))
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name));

  const expectEmpty = async ({ config, sql }: Installation): Promise<void> => {
    expect(await sql.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    const database = `SELECT count() FROM system.tables WHERE database = '${config.clickhouseDatabase}'`;
    expect((await product.clickhouse(database)).trim()).toBe('0');
  };

  it('refuses databases that are not empty', async () => {
    const made = await backup();
    await expect(admin(product, `restore --from ${folder} --backup ${made.id}`)).rejects.toMatchObject({
      code: 'not_empty',
    });
    const place = await emptyInstallation();
    await product.clickhouse(`CREATE DATABASE ${place.config.clickhouseDatabase}`);
    await product.clickhouse(
      `CREATE TABLE ${place.config.clickhouseDatabase}.s1 ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS a`,
    );
    await expect(admin(place, `restore --from ${folder}`)).rejects.toMatchObject({ code: 'not_empty' });
    expect(await place.sql.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  it('refuses a folder without a backup, and an incomplete backup', async () => {
    const place = await emptyInstallation();
    const empty = await mkdtemp(join(tmpdir(), 'tabulary-none-'));
    await expect(admin(place, `restore --from ${empty}`)).rejects.toMatchObject({ code: 'no_backup' });
    await rm(empty, { recursive: true });
    const { id } = await backup();
    await rm(join(folder, 'snapshots', id, 'complete.json'));
    await expect(admin(place, `restore --from ${folder} --backup ${id}`)).rejects.toMatchObject({
      code: 'no_backup',
    });
    await expectEmpty(place);
  });

  it.each([
    ['a flipped byte in rows', /segments\/.*native\.zst$/, 'flip'],
    ['truncated rows', /segments\/.*native\.zst$/, 'cut'],
    ['a missing segment file', /segments\/.*native\.zst$/, 'remove'],
    ['a flipped byte in a table', /versions\.copy\.gz$/, 'flip'],
    ['a missing table', /datasets\.copy\.gz$/, 'remove'],
    ['a changed manifest', /manifest\.json$/, 'flip'],
    ['a missing manifest', /manifest\.json$/, 'remove'],
  ])('refuses a backup with %s before anything is changed', async (_, pattern, damage) => {
    const whole = folder;
    folder = await mkdtemp(join(tmpdir(), 'tabulary-damaged-'));
    try {
      await backup();
      const [target = ''] = await filesOf(pattern);
      const bytes = await readFile(target);
      if (damage === 'remove') await rm(target);
      else if (damage === 'cut') await truncate(target, bytes.length - 1);
      else {
        const at = bytes.length >> 1;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await writeFile(target, bytes);
      }
      const place = await emptyInstallation();
      await expect(admin(place, `restore --from ${folder}`)).rejects.toMatchObject({
        code: 'backup_damaged',
      });
      await expectEmpty(place);
    } finally {
      await rm(folder, { recursive: true, force: true });
      folder = whole;
    }
  });

  it('fails pending uploads with the code upload_expired', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
      method: 'PUT',
      headers: authorization(owner.key),
      body: (() => {
        const form = new FormData();
        form.set('data', new Blob([file(20)]), 'data.csv');
        return form;
      })(),
    });
    const { id } = await json<ProcessAnswer>(answer, 201);
    await backup();
    await product.startWorker();
    const place = await emptyInstallation();
    expect(await admin(place, `restore --from ${folder}`)).toMatchObject({ failedUploads: 1 });
    const [process] = await place.sql.query<{ status: string; code: string }>(
      `SELECT status, error ->> 'code' AS code FROM processes WHERE id = $1`,
      [id],
    );
    expect(process).toEqual({ status: 'failed', code: 'upload_expired' });
    await ended(owner, { id, datasetId: dataset } as ProcessAnswer);
  });
});
