/** Backups of a product on three ClickHouse servers, restored onto one, two and three, and back. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createBackupCommands } from '../../../src/admin/backup.js';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import type { BackupReport } from '../../../src/backup/backup.js';
import type { DatasetRestoreReport } from '../../../src/backup/restore-dataset.js';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { type BackupParts, openBackup } from '../../../src/compose/backup.js';
import { openRestore } from '../../../src/compose/restore.js';
import { openDatasetRestore } from '../../../src/compose/restore-dataset.js';
import { openVerification } from '../../../src/compose/verification.js';
import { createWorkerProcess } from '../../../src/compose/worker-process.js';
import type { Config } from '../../../src/config.js';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import type { VerificationReport } from '../../../src/versions/verify/verification.js';
import { runAdmin } from '../../support/admin.js';
import { clickHouseText } from '../../support/clickhouse-http.js';
import { createEmptyDatabase } from '../../support/database.js';
import { type Client, call, createDataset, json } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';
import { type Options, uploadWith } from '../../support/upload-options.js';
import { createUnsteadyProxy } from '../hostile/unsteady-proxy.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-cluster-backup-'));
const folder = join(dataDir, 'backups');
const scope = createScope(silentLog);
const sizes = { firstChunkBytes: '4096', chunkBytes: '16384', poolMaxRows: '100', spreadMinBytes: '40000' };

let product: TestProduct;
let owner: Client;
let urls: readonly string[];
let spread = 0;

/** Databases of a product on a set of servers. */
interface Installation {
  readonly config: Config;
  readonly sql: Sql;
}

const startNodes = async (nodes: number, name: string) => {
  const need = { postgres: false, kafka: false, clickhouse: true };
  const options = { dataDir: join(dataDir, name), need, clickhouseNodes: nodes, log: silentLog, scope };
  return (await startEmbedded(options)).access;
};

const lines = (rows: number, from: number, text = 'text'): string =>
  `station,value,note\n${Array.from({ length: rows }, (_, at) => `S${from + at},${(from + at) / 8},${text} ${from + at}\n`).join('')}`;

const send = async (client: Client, dataset: number, content: string, options: Options): Promise<void> => {
  expect(await uploadWith(client, dataset, content, options)).toMatchObject({
    status: 'completed',
    error: null,
  });
};

const shardsOf = async (sql: Sql): Promise<(number | null)[]> =>
  (
    await sql.query<{ shard: number | null }>(
      'SELECT DISTINCT CASE WHEN NOT s.everywhere THEN s.shard END AS shard FROM stores s JOIN segments g ON g.store_id = s.id WHERE g.rows > 0 ORDER BY 1',
    )
  ).map(({ shard }) => shard);

beforeAll(async () => {
  const access = await startNodes(3, 'three');
  urls = access.clickhouseNodeUrls?.split(',') ?? [];
  product = await startProduct({ ...access, ...sizes, compactionMinSegments: '0', patchFoldMinPercent: '0' });
  owner = await product.createAccount('owner');
  for (let at = 0; at < 6; at += 1) {
    const dataset = await createDataset(owner);
    await send(owner, dataset, lines(at % 2 === 0 ? 30 : 300, at * 1_000), { mode: 'replace' });
    await send(owner, dataset, lines(10, at * 1_000 + 5, 'other'), { mode: 'upsert', key: 'station' });
  }
  spread = await createDataset(owner);
  await send(owner, spread, lines(4_000, 0), { mode: 'replace' });
  await send(owner, spread, lines(30, 4_000), { mode: 'append' });
  await send(owner, spread, lines(900, 3_500, 'other'), { mode: 'upsert', key: 'station' });
  await send(owner, spread, lines(200, 3_000, 'patched'), { mode: 'upsert', key: 'station' });
  await send(owner, spread, lines(50, 2_000), { mode: 'delete', key: 'station' });
  await send(owner, spread, lines(20, 9_000), { mode: 'replace' });
  await send(owner, spread, lines(3_000, 500), { mode: 'replace' });
  expect(await shardsOf(product.sql)).toEqual([1, 2, 3, null]);
});

afterAll(async () => {
  await product?.close();
  await scope.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const partsOf = (
  context: Pick<BackupParts, 'config' | 'log' | 'scope' | 'sql'>,
  place: string,
): BackupParts => ({ ...context, databaseUrl: context.config.databaseUrl ?? '', place });

const commands = [
  ...createBackupCommands({
    openBackup: (context, place) => openBackup(partsOf(context, place), '1.2.3'),
    openRestore: (context, place) => openRestore(partsOf(context, place)),
    openDatasetRestore: (context, place) => openDatasetRestore(partsOf(context, place)),
    verify: async (context) => (await openVerification(context)).verification.verify({}),
  }),
  createVerifyCommands(openVerification),
];

const admin = async <T>(on: Installation, line: string): Promise<T & { exitCode: number }> => {
  const { output, exitCode } = await runAdmin(on, commands, `${line} --json`);
  return { ...(JSON.parse(output) as T), exitCode };
};

const emptyPlace = async (servers: Partial<Config>): Promise<Installation> => {
  const name = `r${randomBytes(6).toString('hex')}`;
  const { databaseUrl, drop } = await createEmptyDatabase(inject('databaseUrl'));
  await scope.defer('database', drop);
  const pool = createPool({ databaseUrl, maxConnections: 2, log: silentLog });
  await scope.defer('pool', () => pool.end());
  const own = { databaseUrl, clickhouseDatabase: name, kafkaPrefix: name, dataDir: join(dataDir, name) };
  return { config: { ...product.config, ...own, ...servers } as Config, sql: createSql(pool) };
};

const three = (): Partial<Config> => ({});
const oneNode = (): Partial<Config> => ({
  clickhouseUrl: inject('clickhouseUrl'),
  clickhouseCluster: undefined,
  clickhouseNodeUrls: undefined,
});

const apiOn = async ({ config }: Installation): Promise<Client> => {
  const { port } = await createApiProcess(config, silentLog, scope);
  return { key: owner.key, baseUrl: `http://127.0.0.1:${port}/api` };
};

const readVersion = async (client: Client, dataset: number, version: string): Promise<string> => {
  const answer = await call(client, 'GET', `/datasets/${dataset}/data?versionId=${version}&$skip=0`);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return `${answer.headers.get('etag')} ${answer.headers.get('row-count')}\n${text}`;
};

/** Distinct values of `everywhere` among stores with patches that hide rows. */
const patchedStores = async (sql: Sql): Promise<boolean[]> =>
  (
    await sql.query<{ everywhere: boolean }>(
      'SELECT DISTINCT s.everywhere FROM segments g JOIN stores s ON s.id = g.store_id WHERE g.patch AND g.hidden > 0 ORDER BY 1',
    )
  ).map(({ everywhere }) => everywhere);

/** Checks that every version of the restored installation equals that of the product. */
const expectSame = async (place: Installation, client: Client): Promise<void> => {
  const versions = await place.sql.query<{ dataset: number; version: string }>(
    'SELECT dataset_id AS dataset, id::text AS version FROM versions ORDER BY id',
  );
  expect(versions.length).toBeGreaterThan(16);
  for (const { dataset, version } of versions)
    expect(await readVersion(client, dataset, version), `${dataset} ${version}`).toBe(
      await readVersion(owner, dataset, version),
    );
};

const restoreInto = async (place: Installation, from: string): Promise<void> => {
  const report = await admin<{ hashesCompared: number }>(place, `restore --from ${from} --verify`);
  expect(report).toMatchObject({ exitCode: 0, faults: [] });
  expect(report.hashesCompared).toBeGreaterThan(0);
};

/** Sharding expression of `Distributed` (src/rows/ddl.ts) for three shards of the same weight. */
const shardOfRow = 'cityHash64(_seg, intDiv(_row, 65536)) % 3';

/** Checks that every row of stores on all three shards is on the shard of its hash. */
const expectOnTheirShards = async ({ config }: Pick<Installation, 'config'>, stores: readonly number[]) => {
  expect(stores.length).toBeGreaterThan(0);
  for (const id of stores) {
    const sql = `SELECT count(), groupUniqArray(${shardOfRow}) FROM ${config.clickhouseDatabase}.s${id}`;
    const parts = await Promise.all(urls.map((url) => clickHouseText(url, { sql })));
    const shards = parts.map((part) => part.trim().split('\t'));
    expect(shards.some(([rows]) => rows !== '0')).toBe(true);
    const wanted = shards.map(([rows], at) => (rows === '0' ? '[]' : `[${at}]`));
    expect(
      shards.map(([, found]) => found),
      `store ${id}`,
    ).toEqual(wanted);
  }
};

const spreadStores = async (sql: Sql): Promise<number[]> =>
  (
    await sql.query<{ id: number }>(
      `SELECT s.id FROM stores s WHERE s.everywhere
         AND EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id AND g.rows > 0)`,
    )
  ).map(({ id }) => id);

const completeIn = (place: string): string[] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('complete.json'));

describe('a backup of three servers', () => {
  let alone: Installation;

  it('taken while uploads run restores every version byte for byte onto one server', async () => {
    const busy = await createDataset(owner);
    let isDone = false;
    let uploads = 0;
    const load = (async () => {
      while (!isDone) {
        uploads += 1;
        await send(owner, uploads % 2 === 0 ? spread : busy, lines(200, 100_000 + uploads * 300), {
          mode: 'append',
        });
      }
    })();
    await expect.poll(() => uploads).toBeGreaterThan(1);
    const made = await admin<BackupReport>(product, `backup --to ${folder}`);
    isDone = true;
    await load;
    expect(made).toMatchObject({ exitCode: 0, reused: 0 });
    alone = await emptyPlace(oneNode());
    await restoreInto(alone, folder);
    expect(await shardsOf(alone.sql)).toEqual([1]);
    expect(await patchedStores(alone.sql)).toEqual([false]);
    await expectSame(alone, await apiOn(alone));
  });

  it('restores onto two servers, spreads large datasets over both, and accepts uploads there', async () => {
    const { clickhouseUrl, clickhouseNodeUrls } = await startNodes(2, 'two');
    const two = await emptyPlace({ clickhouseUrl, clickhouseNodeUrls: clickhouseNodeUrls?.split(',') });
    await restoreInto(two, folder);
    expect(await shardsOf(two.sql)).toEqual([1, 2, null]);
    expect(await patchedStores(two.sql)).toEqual([false, true]);
    const client = await apiOn(two);
    await expectSame(two, client);
    await createWorkerProcess(two.config, silentLog, scope);
    await send(client, spread, lines(1_500, 70_000), { mode: 'append' });
    await send(client, await createDataset(client), lines(300, 0), { mode: 'replace' });
    expect(await admin<VerificationReport>(two, 'verify')).toMatchObject({ exitCode: 0, faults: [] });
  });

  it('of one server restores onto three', async () => {
    const from = join(dataDir, 'of-one');
    await admin(alone, `backup --to ${from}`);
    const place = await emptyPlace(three());
    await restoreInto(place, from);
    expect(await shardsOf(place.sql)).toEqual([1, 2, 3, null]);
    await expectOnTheirShards(place, await spreadStores(place.sql));
    await expectSame(place, await apiOn(place));
  });

  it('is incremental and restores onto shards', async () => {
    await admin(product, `backup --to ${folder}`);
    await send(owner, spread, lines(120, 60_000), { mode: 'append' });
    const made = await admin<BackupReport>(product, `backup --to ${folder}`);
    expect(made.segments).toBeGreaterThan(made.reused);
    expect(made.reused).toBeGreaterThan(16);
    const place = await emptyPlace(three());
    await restoreInto(place, folder);
    expect(await shardsOf(place.sql)).toEqual([1, 2, 3, null]);
    await expectOnTheirShards(place, await spreadStores(place.sql));
    await expectSame(place, await apiOn(place));
  });

  it('restores one dataset of all shards next to the original, on all shards, and accepts uploads there', async () => {
    await admin(product, `backup --to ${folder}`);
    const into = (await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'))).id;
    const versionsOf = (dataset: number) =>
      product.sql.query<{ id: string; rows: number }>(
        'SELECT id::text, row_count AS rows FROM versions WHERE dataset_id = $1 ORDER BY versions.id',
        [dataset],
      );
    const { dataset } = await admin<DatasetRestoreReport>(
      product,
      `restore --from ${folder} --dataset ${spread} --into ${into} --name again`,
    );
    const [store] = await product.sql.query<{ id: number; everywhere: boolean; own: boolean }>(
      `SELECT s.id, s.everywhere, s.id <> (SELECT store_id FROM datasets WHERE id = $2) AS own
       FROM stores s JOIN datasets d ON d.store_id = s.id WHERE d.id = $1`,
      [dataset, spread],
    );
    expect(store).toMatchObject({ everywhere: true, own: true });
    const before = await versionsOf(spread);
    const after = await versionsOf(dataset);
    expect(after.map(({ rows }) => rows)).toEqual(before.map(({ rows }) => rows));
    const rowsOf = async (of: number, { id }: { readonly id: string }): Promise<string> => {
      const answer = await call(owner, 'GET', `/datasets/${of}/data?versionId=${id}&$skip=0`);
      expect(answer.status).toBe(200);
      return answer.text();
    };
    for (const [at, version] of after.entries())
      expect(await rowsOf(dataset, version), `version ${at}`).toBe(await rowsOf(spread, before[at]!));
    await expectOnTheirShards(product, [store?.id ?? 0]);
    await send(owner, dataset, lines(1_500, 200_000), { mode: 'append' });
    expect((await versionsOf(dataset)).at(-1)?.rows).toBe((after.at(-1)?.rows ?? 0) + 1_500);
    expect(await admin<VerificationReport>(product, 'verify')).toMatchObject({ exitCode: 0, faults: [] });
  });

  it('repairs lost rows of a dataset on all shards', async () => {
    await send(owner, spread, lines(700, 100, 'third'), { mode: 'upsert', key: 'station' });
    await admin(product, `backup --to ${folder}`);
    const [store] = await product.sql.query<{ tables: number; segment: number }>(
      `SELECT s.id AS tables, r.segment_id AS segment FROM stores s
       JOIN datasets d ON d.store_id = s.id JOIN segment_ranges r ON r.dataset_id = d.id AND r.until_version IS NULL
       WHERE d.id = $1 AND s.everywhere ORDER BY r.segment_id DESC LIMIT 1`,
      [spread],
    );
    const before = await (await call(owner, 'GET', `/datasets/${spread}/data?$skip=0`)).text();
    for (const url of urls)
      await clickHouseText(url, {
        sql: `ALTER TABLE ${product.config.clickhouseDatabase}.s${store?.tables}
          DELETE IN PARTITION ${store?.segment} WHERE ${recordSql} % 5 = 1 SETTINGS mutations_sync = 2`,
      });
    const report = await admin<VerificationReport>(product, `verify --repair --from ${folder}`);
    expect(report.faults).toMatchObject([{ fault: 'rows_missing', repair: 'restored' }]);
    expect(report).toMatchObject({ exitCode: 0, repaired: 1, left: 0 });
    // Repaired versions have other tags, which only later backups know.
    await admin(product, `backup --to ${folder}`);
    expect(await (await call(owner, 'GET', `/datasets/${spread}/data?$skip=0`)).text()).toBe(before);
    expect(await admin<VerificationReport>(product, 'verify')).toMatchObject({ exitCode: 0, faults: [] });
  });
});

describe('a shard that is down', () => {
  const behind = (second: string): Partial<Config> => ({
    clickhouseNodeUrls: urls.map((url, at) => (at === 1 ? url.replace(/.*/, second) : url)),
  });

  it('fails a backup, at its start or in the middle, with an error that names the shard', async () => {
    const unreachable = { ...product, config: { ...product.config, ...behind('http://127.0.0.1:1') } };
    const from = join(dataDir, 'none');
    const away = { code: 'shard_away', message: expect.stringMatching(/^shard 2 .*No backup was made\.$/s) };
    await expect(admin(unreachable, `backup --to ${from}`)).rejects.toMatchObject(away);
    const proxy = await createUnsteadyProxy(urls[1] ?? '');
    const own = createScope(silentLog);
    let closed: Promise<void> | undefined;
    const line = new Writable({
      write(bytes, _encoding, done) {
        if (String(bytes).includes('backup begun')) closed = proxy.close();
        done();
      },
    });
    const context = { config: { ...product.config, ...behind(proxy.url) } as Config, sql: product.sql };
    const parts = partsOf({ ...context, log: pino(line), scope: own }, from);
    await expect((await openBackup(parts, '1.2.3')).run()).rejects.toMatchObject(away);
    expect(closed).toBeDefined();
    await closed;
    await own.close();
    expect(completeIn(from)).toEqual([]);
    await admin(product, `backup --to ${from}`);
    expect(completeIn(from)).toHaveLength(1);
  });

  it('fails a restore, which leaves no version behind, and the next restore succeeds', async () => {
    const proxy = await createUnsteadyProxy(urls[1] ?? '');
    const place = await emptyPlace(behind(proxy.url));
    // The shard stores its rows and goes down before it answers.
    proxy.play('say_nothing', 1);
    const refused = expect(admin(place, `restore --from ${folder}`)).rejects.toMatchObject({
      code: 'shard_away',
      message: expect.stringContaining('Nothing was restored.'),
    });
    await expect.poll(() => proxy.done).toBe(1);
    const rowsOn = (url: string): Promise<string> =>
      clickHouseText(url, {
        sql: `SELECT count() > 0 FROM system.parts WHERE active AND rows > 0
          AND database = '${place.config.clickhouseDatabase}' AND match(table, '^(s[0-9]|pool_)')`,
      });
    await expect.poll(async () => (await rowsOn(urls[1] ?? '')).trim()).toBe('1');
    await proxy.close();
    await refused;
    expect(await place.sql.query('SELECT 1 FROM accounts UNION ALL SELECT 1 FROM stores')).toEqual([]);
    expect((await Promise.all(urls.map(rowsOn))).map((text) => text.trim())).toEqual(['0', '1', '0']);
    const again = { ...place, config: { ...place.config, ...behind(urls[1] ?? '') } as Config };
    await restoreInto(again, folder);
    await expectSame(again, await apiOn(again));
  });
});
