/** Datasets that grow to all shards, and the addition of a shard. CLICKHOUSE_URL is a load balancer in front of the nodes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { childEnvironment } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import { segmentId } from '../../../src/model/version.js';
import { balance, type ChangingCluster, startChangingCluster } from '../../support/clickhouse-shards.js';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const scope = createScope(silentLog);
let cluster: ChangingCluster;
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  cluster = await startChangingCluster(scope);
  await cluster.configure(1, 1);
  const { clickhouseNodeUrls = '', clickhouseCluster = '' } = cluster.access;
  product = await startProduct({
    clickhouseUrl: await balance(clickhouseNodeUrls.split(',').slice(0, 2), scope),
    clickhouseCluster,
    firstChunkBytes: '4096',
    chunkBytes: '16384',
    poolMaxRows: '300',
    spreadMinBytes: '60000',
    // The tests sweep themselves.
    sweepIntervalMs: '86400000',
    segmentGraceMs: '0',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
});

const fileOf = (rows: number, from = 0): string =>
  `"row","text"\n${Array.from({ length: rows }, (_, at) => `${from + at},"text ${from + at}"\n`).join('')}`;

const send = async (dataset: number, file: string): Promise<ProcessAnswer> => {
  const done = await upload(owner, dataset, file);
  expect(done.status, JSON.stringify(done.error)).toBe('completed');
  return done;
};

/** Checks all rows with a filter, which reads them from all shards and bypasses the exported file. */
const expectWhole = async (dataset: number, file: string): Promise<void> => {
  const found = await download(owner, dataset, `?$filter=${encodeURIComponent('row ge 0')}`);
  expect(found === file, `${found.length} characters of ${file.length}`).toBe(true);
};

interface Store {
  readonly id: number;
  readonly home: number;
  readonly everywhere: boolean;
  /** Segments of the current version. */
  readonly segments: readonly number[];
}

const storeOf = async (dataset: number): Promise<Store> => {
  const [row] = await product.sql.query<Store>(
    `SELECT s.id, s.shard AS home, s.everywhere, ARRAY(SELECT r.segment_id FROM segment_ranges r
       WHERE r.dataset_id = d.id AND r.until_version IS NULL) AS segments
     FROM datasets d JOIN stores s ON s.id = d.store_id WHERE d.id = $1`,
    [dataset],
  );
  if (row === undefined) throw new Error(`dataset ${dataset} has no store`);
  return row;
};

const tableOn = async (node: number, table: string): Promise<string | undefined> => {
  const [row] = await cluster.nodes[node - 1]!.rows<{ sql: string }>(
    'SELECT create_table_query AS sql FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { params: { database: product.config.clickhouseDatabase, table } },
  );
  return row?.sql;
};

const sweep = async (): Promise<void> => {
  const own = createScope(silentLog);
  await (await openStorageSweep({ config: product.config, log: silentLog, sql: product.sql, scope: own }))();
  await own.close();
};

describe('a dataset that becomes large', () => {
  it.each([
    { what: 'a table', rows: 900, table: ({ id }: Store) => `s${id}` },
    { what: 'rows in a pool', rows: 20, table: () => 'pool_narrow' },
  ])(
    'stays on its shard while another shard has an orphaned copy of $what, which the sweep drops',
    async ({ rows, table }) => {
      const dataset = await createDataset(owner);
      await send(dataset, fileOf(rows));
      const store = await storeOf(dataset);
      const name = table(store);
      const elsewhere = 3 - store.home;
      const node = cluster.nodes[elsewhere - 1]!;
      const sql = await tableOn(store.home, name);
      await node.command(sql?.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS') ?? '');
      const orphan = `${product.config.clickhouseDatabase}.${name}`;
      await node.command(
        `INSERT INTO ${orphan} (_seg, _row) SELECT ${store.segments[0]}, number FROM numbers(7)`,
      );

      const grown = fileOf(5_000, 7);
      await send(dataset, grown);
      expect((await storeOf(dataset)).everywhere).toBe(false);
      await expectWhole(dataset, grown);

      await sweep();
      if (name.startsWith('s')) expect(await tableOn(elsewhere, name)).toBeUndefined();
      else expect(await node.rows(`SELECT 1 FROM ${orphan} WHERE _seg = ${store.segments[0]}`)).toEqual([]);

      await send(dataset, fileOf(6_000));
      expect((await storeOf(dataset)).everywhere).toBe(true);
      await expectWhole(dataset, fileOf(6_000));
      await sweep();
      await expectWhole(dataset, fileOf(6_000));
    },
  );

  it('can be read on any node, also through a load balancer', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, fileOf(4_000));
    const { id, segments } = await storeOf(dataset);
    for (const node of cluster.nodes.slice(0, 2)) {
      const [row] = await node.rows<{ rows: string }>(
        `SELECT toString(count()) AS rows FROM ${product.config.clickhouseDatabase}.ds${id} WHERE _seg IN (${segments.join()})`,
      );
      expect(row?.rows).toBe('4000');
    }
    // Each request may reach a different node.
    for (let at = 0; at < 10; at += 1) await expectWhole(dataset, fileOf(4_000));
  });
});

/** Starts a worker process that can be killed. */
const spawnWorker = (): ChildProcess => {
  const { databaseUrl = '', clickhouseUrl = '', clickhouseCluster = '' } = product.config;
  const { clickhouseDatabase, kafkaPrefix, dataDir } = product.config;
  return spawn(process.execPath, ['dist/worker.js'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: childEnvironment({
      ...inject('kafka'),
      databaseUrl,
      clickhouseUrl,
      clickhouseDatabase,
      clickhouseCluster,
      kafkaPrefix,
      dataDir,
      workerPort: '0',
      gatewayIntervalMs: '86400000',
      sweepIntervalMs: '86400000',
    }),
  });
};

/** Counts rows and distinct positions of a segment on all nodes; `first` tells if the first row of the file is stored. */
const positionsOf = async (
  table: string,
  segment: number,
): Promise<{ rows: number; positions: number; first: boolean }> => {
  const found = new Set<string>();
  let rows = 0;
  for (const [at, node] of cluster.nodes.entries()) {
    if ((await tableOn(at + 1, table)) === undefined) continue;
    const list = await node.rows<{ at: string }>(
      `SELECT toString(_row) AS at FROM ${product.config.clickhouseDatabase}.${table} WHERE _seg = ${segment}`,
    );
    rows += list.length;
    for (const { at: position } of list) found.add(position);
  }
  return {
    rows,
    positions: found.size,
    first: [...found].some((at) => BigInt(at) % BigInt(recordsPerUpload) === 0n),
  };
};

describe('a shard that is added', () => {
  let large = 0;

  it('is found by the next read, and a worker killed before it recorded a chunk leaves no duplicate', async () => {
    const { sql } = product;
    large = await createDataset(owner);
    await send(large, fileOf(3_000));
    const { id: store } = await storeOf(large);
    await product.stopWorker();
    // With the right process id, the first chunk goes to a different shard of three than of two.
    const nextId = async (): Promise<number> => {
      const [row] = await sql.query<{ id: number }>(
        `SELECT nextval(pg_get_serial_sequence('processes', 'id')) AS id`,
      );
      return Number(row?.id);
    };
    while ((await nextId()) % 3 === 2);
    const file = fileOf(5_000, 1);
    const sent = await json<ProcessAnswer>(await putFile(owner, large, file), 201);
    const segment = segmentId(sent.id, 1);
    await sql.tx(async (tx) => {
      await tx.query('LOCK TABLE chunks IN SHARE MODE');
      const worker = spawnWorker();
      // Later chunks may be stored before the first one, and some go to the same shard either way.
      while (!(await positionsOf(`u${segment}`, segment)).first) await sleep(50);
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      // Its database session must not record anything after its death.
      await sql.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    });
    expect(
      await sql.query('SELECT 1 FROM chunks WHERE process_id = $1 AND inserted_attempt > 0', [sent.id]),
    ).toEqual([]);
    await cluster.configure(1, 1, 1);
    // Without a worker, the read itself creates the tables and is retried once.
    await expectWhole(large, fileOf(3_000));
    for (const table of [`s${store}`, `ds${store}`, 'dpool_narrow'])
      expect(await tableOn(3, table), table).toBeDefined();
    await product.startWorker();
    const done = await ended(owner, sent);
    expect(done.status, JSON.stringify(done.error)).toBe('completed');
    // The first chunk was stored twice, on two shards. The row count detects it and a second attempt starts.
    expect(done.progress.attempt).toBe(2);
    const { segments } = await storeOf(large);
    expect(segments).toEqual([segmentId(sent.id, 2)]);
    expect(await positionsOf(`s${store}`, segments[0] ?? 0)).toEqual({
      rows: 5_000,
      positions: 5_000,
      first: true,
    });
    await expectWhole(large, file);
  });
});
