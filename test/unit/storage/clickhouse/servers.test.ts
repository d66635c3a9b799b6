import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import { placeOf, statedTable } from '../../../../src/rows/place.js';
import { joinServers } from '../../../../src/rows/servers.js';
import {
  type ClickHouseServers,
  type Connection,
  createClickHouse,
  type Shard,
  type StatementOptions,
} from '../../../../src/storage/clickhouse/client.js';
import { createEngine } from '../../../../src/storage/clickhouse/engine.js';
import type { RawRequest } from '../../../../src/storage/clickhouse/raw-requests.js';

interface Asked {
  readonly by: string;
  readonly settings: StatementOptions['settings'] | RawRequest['search'];
}

/** Notes what it is asked. */
const serverOf = (by: string, asked: Asked[]): Connection => ({
  database: 'db',
  command: async (_sql, options) => void asked.push({ by, settings: options?.settings }),
  async rows<T>(_sql: string, options?: StatementOptions) {
    asked.push({ by, settings: options?.settings });
    return [] as T[];
  },
  insert: async () => undefined,
  async send({ search }) {
    asked.push({ by, settings: search });
    throw new Error('no answer');
  },
  ping: async () => true,
  close: async () => undefined,
});

const shardsOf = (asked: Asked[], numbers: readonly number[]): readonly Shard[] =>
  numbers.map((number) => ({ number, weight: 1, clickhouse: serverOf(`shard ${number}`, asked) }));

const clusterOf = (entryFails: readonly ClickHouseError[] = []) => {
  const asked: Asked[] = [];
  const errors = [...entryFails];
  const entry = serverOf('entry', asked);
  const fail = async (): Promise<void> => {
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
  let found = shardsOf(asked, [1, 2]);
  const made: string[] = [];
  const servers: ClickHouseServers = joinServers({
    entry: {
      ...entry,
      rows: async <T>(sql: string, options?: StatementOptions) => {
        const rows = await entry.rows<T>(sql, options);
        await fail();
        return rows;
      },
      command: async (sql, options) => {
        await entry.command(sql, options);
        await fail();
      },
    },
    engine: createEngine('MergeTree', { cluster: 'c' }),
    readShards: async () => found,
    makeTables: async () => void made.push(servers.shards.map(({ number }) => number).join()),
    log: silentLog,
    shards: found,
  });
  const grow = (): void => {
    found = shardsOf(asked, [1, 2, 3]);
  };
  return { servers, asked, made, grow };
};

const strict = { skip_unavailable_shards: 0, distributed_product_mode: 'global' };

describe('the servers of a cluster', () => {
  it('are queried by the place of the rows, as a single server is', async () => {
    const { servers, asked } = clusterOf();
    await servers.at({ shard: 2 }).command('SELECT 1', { settings: { max_threads: 2 } });
    expect(asked).toEqual([{ by: 'shard 2', settings: { max_threads: 2 } }]);
  });

  it('are all queried by the entry for rows on all shards, without exception', async () => {
    const { servers, asked } = clusterOf();
    const spread = servers.at({ shard: null });
    await spread.command('SELECT 1', { settings: { max_threads: 2, skip_unavailable_shards: 1 } });
    const search = { skip_unavailable_shards: 1, p: 'x' };
    const request = { body: '', contentType: '', search, queryId: 'q', signal: new AbortController().signal };
    await expect(spread.send(request)).rejects.toThrow('no answer');
    expect(asked).toMatchObject([
      { by: 'entry', settings: { ...strict, max_threads: 2 } },
      { by: 'entry', settings: { ...strict, p: 'x' } },
    ]);
  });

  it('do not bring together rows that lie apart', () => {
    const { servers } = clusterOf();
    expect(() => servers.at({ shard: 1 }, { shard: 2 })).toThrow(
      expect.objectContaining({ kind: 'unavailable', code: 'version_gone' }),
    );
    expect(() => servers.at({ shard: 1 }, { shard: null })).toThrow(
      expect.objectContaining({ code: 'version_gone' }),
    );
  });

  it('answer 503 for a shard that there is not', async () => {
    const gone = expect.objectContaining({ kind: 'unavailable', code: 'store_unavailable' });
    expect(() => clusterOf().servers.at({ shard: 3 })).toThrow(gone);
    const alone = createClickHouse({ url: 'http://127.0.0.1:1', database: 'db' });
    expect(alone.at({ shard: 1 })).toBe(alone);
    for (const shard of [2, null]) expect(() => alone.at({ shard })).toThrow(gone);
    await alone.close();
  });
});

describe('a shard that was added', () => {
  const failed = (code: string, message: string) => new ClickHouseError({ code, message, type: '' });
  const noTable = failed('279', 'All connection tries failed. Log: There is no table `db`.`s1` on server b');
  const refused = failed('279', 'All connection tries failed. Log: Connection refused');

  it('gets its tables when a read finds that it lacks them, and the read is repeated once', async () => {
    const { servers, asked, made, grow } = clusterOf([noTable]);
    grow();
    expect(await servers.at({ shard: null }).rows('SELECT 1')).toEqual([]);
    expect(made).toEqual(['1,2,3']);
    expect(asked.map(({ by }) => by)).toEqual(['entry', 'entry']);
    expect(servers.shards.map(({ number }) => number)).toEqual([1, 2, 3]);
    const { servers: twice, made: once } = clusterOf([noTable, noTable, noTable]);
    await expect(twice.at({ shard: null }).rows('SELECT 1')).rejects.toBe(noTable);
    expect(once).toHaveLength(1);
  });

  it('makes a write fail in a way that passes: it may have stored some of its rows', async () => {
    const { servers, asked, made } = clusterOf([noTable]);
    await expect(servers.at({ shard: null }).command('INSERT')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect([asked.length, made.length]).toEqual([1, 1]);
  });

  it('is not thought of when one is down', async () => {
    const { servers, made } = clusterOf([refused]);
    await expect(servers.at({ shard: null }).rows('SELECT 1')).rejects.toBe(refused);
    expect(made).toEqual([]);
  });

  it('is found when another process has placed a dataset there', async () => {
    const { servers, grow } = clusterOf();
    grow();
    expect(() => servers.at({ shard: 3 })).toThrow(expect.objectContaining({ code: 'store_unavailable' }));
    await expect.poll(() => servers.shards.length).toBe(3);
    expect(servers.at({ shard: 3 })).toBe(servers.shards[2]?.clickhouse);
  });
});

describe('a table', () => {
  it('has one name on its shard, and another where all shards are queried', () => {
    const pool = { pool: 'narrow', mapId: 1, slots: {} } as const;
    expect(statedTable('db', placeOf({ storeId: 7, shard: 2, pool: null }))).toBe('db.s7');
    expect(statedTable('db', placeOf({ storeId: 7, shard: null, pool: null }))).toBe('db.ds7');
    expect(statedTable('db', placeOf({ storeId: 7, shard: 2, pool }))).toBe('db.pool_narrow');
    expect(statedTable('db', placeOf({ storeId: 7, shard: null, pool }))).toBe('db.dpool_narrow');
  });
});
