import { describe, expect, it } from 'vitest';
import { statedTable } from '../../../../src/rows/places.js';
import { joinServers } from '../../../../src/rows/servers.js';
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

const clusterOf = () => {
  const asked: Asked[] = [];
  const servers = joinServers({
    entry: serverOf('entry', asked),
    cluster: 'c',
    shards: [1, 2].map((number) => ({ number, weight: 1, clickhouse: serverOf(`shard ${number}`, asked) })),
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
