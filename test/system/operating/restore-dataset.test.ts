import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createBackupCommands } from '../../../src/admin/backup.js';
import type { DatasetRestoreReport } from '../../../src/backup/restore-dataset.js';
import { type BackupParts, openBackup } from '../../../src/compose/backup.js';
import { openRestore } from '../../../src/compose/restore.js';
import { openDatasetRestore } from '../../../src/compose/restore-dataset.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { openVerification } from '../../../src/compose/verification.js';
import { settings } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { runAdmin } from '../../support/admin.js';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';
import { createUnsteadyProxy } from '../hostile/unsteady-proxy.js';

let product: TestProduct;
let owner: Client & { readonly id: number };
let folder: string;
let home: number;
let scope: Scope;
/** Datasets with versions of several modes: `small` in a pool, `large` in its own table. */
let small: number;
let large: number;

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

const restore = async (options: string, on: TestProduct = product): Promise<DatasetRestoreReport> =>
  JSON.parse((await runAdmin(on, commands, `restore --from ${folder} ${options} --json`)).output);

const backup = (): Promise<unknown> => runAdmin(product, commands, `backup --to ${folder}`);

const file = (rows: number, from = 0, text = 'text'): string =>
  `k,v,t\n${Array.from({ length: rows }, (_, at) => `${from + at},${at / 8},${text} ${from + at}\n`).join('')}`;

const homeOf = async (client: Client): Promise<number> =>
  (await json<{ id: number }>(await call(client, 'GET', '/repositories/home'))).id;

beforeAll(async () => {
  product = await startProduct(
    {
      poolMaxRows: '100',
      firstChunkBytes: '2000',
      chunkBytes: '2000',
      segmentGraceMs: '0',
      compactionIntervalMs: '500',
      compactionMinSegments: '6',
    },
    silentLog,
  );
  scope = createScope(silentLog);
  owner = await product.createAccount('owner');
  home = await homeOf(owner);
  folder = await mkdtemp(join(tmpdir(), 'tabulary-backup-'));

  small = await createDataset(owner, 'small');
  await upload(owner, small, file(20));
  await uploadWith(owner, small, file(5, 20), { mode: 'append' });
  await uploadWith(owner, small, file(3, 0, 'other'), { mode: 'upsert', key: 'k' });
  const { columns } = await json<{ columns: { id: number }[] }>(
    await call(owner, 'GET', `/datasets/${small}`),
  );
  const changed = { name: 'value', description: 'in euro', isEntity: true };
  await json(await call(owner, 'PATCH', `/datasets/${small}/columns/${columns[1]?.id}`, changed));
  const [version] = await versionsOf(product, small);
  await product.sql.query(`UPDATE versions SET label = 'first', pinned = true WHERE id = $1`, [version?.id]);
  large = await createDataset(owner, 'large');
  await upload(owner, large, file(400));
  for (let at = 1; at < 7; at += 1) await uploadWith(owner, large, file(120, 400 * at), { mode: 'append' });
  // Earlier versions now consist of the first rows of a joined segment.
  const cut = (): Promise<unknown[]> =>
    product.sql.query('SELECT 1 FROM segment_ranges WHERE dataset_id = $1 AND before_upload IS NOT NULL', [
      large,
    ]);
  while ((await cut()).length === 0) await sleep(50);
  await uploadWith(owner, large, file(50, 380, 'other'), { mode: 'upsert', key: 'k' });
  await upload(owner, large, 'k,v,t,more\n1,2,x,y\n');
  await uploadWith(owner, large, 'k,v,t,more,empty\n', { mode: 'append' });
  await backup();
});

afterAll(async () => {
  await scope.close();
  await product.close();
  await rm(folder, { recursive: true, force: true });
});

interface SeenVersion {
  readonly id: number;
  readonly mode: string;
}

/** Metadata of all versions, oldest first. */
const versionsOf = ({ sql }: TestProduct, dataset: number): Promise<SeenVersion[]> =>
  sql.query<SeenVersion>(
    `SELECT id, mode, label, pinned, row_count, byte_size, min_date, max_date, frequency, created_at, valid_from,
       replaced_at FROM versions WHERE dataset_id = $1 ORDER BY id`,
    [dataset],
  );

const withoutIds = (versions: readonly SeenVersion[]): unknown[] =>
  versions.map(({ id: _, ...rest }) => rest);

const rowsOf = async (client: Client, dataset: number, version: number): Promise<string> => {
  const path = `/datasets/${dataset}/data?versionId=${version}&$top=100000`;
  const answer = await call(client, 'GET', path);
  expect(answer.status).toBe(200);
  return answer.text();
};

const columnsOf = async (client: Client, dataset: number): Promise<{ id: number }[]> =>
  (await json<{ columns: { id: number }[] }>(await call(client, 'GET', `/datasets/${dataset}`))).columns;

/** Number of records that a restore could leave behind. */
const inventory = async ({ sql }: TestProduct): Promise<unknown> =>
  sql.query(
    `SELECT (SELECT count(*) FROM datasets) AS datasets, (SELECT count(*) FROM versions) AS versions,
       (SELECT count(*) FROM stores) AS stores, (SELECT count(*) FROM segments) AS segments,
       (SELECT count(*) FROM columns) AS columns, (SELECT count(*) FROM slot_maps) AS maps`,
  );

const sweep = async (on: TestProduct = product): Promise<void> => {
  const run = await openStorageSweep({ config: on.config, log: silentLog, scope, sql: on.sql });
  await run();
};

/** The sweep removes what earlier tests left behind, such as the files of changes, which a job would remove meanwhile. */
const expectNothingStored = async (attempt: () => Promise<unknown>): Promise<void> => {
  await sweep();
  const before = await inventory(product);
  await attempt();
  expect(await inventory(product)).toEqual(before);
};

const segmentsNamed = async ({ sql }: TestProduct, dataset: number): Promise<number> =>
  (
    await sql.query<{ count: number }>(
      `SELECT count(DISTINCT r.segment_id) AS count FROM segment_ranges r JOIN segments s ON s.id = r.segment_id
       WHERE r.dataset_id = $1 AND s.rows > 0`,
      [dataset],
    )
  )[0]?.count ?? 0;

describe('a dataset restored next to a running product', () => {
  it('has all versions although uploads to its source, another restore and a sweep run concurrently', async () => {
    for (const [source, name] of [
      [small, 'small again'],
      [large, 'large again'],
    ] as const) {
      const before = await versionsOf(product, source);
      const answers = await Promise.all(before.map(({ id }) => rowsOf(owner, source, id)));
      const columns = await columnsOf(owner, source);
      const [report] = await Promise.all([
        restore(`--dataset ${source} --into ${home} --name ${name.replace(' ', '-')}`),
        uploadWith(owner, source, file(3, 5_000), { mode: 'append' }),
        restore(`--dataset ${source} --into ${home} --name second-${source}`),
        sweep(),
      ]);
      expect(report).toMatchObject({ repository: home, versions: before.length });
      const after = await versionsOf(product, report.dataset);
      const withoutEnd = (list: readonly SeenVersion[]) =>
        withoutIds(list).map((version, at) =>
          at === list.length - 1 ? { ...(version as object), replaced_at: null } : version,
        );
      expect(withoutEnd(after)).toEqual(withoutEnd(before));
      for (const [at, { id }] of after.entries())
        expect(await rowsOf(owner, report.dataset, id)).toBe(answers[at]);
      expect(await segmentsNamed(product, report.dataset)).toBe(report.segments);
      const restored = await columnsOf(owner, report.dataset);
      const known = new Set(columns.map(({ id }) => id));
      expect(restored.some(({ id }) => known.has(id))).toBe(false);
      const bare = (list: readonly { id: number }[]) => list.map(({ id: _, ...column }) => column);
      expect(bare(restored)).toEqual(bare(columns));
    }
    await backup();
    await sweep();
    const verified = await (
      await openVerification({ config: product.config, log: silentLog, scope, sql: product.sql })
    ).verification.verify({});
    expect(verified.faults).toEqual([]);
  });

  it('accepts uploads with new columns without changing its source', async () => {
    const { dataset } = await restore(`--dataset ${small} --into ${home} --name grows`);
    const source = (await versionsOf(product, small)).at(-1)!;
    const untouched = await rowsOf(owner, small, source.id);
    await uploadWith(owner, dataset, 'k,value,t,new\n900,1,a,b\n', { mode: 'append' });
    const current = (await versionsOf(product, dataset)).at(-1)!;
    expect(await rowsOf(owner, dataset, current.id)).toContain('900,1,"a",,"b"');
    expect(await rowsOf(owner, small, source.id)).toBe(untouched);
  });

  it('can be limited to one version', async () => {
    const versions = await versionsOf(product, large);
    const { id } = versions[2]!;
    const report = await restore(`--dataset ${large} --version ${id} --into ${home} --name one`);
    const [only, ...more] = await versionsOf(product, report.dataset);
    expect(more).toEqual([]);
    expect(only).toMatchObject({ mode: 'append', replaced_at: null });
    expect(await rowsOf(owner, report.dataset, only!.id)).toBe(await rowsOf(owner, large, id));
    expect(await segmentsNamed(product, report.dataset)).toBe(report.segments);
  });

  it('can be limited to a version with patches, and accepts changes of the same rows', async () => {
    const { id } = (await versionsOf(product, large)).find(({ mode }) => mode === 'upsert')!;
    const { dataset } = await restore(`--dataset ${large} --version ${id} --into ${home} --name patched`);
    const patches = await product.sql.query(
      'SELECT 1 FROM segment_ranges r JOIN segments g ON g.id = r.segment_id AND g.patch WHERE r.dataset_id = $1',
      [dataset],
    );
    expect(patches).toHaveLength(1);
    const before = await rowsOf(owner, large, id);
    expect(await rowsOf(owner, dataset, (await versionsOf(product, dataset))[0]!.id)).toBe(before);
    await uploadWith(owner, dataset, file(2, 381, 'later'), { mode: 'upsert', key: 'k' });
    await uploadWith(owner, dataset, 'k\n383\n500\n', { mode: 'delete', key: 'k' });
    const lines = before.split('\r\n').filter((line) => !/^(383|500),/.test(line));
    const later = lines.map((line) =>
      /^(381|382),/.test(line)
        ? line.replace(/,[^,]*,"other /, (_) => `,${line.startsWith('381') ? '0' : '0.125'},"later `)
        : line,
    );
    expect(await rowsOf(owner, dataset, (await versionsOf(product, dataset)).at(-1)!.id)).toBe(
      later.join('\r\n'),
    );
  });

  it('can come from another installation and then accepts uploads with new columns', async () => {
    const other = await startProduct({ poolMaxRows: '100' }, silentLog);
    try {
      const client = await other.createAccount('other');
      const report = await restore(`--dataset ${large} --into ${await homeOf(client)}`, other);
      const after = await versionsOf(other, report.dataset);
      const before = await versionsOf(product, large);
      for (const [at, { id }] of after.entries())
        expect(await rowsOf(client, report.dataset, id)).toBe(await rowsOf(owner, large, before[at]!.id));
      await uploadWith(client, report.dataset, 'k,v,t,more,newest\n7,8,a,b,c\n', { mode: 'append' });
      const current = (await versionsOf(other, report.dataset)).at(-1)!;
      expect(await rowsOf(client, report.dataset, current.id)).toContain('7,8,"a","b",,"c"');
    } finally {
      await other.close();
    }
  });

  it('is accepted only from a backup that is signed with a configured key', async () => {
    const keyed = (...backupKey: string[]): TestProduct => ({
      ...product,
      config: { ...product.config, backupKey },
    });
    const [key, other] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const signed = await mkdtemp(join(tmpdir(), 'tabulary-signed-'));
    try {
      await runAdmin(keyed(key), commands, `backup --to ${signed}`);
      const options = `--dataset ${large} --into ${home} --name signed`;
      await expectNothingStored(async () => {
        for (const [from, on] of [
          [signed, keyed(other)],
          [folder, keyed(key)],
        ] as const)
          await expect(
            runAdmin(on, commands, `restore --from ${from} ${options} --json`),
          ).rejects.toMatchObject({ code: 'backup_not_signed' });
      });
      const { output } = await runAdmin(
        keyed(other, key),
        commands,
        `restore --from ${signed} ${options} --json`,
      );
      const { dataset } = JSON.parse(output) as DatasetRestoreReport;
      const sources = await versionsOf(product, large);
      const restored = await versionsOf(product, dataset);
      expect(withoutIds(restored)).toEqual(withoutIds(sources));
      for (const [at, { id }] of restored.entries())
        expect(await rowsOf(owner, dataset, id)).toBe(await rowsOf(owner, large, sources[at]!.id));
    } finally {
      await rm(signed, { recursive: true, force: true });
    }
  });

  it('is recorded in the audit trail', async () => {
    const { dataset } = await restore(`--dataset ${small} --into ${home} --name audited`);
    const [event] = await product.sql.query<{ details: unknown }>(
      `SELECT details FROM audit_events WHERE target_name = 'restore' ORDER BY id DESC LIMIT 1`,
    );
    expect(event?.details).toMatchObject({ dataset, repository: home, from: { dataset: small } });
  });
});

describe('a restore of a dataset is refused and stores nothing when', () => {
  const expectRefused = (options: string, error: object): Promise<void> =>
    expectNothingStored(() => expect(restore(options)).rejects.toMatchObject(error));

  it.each([
    ['its name is taken', () => `--dataset ${small} --into ${home}`, { code: 'name_taken' }],
    [
      'its name is invalid',
      () => `--dataset ${small} --into ${home} --name \u202e`,
      { code: 'invalid_name' },
    ],
    ['the dataset is not in the backup', () => `--dataset 999 --into ${home}`, { code: 'dataset_not_found' }],
    [
      'the version is not in the backup',
      () => `--dataset ${small} --version 999999 --into ${home} --name x`,
      { code: 'version_not_found' },
    ],
    [
      'the repository does not exist',
      () => `--dataset ${small} --into 99999`,
      { code: 'repository_not_found' },
    ],
    ['no repository is given', () => `--dataset ${small}`, { code: 'usage' }],
    ['no dataset is given', () => `--into ${home}`, { code: 'usage' }],
  ])('%s', async (_, options, error) => {
    await expectRefused(options(), error);
  });

  it.each([
    ['rows', 'max_dataset_rows = 10', 'datasetRows'],
    ['bytes', 'max_stored_bytes = 10', 'storedBytes'],
    ['columns', 'max_columns = 1', 'columns'],
  ])('the plan allows fewer %s', async (_, limit, quota) => {
    await product.sql.query(
      `INSERT INTO plans SELECT (jsonb_populate_record(p, '{"name": "tight"}')).* FROM plans p
       WHERE name = (SELECT plan FROM accounts WHERE id = $1) ON CONFLICT DO NOTHING`,
      [owner.id],
    );
    await product.sql.query(`UPDATE plans SET ${limit} WHERE name = 'tight'`);
    const tight = await product.createAccount(`tight${quota}`.toLowerCase(), 'tight');
    await expectRefused(`--dataset ${small} --into ${await homeOf(tight)}`, {
      code: 'quota_exceeded',
      details: { quota },
    });
    await product.sql.query(`UPDATE plans SET ${limit.split(' ')[0]} = NULL WHERE name = 'tight'`);
  });

  it('the plan would immediately remove versions', async () => {
    await product.sql.query(`UPDATE plans SET max_versions = 1 WHERE name = 'tight'`);
    const few = await product.createAccount('few', 'tight');
    const into = await homeOf(few);
    await expectRefused(`--dataset ${large} --into ${into}`, {
      code: 'quota_exceeded',
      message: expect.stringContaining('--version'),
    });
    const newest = (await versionsOf(product, large))[0]!;
    const one = await restore(`--dataset ${large} --version ${newest.id} --into ${into}`);
    expect(one.versions).toBe(1);
  });

  it.each(['segments', 'snapshots'])('files in %s are damaged', async (kind) => {
    const names = (await readdir(join(folder, kind), { recursive: true })).filter((name) =>
      /native\.zst$|versions\.copy\.gz$/.test(name),
    );
    const originals = new Map<string, Buffer>();
    for (const name of names) {
      const path = join(folder, kind, name);
      const bytes = await readFile(path);
      originals.set(path, Buffer.from(bytes));
      const middle = bytes.length >> 1;
      bytes[middle] = bytes[middle]! ^ 1;
      await writeFile(path, bytes);
    }
    try {
      await expectRefused(`--dataset ${small} --into ${home} --name damaged`, { code: 'backup_damaged' });
    } finally {
      for (const [path, bytes] of originals) await writeFile(path, bytes);
    }
  });
});

it('a killed restore of a dataset leaves only records that a sweep removes, and can be repeated', async () => {
  const big = await createDataset(owner, 'big');
  await upload(owner, big, file(30_000));
  await backup();
  const { config, sql } = product;
  const kafka = Object.entries(inject('kafka')).map(([key, value]) => [
    settings[key as keyof typeof settings].env,
    value,
  ]);
  // The child waits for an answer when it is killed: without it, it could be done before.
  const proxy = await createUnsteadyProxy(config.clickhouseUrl ?? '');
  proxy.play('say_nothing', 1);
  const options = ['--from', folder, '--dataset', String(big), '--into', String(home), '--name', 'killed'];
  await expectNothingStored(async () => {
    const child = spawn(process.execPath, ['dist/admin.js', 'restore', ...options], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...Object.fromEntries(kafka),
        [settings.databaseUrl.env]: config.databaseUrl,
        [settings.clickhouseUrl.env]: proxy.url,
        [settings.clickhouseDatabase.env]: config.clickhouseDatabase,
        [settings.dataDir.env]: config.dataDir,
      },
    });
    const exited = once(child, 'exit');
    await expect.poll(() => proxy.done).toBe(1);
    expect(await sql.query('SELECT 1 FROM segments WHERE rows IS NULL LIMIT 1')).toHaveLength(1);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    await proxy.close();
    const names = await sql.query(`SELECT 1 FROM datasets WHERE name = 'killed'`);
    expect(names).toEqual([]);
    while (
      (await sql.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 1996`)).length > 0
    )
      await sleep(20);
    await sweep();
  });
  const report = await restore(`--dataset ${big} --into ${home} --name killed`);
  expect(report).toMatchObject({ versions: 1, rows: 30_000 });
});
