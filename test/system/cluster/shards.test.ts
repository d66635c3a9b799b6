/** A product on three ClickHouse servers, compared with the same product on one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { openServers } from '../../../src/compose/clickhouse-servers.js';
import { openCluster } from '../../../src/compose/cluster.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { openVerification } from '../../../src/compose/verification.js';
import type { Config } from '../../../src/config.js';
import { type Embedded, startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import type { Place, ReadableVersion } from '../../../src/model/version.js';
import { createJoin, type JoinedSegment } from '../../../src/rows/join.js';
import { placeOf as makePlace, placeSql } from '../../../src/rows/place.js';
import { createSeeker } from '../../../src/rows/row-number.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createReader } from '../../../src/storage/clickhouse/reader.js';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { countRows } from '../../support/stored-rows.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-shards-'));
const scope = createScope(silentLog);
const need = { postgres: false, kafka: false, clickhouse: true };

/** Small chunks, so that a file of some thousand rows has several. Folding is off, because patches are counted. */
const sizes = { firstChunkBytes: '4096', chunkBytes: '16384', poolMaxRows: '500', patchFoldMinPercent: '0' };
const spreadMinBytes = 60_000;

let embedded: Embedded;
let joined: TestProduct;
let alone: TestProduct;
const nodes: ClickHouse[] = [];

/** One value for each product. */
interface Pair<T> {
  readonly joined: T;
  readonly alone: T;
}
let clients: Pair<Client>;

const both = async <T>(ask: (client: Client, of: keyof Pair<T>) => Promise<T>): Promise<Pair<T>> => ({
  joined: await ask(clients.joined, 'joined'),
  alone: await ask(clients.alone, 'alone'),
});

beforeAll(async () => {
  embedded = await startEmbedded({ dataDir, need, clickhouseNodes: 3, log: silentLog, scope });
  const { clickhouseUrl = '', clickhouseCluster = '', clickhouseNodeUrls = '' } = embedded.access;
  joined = await startProduct({
    ...sizes,
    clickhouseUrl,
    clickhouseCluster,
    clickhouseNodeUrls,
    spreadMinBytes: String(spreadMinBytes),
    // A sweep would remove the artificial segments below.
    sweepIntervalMs: '86400000',
  });
  alone = await startProduct(sizes);
  clients = { joined: await joined.createAccount('owner'), alone: await alone.createAccount('owner') };
  const database = joined.config.clickhouseDatabase;
  for (const url of clickhouseNodeUrls.split(',')) nodes.push(createClickHouse({ url, database }));
});

afterAll(async () => {
  for (const node of nodes) await node.close();
  await joined?.close();
  await alone?.close();
  await scope.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const fileOf = (rows: number, from = 0, word = 'text'): string =>
  `day,station,value,note\n${Array.from({ length: rows }, (_, at) => {
    const row = from + at;
    const day = new Date(Date.UTC(2000, 0, 1 + (row % 700))).toISOString().slice(0, 10);
    return `${day},S${row},${row / 8},${word} ${row}`;
  }).join('\n')}\n`;

/** CSV of a download of the file. */
const shownOf = (file: string): string =>
  file.replaceAll(/^([^,]*),([^,]*),([^,]*),(.*)$/gm, '"$1","$2",$3,"$4"').replace(',value,', ',"value",');

/** Number of rows of a store on each server. */
const rowsOn = (store: number): Promise<number[]> =>
  Promise.all(
    nodes.map(async (node) => {
      const [row] = await node.rows<{ n: string }>(
        `SELECT toString(sum(rows)) AS n FROM system.parts
         WHERE active AND database = {database:String} AND table = {table:String}`,
        { params: { database: node.database, table: `s${store}` } },
      );
      return Number(row?.n ?? 0);
    }),
  );

const placeOf = async (dataset: number): Promise<{ store: number; shard: number | null }> => {
  const [row] = await joined.sql.query<{ store: number; shard: number | null }>(
    'SELECT s.id AS store, CASE WHEN NOT s.everywhere THEN s.shard END AS shard FROM datasets d JOIN stores s ON s.id = d.store_id WHERE d.id = $1',
    [dataset],
  );
  if (row === undefined) throw new Error(`dataset ${dataset} has no store`);
  return row;
};

const send = async (client: Client, dataset: number, content: string, options: Options): Promise<void> => {
  expect(await uploadWith(client, dataset, content, options)).toMatchObject({
    status: 'completed',
    error: null,
  });
};

const questions = [
  '',
  '?$skip=1500&$top=40',
  '?$skip=2600&$top=700',
  `?$filter=${encodeURIComponent("value gt 250 and contains(note, '7')")}`,
  `?$orderby=${encodeURIComponent('value desc')}&$top=50`,
  `?$last=3`,
  `?$transpose=true&$filter=${encodeURIComponent('value lt 3')}`,
  '?$select=day&$distinct=true',
  '?$format=json&$top=20',
  `?$apply=${encodeURIComponent('groupby((day),aggregate(value with sum as total,$count as n))')}&$top=30`,
  `?$apply=${encodeURIComponent('filter(value lt 100)/aggregate(value with max as most,$count as n)')}`,
];

const expectSameAnswers = async (datasets: Pair<number>): Promise<void> => {
  for (const query of questions) {
    const answers = await both((client, of) => download(client, datasets[of], query));
    expect(answers.joined, query).toBe(answers.alone);
  }
};

describe('small datasets', () => {
  it('are stored on one shard each, and together use all shards', async () => {
    const datasets = [];
    for (let at = 0; at < 6; at += 1) datasets.push(await createDataset(clients.joined));
    const shards = new Set<number | null>();
    for (const [at, dataset] of datasets.entries()) {
      // Half of them in pools, half in their own tables.
      const file = fileOf(at % 2 === 0 ? 20 : 900, at * 1000);
      await upload(clients.joined, dataset, file);
      expect(await download(clients.joined, dataset, '?$skip=0')).toBe(shownOf(file));
      const { store, shard } = await placeOf(dataset);
      shards.add(shard);
      if (at % 2 === 1)
        expect((await rowsOn(store)).map((rows) => rows > 0)).toEqual([1, 2, 3].map((one) => one === shard));
    }
    expect([...shards].sort()).toEqual([1, 2, 3]);
  });
});

describe('a large dataset', () => {
  const datasets = { joined: 0, alone: 0 };
  let restored = '';

  it('has chunks on all shards and is read in order', async () => {
    Object.assign(datasets, await both((client) => createDataset(client)));
    const file = fileOf(4000);
    await both((client, of) => send(client, datasets[of], file, { mode: 'replace' }));
    const { store, shard } = await placeOf(datasets.joined);
    expect(shard).toBeNull();
    const rows = await rowsOn(store);
    expect(rows.every((count) => count > 0)).toBe(true);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(4000);
    await expectSameAnswers(datasets);
  });

  it('is read by all servers, each reading its own rows', async () => {
    const selected = (): Promise<number[]> =>
      Promise.all(
        nodes.map(async (node) => {
          const [row] = await node.rows<{ n: string }>(
            `SELECT toString(sum(value)) AS n FROM system.events WHERE event = 'SelectedRows'`,
          );
          return Number(row?.n ?? 0);
        }),
      );
    const stored = await rowsOn((await placeOf(datasets.joined)).store);
    const before = await selected();
    const sum = `?$apply=${encodeURIComponent('aggregate(value with sum as total)')}`;
    await download(clients.joined, datasets.joined, sum);
    const after = await selected();
    for (const [at, rows] of stored.entries())
      expect((after[at] ?? 0) - (before[at] ?? 0), `rows that server ${at + 1} read`).toBeGreaterThanOrEqual(
        rows,
      );
  });

  it('is seekable by row number in the indexes of all shards', async () => {
    const own = createScope(silentLog);
    const servers = await openServers({ ...joined, scope: own, log: silentLog });
    const reader = createReader({ servers, maxWaitSeconds: 60, maxMemoryBytes: 1e9, log: silentLog });
    const { store } = await placeOf(datasets.joined);
    const place = makePlace({ storeId: store, shard: null, pool: null });
    const context = { queryId: 'seek', signal: new AbortController().signal };
    const find = (segmentIds: readonly number[], rowCount: number, number: number) =>
      createSeeker(reader).find({ segmentIds, rowCount, place } as ReadableVersion, number, context);
    const [first, second, gaps] = [88_888_881, 88_888_882, 88_888_883];
    const positionIn = (segment: number, record: number): string =>
      String(BigInt(segment) * BigInt(recordsPerUpload) + BigInt(record));
    const insert = (segment: number, condition: string) =>
      Promise.all(
        nodes.map((node, at) =>
          node.command(`INSERT INTO ${node.database}.s${store} (_seg, _row)
            SELECT ${segment}, ${positionIn(segment, 0)} + number FROM numbers(30000) WHERE intDiv(number, 1000) % 3 = ${at} AND ${condition}`),
        ),
      );
    await insert(first, '1');
    await insert(second, '1');
    await insert(gaps, 'number <> 4000');
    expect(await find([first, second], 60_000, 25_000)).toEqual({
      position: positionIn(first, 25_000),
      before: 25_000,
    });
    expect(await find([first, second], 60_000, 31_234)).toEqual({
      position: positionIn(second, 1_234),
      before: 31_234,
    });
    expect(await find([gaps], 29_999, 25_000)).toBeUndefined();
    await own.close();
  });

  it('has the same result after appends, upserts and deletes as on one server', async () => {
    restored = (await readDataset(clients.joined, datasets.joined)).currentVersionId ?? '';
    await both((client, of) => send(client, datasets[of], fileOf(30, 4000), { mode: 'append' }));
    await expectSameAnswers(datasets);
    await both((client, of) => send(client, datasets[of], fileOf(1500, 4030), { mode: 'append' }));
    await expectSameAnswers(datasets);
    await both((client, of) =>
      send(client, datasets[of], fileOf(700, 3500, 'changed'), { mode: 'upsert', key: 'station' }),
    );
    await expectSameAnswers(datasets);
    await both((client, of) =>
      send(client, datasets[of], fileOf(100, 50), { mode: 'delete', key: 'station' }),
    );
    await expectSameAnswers(datasets);
    expect(await readDataset(clients.joined, datasets.joined)).toMatchObject({ rowCount: 5430 });
    const patches = await joined.sql.query<{ rows: number; hidden: number }>(
      `SELECT g.rows, g.hidden FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
       WHERE r.dataset_id = $1 AND r.until_version IS NULL AND g.patch ORDER BY g.id`,
      [datasets.joined],
    );
    expect(patches).toEqual([
      { rows: 700, hidden: 700 },
      { rows: 100, hidden: 200 },
    ]);
  });

  it('has the same summary as on one server, and can be compared with an earlier version', async () => {
    const summaries = await both(async (client, of) => {
      const answer = await json<{ columns: { id: number }[] }>(
        await call(client, 'GET', `/datasets/${datasets[of]}/summary`),
      );
      return answer.columns.map(({ id: _, ...column }) => column);
    });
    expect(summaries.joined).toEqual(summaries.alone);
    const current = (await readDataset(clients.joined, datasets.joined)).currentVersionId;
    const diff = await json(
      await call(clients.joined, 'GET', `/datasets/${datasets.joined}/versions/${restored}/diff/${current}`),
    );
    expect(diff).toMatchObject({ added: 2030, removed: 600, changed: 0 });
  });

  it('keeps its rows when segments are joined, verified and swept', async () => {
    const own = createScope(silentLog);
    const parts = { config: joined.config, log: silentLog, sql: joined.sql, scope: own };
    const servers = await openServers({ ...joined, scope: own, log: silentLog });
    const run = await joined.sql.query<JoinedSegment & { place: Place }>(
      `SELECT g.id, g.rows, g.patch, g.hash, ${placeSql('g')} AS place
       FROM segment_ranges r JOIN segments g ON g.id = r.segment_id WHERE r.dataset_id = $1 AND g.slot_map_id IS NULL`,
      [datasets.joined],
    );
    const [listed] = run;
    if (listed === undefined) throw new Error('the dataset has no segments');
    const orphan = 999_999_999;
    const target = { segment: orphan, place: listed.place };
    const join = createJoin({ clickhouse: servers, log: silentLog });
    const { rows } = await join(run, target, new AbortController().signal);
    expect(rows).toBeGreaterThan(4000);
    const { verification } = await openVerification(parts);
    expect(await verification.verify({})).toMatchObject({ faults: [] });
    const swept = new Map((await (await openStorageSweep(parts))()).map(({ what, count }) => [what, count]));
    expect(swept.get('segments that PostgreSQL does not know')).toBeGreaterThan(0);
    expect(swept.get('segments that are missing (not removed)')).toBe(0);
    expect(await countRows(servers, listed.place, orphan)).toBe(0);
    expect(await verification.verify({})).toMatchObject({ faults: [] });
    await own.close();
    await expectSameAnswers(datasets);
  });

  it('answers 503 and never too few rows while a shard is down, and all rows afterwards', async () => {
    const whole = await download(clients.joined, datasets.joined, '?$skip=0');
    let victim: number | undefined;
    let failed = false;
    // A different query each time, since a repeated one would be answered from the cache.
    for (let read = 0; ; read += 1) {
      const running = embedded.clickhousePids()[2];
      // The shard may be back before it is read.
      if (!failed && running !== undefined && running !== victim) {
        process.kill(running, 'SIGKILL');
        victim = running;
      }
      const path = `/datasets/${datasets.joined}/data?$top=${100_000 + read}`;
      const answer = await call(clients.joined, 'GET', path);
      const text = await answer.text().catch(() => undefined);
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) failed = true;
      else if (text !== undefined) {
        expect(text.replaceAll('\r\n', '\n')).toBe(whole);
        if (failed) break;
      }
      await sleep(100);
    }
    await both((client, of) => send(client, datasets[of], fileOf(2000, 9000), { mode: 'append' }));
    await expectSameAnswers(datasets);
  });

  it('is read from a pool after a short file has replaced it', async () => {
    await both((client, of) => send(client, datasets[of], fileOf(30), { mode: 'replace' }));
    await expectSameAnswers(datasets);
  });
});

interface Stores {
  readonly kinds: { readonly kind: string; readonly rows: number }[];
  readonly everywhereStores?: number;
  readonly shards?: {
    readonly shard: number;
    readonly state: string;
    readonly stores: number;
    readonly error: string | null;
  }[];
}

/** Starts an additional API process with changed settings; `logged` has its log lines of level error. */
const apiWith = async (changes: Partial<Config>) => {
  const own = createScope(silentLog);
  const logged: { datasets: number; shard: number | null; reason: string }[] = [];
  const line = new Writable({
    write(bytes, _encoding, done) {
      logged.push(JSON.parse(String(bytes)));
      done();
    },
  });
  const config = { ...joined.config, ...changes } as Config;
  const { port } = await createApiProcess(config, pino({ level: 'error' }, line), own);
  const ask = (key: string) => ({ key, baseUrl: `http://127.0.0.1:${port}/api` });
  return { config, logged, ask, end: () => own.close() };
};

const operatorKey = async (name: string): Promise<string> => {
  const operator = await joined.createAccount(name);
  await joined.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [operator.id]);
  return operator.key;
};

describe('a shard that does not respond', () => {
  it('is shown to operators, with the state of the others', async () => {
    // Nothing listens on port 1.
    const urls = (embedded.access.clickhouseNodeUrls ?? '').split(',');
    const clickhouseNodeUrls = urls.map((url, at) => (at === 1 ? url.replace(/:\d+(\/?)$/, ':1$1') : url));
    const { ask, end } = await apiWith({ clickhouseNodeUrls });
    const answer = await call(ask(await operatorKey('operator')), 'GET', '/ops/stores');
    const { shards, kinds } = await json<Stores>(answer);
    expect(shards?.map(({ shard, state }) => [shard, state])).toEqual([
      [1, 'in use'],
      [2, 'away'],
      [3, 'in use'],
    ]);
    expect(shards?.[1]?.error).toMatch(/\S/);
    expect(kinds.find(({ kind }) => kind === 'own')?.rows).toBeGreaterThan(0);
    await end();
  });
});

describe('a configuration that lacks shards with rows', () => {
  const far = { first: 0, other: 0, spread: 0 };
  const key = () => clients.joined.key ?? '';

  beforeAll(async () => {
    // Round-robin; a shard that was down may be skipped for a minute.
    for (let at = 0; at < 12 && far.first * far.other === 0; at += 1) {
      const dataset = await createDataset(clients.joined);
      await upload(clients.joined, dataset, fileOf(900));
      far[(await placeOf(dataset)).shard === 1 ? 'first' : 'other'] = dataset;
    }
    far.spread = await createDataset(clients.joined);
    await upload(clients.joined, far.spread, fileOf(4000));
    expect((await placeOf(far.spread)).shard).toBeNull();
    expect(far.first * far.other).toBeGreaterThan(0);
  });

  it('is logged at startup with the number of unreadable datasets, and the others stay readable', async () => {
    const { logged, ask, end } = await apiWith({ clickhouseCluster: undefined });
    expect(logged.map(({ shard }) => shard)).toEqual([2, 3, null]);
    for (const { reason, datasets } of logged) {
      expect(datasets).toBeGreaterThan(0);
      expect(reason).toMatch(/^the rows of \d+ datasets? are on .*CLICKHOUSE_CLUSTER is not set: set /);
    }
    const client = ask(key());
    expect(await download(client, far.first, '?$skip=0')).toBe(shownOf(fileOf(900)));
    for (const dataset of [far.other, far.spread]) {
      const read = await call(client, 'GET', `/datasets/${dataset}/data?$skip=0`);
      expect([read.status, await json(read, 503)]).toMatchObject([503, { code: 'store_unavailable' }]);
      const put = await putFile(client, dataset, fileOf(5));
      expect([put.status, await json(put, 503)]).toMatchObject([503, { code: 'store_unavailable' }]);
    }
    const stores = await json<Stores>(await call(ask(await operatorKey('another')), 'GET', '/ops/stores'));
    expect(stores.shards?.map(({ shard, state }) => [shard, state])).toEqual([
      [1, 'in use'],
      [2, 'not configured'],
      [3, 'not configured'],
    ]);
    expect(stores.everywhereStores).toBeGreaterThan(0);
    await end();
  });

  it('refuses uploads to a dataset on more shards than are configured', async () => {
    const setShards = (count: number) =>
      joined.sql.query(`UPDATE settings SET value = $1 WHERE name = 'rows_shards' RETURNING 1`, [
        String(count),
      ]);
    expect(await setShards(4)).toHaveLength(1);
    const { logged, ask, end } = await apiWith({});
    expect(logged.map(({ shard }) => shard)).toEqual([null]);
    expect(logged[0]?.reason).toMatch(
      /^the rows of \d+ datasets? are on several shards, of which cluster \w+ lacks some: give /,
    );
    const put = await putFile(ask(key()), far.spread, fileOf(5));
    expect([put.status, await json(put, 503)]).toMatchObject([503, { code: 'store_unavailable' }]);
    expect((await putFile(ask(key()), far.other, fileOf(900))).status).toBe(201);
    // Reads still work, since all rows are on configured shards.
    expect((await call(ask(key()), 'GET', `/datasets/${far.spread}/data?$skip=0`)).status).toBe(200);
    await setShards(3);
    await end();
    const again = await apiWith({});
    expect(again.logged).toEqual([]);
    await again.end();
  });

  it('is refused by commands that need the cluster', async () => {
    const own = createScope(silentLog);
    const config = { ...joined.config, clickhouseCluster: undefined } as Config;
    await expect(openCluster({ config, log: silentLog, scope: own, sql: joined.sql })).rejects.toThrow(
      /are on shard 2, and CLICKHOUSE_CLUSTER is not set/,
    );
    await own.close();
  });

  it('does not block a sweep, which keeps unreachable rows', async () => {
    const own = createScope(silentLog);
    const deleted = await createDataset(clients.joined);
    await upload(clients.joined, deleted, fileOf(900));
    const { store } = await placeOf(deleted);
    await joined.sql.query('UPDATE stores SET shard = 9 WHERE id = $1', [store]);
    expect((await call(clients.joined, 'DELETE', `/datasets/${deleted}`)).status).toBe(204);
    for (const clickhouseCluster of [joined.config.clickhouseCluster, undefined]) {
      const config = { ...joined.config, clickhouseCluster, segmentGraceMs: 0 } as Config;
      const parts = { config, log: silentLog, sql: joined.sql, scope: own };
      const swept = new Map(
        (await (await openStorageSweep(parts))()).map(({ what, count }) => [what, count]),
      );
      expect(swept.get('segments that are missing (not removed)')).toBe(0);
      expect(await joined.sql.query('SELECT 1 FROM segments WHERE store_id = $1', [store])).toHaveLength(1);
    }
    await own.close();
    for (const dataset of [far.other, far.spread])
      expect((await call(clients.joined, 'GET', `/datasets/${dataset}/data?$skip=0`)).status).toBe(200);
  });
});
