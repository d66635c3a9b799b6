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

interface SentStatement {
  readonly by: string;
  readonly settings: StatementOptions['settings'] | RawRequest['search'];
}

/** Records the statements that it receives. */
const serverOf = (by: string, sent: SentStatement[]): Connection => ({
  database: 'db',
  command: async (_sql, options) => void sent.push({ by, settings: options?.settings }),
  async rows<T>(_sql: string, options?: StatementOptions) {
    sent.push({ by, settings: options?.settings });
    return [] as T[];
  },
  insert: async () => undefined,
  async send({ search }) {
    sent.push({ by, settings: search });
    throw new Error('no answer');
  },
  ping: async () => true,
  close: async () => undefined,
});

const shardsOf = (sent: SentStatement[], numbers: readonly number[]): readonly Shard[] =>
  numbers.map((number) => ({ number, weight: 1, clickhouse: serverOf(`shard ${number}`, sent) }));

const clusterOf = (entryFails: readonly ClickHouseError[] = []) => {
  const sent: SentStatement[] = [];
  const errors = [...entryFails];
  const entry = serverOf('entry', sent);
  const fail = async (): Promise<void> => {
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
  let found = shardsOf(sent, [1, 2]);
  const tablesMade: string[] = [];
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
    makeTables: async () => void tablesMade.push(servers.shards.map(({ number }) => number).join()),
    log: silentLog,
    shards: found,
  });
  const grow = (): void => {
    found = shardsOf(sent, [1, 2, 3]);
  };
  return { servers, sent, tablesMade, grow };
};

const strict = { skip_unavailable_shards: 0, distributed_product_mode: 'global' };

describe('the servers of a cluster', () => {
  it('get statements about rows on one shard at that shard, with unchanged settings', async () => {
    const { servers, sent } = clusterOf();
    await servers.at({ shard: 2 }).command('SELECT 1', { settings: { max_threads: 2 } });
    expect(sent).toEqual([{ by: 'shard 2', settings: { max_threads: 2 } }]);
  });

  it('are queried through the entry for rows on all shards, without skipping unavailable ones', async () => {
    const { servers, sent } = clusterOf();
    const spread = servers.at({ shard: null });
    await spread.command('SELECT 1', { settings: { max_threads: 2, skip_unavailable_shards: 1 } });
    const search = { skip_unavailable_shards: 1, p: 'x' };
    const request = { body: '', contentType: '', search, queryId: 'q', signal: new AbortController().signal };
    await expect(spread.send(request)).rejects.toThrow('no answer');
    expect(sent).toMatchObject([
      { by: 'entry', settings: { ...strict, max_threads: 2 } },
      { by: 'entry', settings: { ...strict, p: 'x' } },
    ]);
  });

  it('refuse to query rows of different places together', () => {
    const { servers } = clusterOf();
    expect(() => servers.at({ shard: 1 }, { shard: 2 })).toThrow(
      expect.objectContaining({ kind: 'unavailable', code: 'version_gone' }),
    );
    expect(() => servers.at({ shard: 1 }, { shard: null })).toThrow(
      expect.objectContaining({ code: 'version_gone' }),
    );
  });

  it('answer 503 for a shard that does not exist, as a single server does', async () => {
    const gone = expect.objectContaining({ kind: 'unavailable', code: 'store_unavailable' });
    expect(() => clusterOf().servers.at({ shard: 3 })).toThrow(gone);
    const single = createClickHouse({ url: 'http://127.0.0.1:1', database: 'db' });
    expect(single.at({ shard: 1 })).toBe(single);
    for (const shard of [2, null]) expect(() => single.at({ shard })).toThrow(gone);
    await single.close();
  });
});

describe('a new shard', () => {
  const failed = (code: string, message: string) => new ClickHouseError({ code, message, type: '' });
  const noTable = failed('279', 'All connection tries failed. Log: There is no table `db`.`s1` on server b');
  const refused = failed('279', 'All connection tries failed. Log: Connection refused');

  it('gets its tables when a read fails without them, and the read is repeated once', async () => {
    const { servers, sent, tablesMade, grow } = clusterOf([noTable]);
    grow();
    expect(await servers.at({ shard: null }).rows('SELECT 1')).toEqual([]);
    expect(tablesMade).toEqual(['1,2,3']);
    expect(sent.map(({ by }) => by)).toEqual(['entry', 'entry']);
    expect(servers.shards.map(({ number }) => number)).toEqual([1, 2, 3]);
    const { servers: twice, tablesMade: once } = clusterOf([noTable, noTable, noTable]);
    await expect(twice.at({ shard: null }).rows('SELECT 1')).rejects.toBe(noTable);
    expect(once).toHaveLength(1);
  });

  it('without tables fails a write with a transient error, since some rows may have been stored', async () => {
    const { servers, sent, tablesMade } = clusterOf([noTable]);
    await expect(servers.at({ shard: null }).command('INSERT')).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect([sent.length, tablesMade.length]).toEqual([1, 1]);
  });

  it('is not assumed when a shard refuses connections', async () => {
    const { servers, tablesMade } = clusterOf([refused]);
    await expect(servers.at({ shard: null }).rows('SELECT 1')).rejects.toBe(refused);
    expect(tablesMade).toEqual([]);
  });

  it('is found after a first request for it has failed', async () => {
    const { servers, grow } = clusterOf();
    grow();
    expect(() => servers.at({ shard: 3 })).toThrow(expect.objectContaining({ code: 'store_unavailable' }));
    await expect.poll(() => servers.shards.length).toBe(3);
    expect(servers.at({ shard: 3 })).toBe(servers.shards[2]?.clickhouse);
  });
});

describe('a table', () => {
  it('has one name on its shard, and another for queries over all shards', () => {
    const pool = { pool: 'narrow', mapId: 1, slots: {} } as const;
    expect(statedTable('db', placeOf({ storeId: 7, shard: 2, pool: null }))).toBe('db.s7');
    expect(statedTable('db', placeOf({ storeId: 7, shard: null, pool: null }))).toBe('db.ds7');
    expect(statedTable('db', placeOf({ storeId: 7, shard: 2, pool }))).toBe('db.pool_narrow');
    expect(statedTable('db', placeOf({ storeId: 7, shard: null, pool }))).toBe('db.dpool_narrow');
  });
});
