import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTopology, type ShardAddress } from '../../../src/rows/topology.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createFolders, nothing, processesIn, type Run, remaining, up } from './harness.js';

const folders = createFolders();
const dataDir = folders.make();
const need = { ...nothing, clickhouse: true };

let run: Run;
let shards: readonly ShardAddress[];
const clients: ClickHouse[] = [];

const open = (url: string): ClickHouse => {
  const client = createClickHouse({ url, database: 'kept' });
  clients.push(client);
  return client;
};

const nodeOf = (number: number): ClickHouse => clients[number - 1] as ClickHouse;

const scalarOf = async (client: ClickHouse, sql: string): Promise<unknown> =>
  (await client.rows<{ v: unknown }>(sql))[0]?.v;

beforeAll(async () => {
  const alone = await up(dataDir, { need });
  expect(alone.access.clickhouseCluster).toBeUndefined();
  const only = createClickHouse({ url: alone.access.clickhouseUrl ?? '', database: 'kept' });
  await only.command('CREATE DATABASE kept');
  await only.command('CREATE TABLE kept.rows (_seg UInt64, v Int64) ENGINE = MergeTree ORDER BY _seg');
  await only.command('INSERT INTO kept.rows SELECT 1, number FROM numbers(100)');
  await only.close();
  await alone.scope.close();

  run = await up(dataDir, { need, clickhouseNodes: 3 });
  const { clickhouseUrl: url = '', clickhouseCluster: cluster = '' } = run.access;
  const entry = createClickHouse({ url, database: 'kept' });
  shards = await readTopology(entry, { cluster, url });
  await entry.close();
  for (const shard of shards) open(shard.replicas[0].url);
  for (const client of clients) {
    await client.command('CREATE DATABASE IF NOT EXISTS kept');
    await client.command(
      'CREATE TABLE IF NOT EXISTS kept.rows (_seg UInt64, v Int64) ENGINE = MergeTree ORDER BY _seg',
    );
    await client.command(
      `CREATE TABLE kept.every (_seg UInt64, v Int64) ENGINE = Distributed('${cluster}', 'kept', 'rows')`,
    );
  }
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await run.scope.close();
  expect(await remaining(dataDir)).toEqual([]);
  folders.remove();
});

describe('three embedded ClickHouse servers', () => {
  it('are the shards of one cluster, both in system.clusters and in the URLs of the launcher', async () => {
    expect(shards.map(({ number, replicas }) => [number, replicas.length])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(shards.map(({ replicas: [{ url }] }) => url.replace(/\/$/, '')).join(',')).toBe(
      run.access.clickhouseNodeUrls,
    );
    for (const { number } of shards)
      expect(
        await scalarOf(nodeOf(number), 'SELECT shard_num AS v FROM system.clusters WHERE is_local'),
      ).toBe(number);
  });

  it('keep the rows of the earlier single server on the first one', async () => {
    expect(await scalarOf(nodeOf(1), 'SELECT toInt32(count()) AS v FROM kept.rows')).toBe(100);
    expect(await scalarOf(nodeOf(2), 'SELECT toInt32(count()) AS v FROM kept.rows')).toBe(0);
  });

  it('insert and select through a Distributed table', async () => {
    for (const { number } of shards)
      await nodeOf(2).command(
        `INSERT INTO kept.every SELECT ${10 + number}, number FROM numbers(${number})
         SETTINGS insert_shard_id = ${number}, distributed_foreground_insert = 1`,
      );
    const rows = await nodeOf(3).rows(
      'SELECT _shard_num AS shard, _seg AS seg, toInt32(count()) AS n FROM kept.every WHERE _seg > 10 GROUP BY ALL ORDER BY ALL',
    );
    expect(rows).toEqual([1, 2, 3].map((shard) => ({ shard, seg: 10 + shard, n: shard })));
  });

  it('cannot read other servers, files or URLs', async () => {
    for (const source of [
      "remote('127.0.0.1', system.one)",
      "cluster('tabulary', system.one)",
      "url('http://127.0.0.1/', CSV, 'a String')",
      "file('/etc/passwd', CSV, 'a String')",
    ])
      await expect(nodeOf(2).rows(`SELECT * FROM ${source}`), source).rejects.toMatchObject({ code: '497' });
  });

  it('hide their passwords from other users of the machine', () => {
    for (const name of ['clickhouse', 'clickhouse-2', 'clickhouse-3']) {
      for (const file of ['config.xml', 'users.xml'])
        expect(statSync(join(dataDir, name, file)).mode & 0o777, `${name}/${file}`).toBe(0o600);
      expect(statSync(join(dataDir, 'embedded', `${name}.json`)).mode & 0o777).toBe(0o600);
    }
    const passwords = [
      ...readFileSync(join(dataDir, 'clickhouse', 'config.xml'), 'utf8').matchAll(/<password>([^<]+)/g),
    ];
    expect(passwords).toHaveLength(3);
    const shown = processesIn(dataDir).join('\n');
    for (const [, password = ''] of passwords) expect(shown).not.toContain(password);
  });

  it('list their clusters in the error for an unknown cluster', async () => {
    const options = { cluster: 'other', url: run.access.clickhouseUrl ?? '' };
    await expect(readTopology(nodeOf(1), options)).rejects.toMatchObject({
      code: 'bad_configuration',
      message: 'CLICKHOUSE_CLUSTER: ClickHouse has no cluster other (remote_servers); it has tabulary',
    });
  });

  it('stay up when another server aborts their connections', async () => {
    const { clickhouseCluster: cluster = '' } = run.access;
    for (const number of [1, 2])
      await nodeOf(number).command('CREATE TABLE kept.part (v Int64) ENGINE = MergeTree ORDER BY v');
    await nodeOf(2).command('INSERT INTO kept.part SELECT number FROM numbers(10)');
    await nodeOf(1).command(
      `CREATE TABLE kept.parts (v Int64) ENGINE = Distributed('${cluster}', 'kept', 'part')`,
    );
    const before = run.clickhousePids();
    for (let time = 0; time < 100; time += 1)
      await expect(nodeOf(1).rows('SELECT v FROM kept.parts')).rejects.toBeInstanceOf(Error);
    expect(await scalarOf(nodeOf(1), 'SELECT toInt32(count()) AS v FROM kept.every')).toBe(106);
    expect(run.clickhousePids()).toEqual(before);
  });

  it('restart a killed server; until then a read fails instead of returning too few rows', async () => {
    const count = () => scalarOf(nodeOf(1), 'SELECT toInt32(count()) AS v FROM kept.every');
    let victim: number | undefined;
    // The server may be back before it is read.
    for (let failed = false; !failed; ) {
      const [, running] = run.clickhousePids();
      if (running !== undefined && running !== victim) {
        process.kill(running, 'SIGKILL');
        victim = running;
      }
      await count().then(
        (rows) => expect(rows).toBe(106),
        () => {
          failed = true;
        },
      );
    }
    const { clickhouseUrl: url = '', clickhouseCluster: cluster = '', clickhouseNodeUrls } = run.access;
    // The URLs of the launcher name a shard even while it is down.
    const named = await readTopology(nodeOf(1), { cluster, url, nodeUrls: clickhouseNodeUrls?.split(',') });
    expect(named).toHaveLength(3);
    await expect.poll(count, { interval: 200 }).toBe(106);
  });
});
