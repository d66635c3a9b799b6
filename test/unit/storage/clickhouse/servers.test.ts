import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import { statedTable } from '../../../../src/rows/places.js';
import { joinServers } from '../../../../src/rows/servers.js';
import { createShardChoice } from '../../../../src/rows/shard-choice.js';
import {
  type Connection,
  createClickHouse,
  type RawRequest,
  type StatementOptions,
} from '../../../../src/storage/clickhouse/client.js';

interface Asked {
  readonly by: string;
  readonly settings: StatementOptions['settings'] | RawRequest['search'];
}

/** Notes what it is asked; `free` bytes, or none when it is away. */
const serverOf = (by: string, asked: Asked[], free: () => number | undefined = () => 1): Connection => ({
  database: 'db',
  command: async (_sql, options) => void asked.push({ by, settings: options?.settings }),
  async rows<T>(_sql: string, options?: StatementOptions) {
    asked.push({ by, settings: options?.settings });
    const bytes = free();
    if (bytes === undefined) throw new Error('away');
    return [{ free: String(bytes) }] as T[];
  },
  insert: async () => undefined,
  async send({ search }) {
    asked.push({ by, settings: search });
    throw new Error('no answer');
  },
  ping: async () => true,
  close: async () => undefined,
});

const clusterOf = (free: readonly (() => number | undefined)[] = [() => 1, () => 1]) => {
  const asked: Asked[] = [];
  const servers = joinServers({
    entry: serverOf('entry', asked),
    cluster: 'c',
    shards: free.map((bytes, at) => ({
      number: at + 1,
      clickhouse: serverOf(`shard ${at + 1}`, asked, bytes),
    })),
  });
  return { servers, asked };
};

const strict = { skip_unavailable_shards: 0, distributed_product_mode: 'global' };

describe('the servers of a cluster', () => {
  it('are asked by the place of the rows, as a server that stands alone', async () => {
    const { servers, asked } = clusterOf();
    await servers.at({ shard: 2 }).command('SELECT 1', { settings: { max_threads: 2 } });
    expect(asked).toEqual([{ by: 'shard 2', settings: { max_threads: 2 } }]);
  });

  it('are all asked by the entry for what is spread, and none of them is left out', async () => {
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

describe('a table', () => {
  it('has one name on its shard, and another where all shards are asked for it', () => {
    const pool = { pool: 'narrow' } as const;
    expect(statedTable('db', { storeId: 7, shard: 2, pool: null })).toBe('db.s7');
    expect(statedTable('db', { storeId: 7, shard: null, pool: null })).toBe('db.ds7');
    expect(statedTable('db', { storeId: 7, shard: 2, pool })).toBe('db.pool_narrow');
    expect(statedTable('db', { storeId: 7, shard: null, pool })).toBe('db.dpool_narrow');
  });
});

describe('the shard of a new store', () => {
  const counted = async (choose: () => Promise<number>, times: number): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {};
    for (let at = 0; at < times; at += 1) {
      const shard = await choose();
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    return counts;
  };
  const closed = async (): Promise<number[]> => [];

  it('is the only one without a question', async () => {
    const alone = createClickHouse({ url: 'http://127.0.0.1:1', database: 'db' });
    expect(await createShardChoice(alone, { closed, log: silentLog })()).toBe(1);
    await alone.close();
  });

  it('is each as often as its share of the free space', async () => {
    const { servers } = clusterOf([() => 100, () => 300, () => 200]);
    expect(await counted(createShardChoice(servers, { closed, log: silentLog }), 60)).toEqual({
      1: 10,
      2: 30,
      3: 20,
    });
  });

  it('is none that is away, full or closed', async () => {
    const { servers } = clusterOf([() => undefined, () => 0, () => 5, () => 5]);
    expect(await counted(createShardChoice(servers, { closed: async () => [4], log: silentLog }), 3)).toEqual(
      { 3: 3 },
    );
  });

  it('is looked for again when there was none', async () => {
    let free: number | undefined;
    const { servers } = clusterOf([() => free]);
    const choose = createShardChoice(servers, { closed, log: silentLog });
    await expect(choose()).rejects.toMatchObject({ kind: 'unavailable' });
    free = 1;
    expect(await choose()).toBe(1);
  });
});
