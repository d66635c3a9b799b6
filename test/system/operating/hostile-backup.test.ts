/** Forged backups whose sizes and hashes are consistent. */
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createBackupCommands } from '../../../src/admin/backup.js';
import type { BackupReport } from '../../../src/backup/backup.js';
import type { Manifest } from '../../../src/backup/manifest.js';
import { type BackupParts, openBackup } from '../../../src/compose/backup.js';
import { openRestore } from '../../../src/compose/restore.js';
import { openDatasetRestore } from '../../../src/compose/restore-dataset.js';
import { openVerification } from '../../../src/compose/verification.js';
import type { Config } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { runAdmin } from '../../support/admin.js';
import { createEmptyDatabase } from '../../support/database.js';
import { createDataset, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const scope: Scope = createScope(silentLog);
const oldKey = 'o'.repeat(32);
const newKey = 'n'.repeat(32);

let product: TestProduct;
let work: string;
let genuine: string;
let id: string;

interface Installation {
  readonly config: Config;
  readonly sql: Sql;
}

const partsOf = (
  context: Pick<BackupParts, 'config' | 'log' | 'scope' | 'sql'>,
  place: string,
): BackupParts => ({ ...context, databaseUrl: context.config.databaseUrl ?? '', place });

const commands = createBackupCommands({
  openBackup: (context, place) => openBackup(partsOf(context, place), '1.2.3'),
  openRestore: (context, place) => openRestore(partsOf(context, place)),
  openDatasetRestore: (context, place) => openDatasetRestore(partsOf(context, place)),
  verify: async (context) => (await openVerification(context)).verification.verify({}),
});

const admin = async <T>(on: Installation, line: string): Promise<T> =>
  JSON.parse((await runAdmin(on, commands, `${line} --json`)).output) as T;

const withKeys = (place: Installation, ...backupKey: string[]): Installation => ({
  ...place,
  config: { ...place.config, backupKey },
});

const emptyInstallation = async (): Promise<Installation> => {
  const name = `r${randomBytes(6).toString('hex')}`;
  const database = await createEmptyDatabase(inject('databaseUrl'));
  await scope.defer('database', database.drop);
  await scope.defer('rows', async () => {
    await product.clickhouse(`DROP DATABASE IF EXISTS ${name} SYNC`);
  });
  const pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 2, log: silentLog });
  await scope.defer('pool', () => pool.end());
  const config = { ...product.config, databaseUrl: database.databaseUrl, clickhouseDatabase: name };
  return { config, sql: createSql(pool) };
};

const rowsOf = (from: number, rows: number): string =>
  `k,v,t\n${Array.from({ length: rows }, (_, at) => `${from + at},${at / 8},text ${from + at}\n`).join('')}`;

beforeAll(async () => {
  product = await startProduct({ poolMaxRows: '100' }, silentLog);
  const owner = await product.createAccount('owner');
  await upload(owner, await createDataset(owner), rowsOf(0, 20));
  await upload(owner, await createDataset(owner), rowsOf(0, 300));
  work = await mkdtemp(join(tmpdir(), 'tabulary-hostile-'));
  genuine = join(work, 'genuine');
  ({ id } = await admin<BackupReport>(product, `backup --to ${genuine}`));
});

afterAll(async () => {
  await scope.close();
  await product?.close();
  await rm(work, { recursive: true, force: true });
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Manifest without its exact types, for forged values. */
interface LooseManifest {
  readonly catalog: { readonly table: string }[];
  readonly segments: { readonly pool: string | null; readonly columns: object[] }[];
}

/** Copy of the genuine backup. */
class Forgery {
  readonly folder = join(work, randomBytes(6).toString('hex'));

  path = (key: string): string => join(this.folder, key);

  manifest = async (): Promise<Manifest> =>
    JSON.parse(await readFile(this.path(`snapshots/${id}/manifest.json`), 'utf8'));

  /** Writes a manifest and its hash. */
  seal = async (manifest: unknown): Promise<void> => {
    const bytes = Buffer.from(JSON.stringify(manifest));
    await writeFile(this.path(`snapshots/${id}/manifest.json`), bytes);
    const complete = this.path(`snapshots/${id}/complete.json`);
    const before = JSON.parse(await readFile(complete, 'utf8'));
    await writeFile(complete, JSON.stringify({ ...before, bytes: bytes.length, sha256: sha256(bytes) }));
  };

  edit = async (change: (manifest: LooseManifest) => void): Promise<void> => {
    const manifest = (await this.manifest()) as unknown as LooseManifest;
    change(manifest);
    await this.seal(manifest);
  };

  /** Edits the dump of a table and its hash. */
  editTable = async (table: string, change: (text: string) => string): Promise<void> => {
    const path = this.path(`snapshots/${id}/catalog/${table}.copy.gz`);
    const text = String(gunzipSync(await readFile(path)));
    const changed = change(text);
    expect(changed).not.toBe(text);
    const bytes = gzipSync(changed);
    await writeFile(path, bytes);
    await this.edit((manifest) => {
      const file = manifest.catalog.find((one) => one.table === table);
      Object.assign(file ?? {}, { bytes: bytes.length, sha256: sha256(bytes) });
    });
  };
}

const forge = async (from = genuine): Promise<Forgery> => {
  const forgery = new Forgery();
  await cp(from, forgery.folder, { recursive: true });
  return forgery;
};

const expectEmpty = async ({ config, sql }: Installation): Promise<void> => {
  expect(await sql.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  const database = `SELECT count() FROM system.tables WHERE database = '${config.clickhouseDatabase}'`;
  expect((await product.clickhouse(database)).trim()).toBe('0');
};

const expectRefused = async (folder: string, code = 'backup_damaged'): Promise<void> => {
  const place = await emptyInstallation();
  for (const line of [`restore --from ${folder} --check`, `restore --from ${folder}`])
    await expect(admin(place, line)).rejects.toMatchObject({ code });
  await expectEmpty(place);
};

describe('a forged backup', () => {
  it('is accepted as an unchanged copy, so that only the change can cause a refusal', async () => {
    expect(await admin(product, `restore --from ${(await forge()).folder} --check`)).toMatchObject({ id });
  });

  it('is refused with a symbolic link in place of a file', async () => {
    const forgery = await forge();
    const [file] = (await forgery.manifest()).segments;
    const outside = join(work, 'outside.zst');
    await copyFile(forgery.path(file!.key), outside);
    await rm(forgery.path(file!.key));
    await symlink(outside, forgery.path(file!.key));
    await expectRefused(forgery.folder);
  });

  it('is refused with a symbolic link in place of a folder, by restores and by the next backup', async () => {
    const forgery = await forge();
    await rename(forgery.path('segments'), join(work, 'outside'));
    await symlink(join(work, 'outside'), forgery.path('segments'));
    await expectRefused(forgery.folder);
    await expect(admin(product, `backup --to ${forgery.folder}`)).rejects.toMatchObject({
      code: 'backup_damaged',
    });
  });

  it.each([
    ['a default', 0, 'type', 'UInt64 DEFAULT sleep(3)'],
    ['another type', 0, 'type', 'String'],
    ['another name', 2, 'name', 'x'],
    ['SQL in a name', 2, 'name', "c1_s') --"],
    ['a decimal with too many digits', 2, 'name', 'c1_n38_99'],
    ['a type that does not match its name', 2, 'type', 'Nullable(IPv4)'],
  ])('is refused with a column that has %s', async (_, at, part, text) => {
    for (const pool of [true, false]) {
      const forgery = await forge();
      await forgery.edit(({ segments }) => {
        const file = segments.find((one) => (one.pool !== null) === pool);
        Object.assign(file?.columns[at] ?? {}, { [part]: text });
      });
      await expectRefused(forgery.folder);
    }
  });

  it.each([
    ['../../../etc/passwd'],
    ['/etc/passwd'],
    ['segments/../../outside.native.zst'],
    ['snapshots/x/manifest.json'],
  ])('is refused with the file name %s', async (key) => {
    const rows = await forge();
    await rows.edit(({ segments }) => Object.assign(segments[0] ?? {}, { key }));
    await expectRefused(rows.folder);
    const table = await forge();
    await table.edit(({ catalog }) => Object.assign(catalog[0] ?? {}, { key }));
    await expectRefused(table.folder);
  });

  it('is refused with the manifest of another backup', async () => {
    const forgery = await forge();
    await forgery.edit((manifest) => Object.assign(manifest, { id: 'other' }));
    await expectRefused(forgery.folder);
    await expect(
      admin(product, `restore --from ${forgery.folder} --backup ../../x --check`),
    ).rejects.toMatchObject({
      code: 'no_backup',
    });
  });

  it.each([
    ['without a schema baseline', (manifest: LooseManifest) => Object.assign(manifest, { format: 1 })],
    [
      'with the schema baseline of another build',
      (manifest: LooseManifest) => Object.assign(manifest, { baseline: 'other' }),
    ],
  ])('is refused with advice when it was taken %s', async (_, change) => {
    const forgery = await forge();
    await forgery.edit(change);
    for (const line of [`restore --from ${forgery.folder} --check`, `restore --from ${forgery.folder}`])
      await expect(admin(await emptyInstallation(), line)).rejects.toMatchObject({
        code: 'other_baseline',
        message: expect.stringContaining('restore it with the build that made it'),
      });
  });

  it('is refused with a table that has more rows than its manifest', async () => {
    const forgery = await forge();
    await forgery.editTable('plans', (text) => text + text);
    await expectRefused(forgery.folder);
  });

  it.each([
    ['column_lists', (text: string) => text.replace('"physical": "', '"physical": "s DEFAULT sleep(3) ')],
    ['slot_maps', (text: string) => text.replace(/"c(\d+)_/, '"c$1_s DEFAULT sleep(3) ')],
  ])('is refused and restores nothing when %s has an unknown type', async (table, change) => {
    const forgery = await forge();
    await forgery.editTable(table, change);
    const place = await emptyInstallation();
    await expect(admin(place, `restore --from ${forgery.folder}`)).rejects.toMatchObject({
      code: 'backup_damaged',
    });
    expect(await place.sql.query('SELECT 1 FROM accounts')).toEqual([]);
  });
});

describe('a signed backup', () => {
  const editAccounts = (forgery: Forgery): Promise<void> =>
    forgery.editTable('accounts', (text) => text.replace('owner', 'thief'));

  it('can be restored with its key, also after key rotation', async () => {
    const to = join(work, 'signed');
    const made = await admin<BackupReport>(withKeys(product, oldKey), `backup --to ${to}`);
    for (const keys of [[oldKey], [newKey, oldKey]])
      expect(await admin(withKeys(product, ...keys), `restore --from ${to} --check`)).toMatchObject({
        id: made.id,
      });
    const place = withKeys(await emptyInstallation(), newKey, oldKey);
    expect(await admin(place, `restore --from ${to}`)).toMatchObject({ id: made.id });
    await expect(admin(withKeys(product, newKey), `restore --from ${to} --check`)).rejects.toMatchObject({
      code: 'backup_not_signed',
    });
  });

  it('is refused with edited accounts and recomputed hashes, or without a signature', async () => {
    const own = id;
    const to = join(work, 'edited');
    ({ id } = await admin<BackupReport>(withKeys(product, oldKey), `backup --to ${to}`));
    const forgery = await forge(to);
    await editAccounts(forgery);
    const place = withKeys(await emptyInstallation(), oldKey);
    for (const folder of [forgery.folder, genuine])
      for (const line of [`restore --from ${folder} --check`, `restore --from ${folder}`])
        await expect(admin(place, line)).rejects.toMatchObject({ code: 'backup_not_signed' });
    await expectEmpty(place);
    id = own;
  });

  it('does not reuse rows of an earlier unsigned backup, which stays restorable', async () => {
    const { folder } = await forge();
    const key = withKeys(product, oldKey);
    expect(await admin<BackupReport>(key, `backup --to ${folder}`)).toMatchObject({ reused: 0 });
    const again = await admin<BackupReport>(key, `backup --to ${folder}`);
    expect(again.reused).toBe(again.segments);
    expect(await admin(product, `restore --from ${folder} --backup ${id} --check`)).toMatchObject({ id });
  });
});
