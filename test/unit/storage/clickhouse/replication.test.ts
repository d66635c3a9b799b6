import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/lib/errors.js';
import {
  overReplicas,
  replicaSettings,
  replicatedDatabaseSql,
  replicatedStatement,
} from '../../../../src/rows/replication.js';
import type { Connection } from '../../../../src/storage/clickhouse/client.js';

describe('statements of a replica', () => {
  it('make the database on all nodes, one per shard', () => {
    expect(replicatedDatabaseSql('rows', 'main').replace(/\s+/g, ' ')).toBe(
      "CREATE DATABASE IF NOT EXISTS rows ON CLUSTER 'main' ENGINE = Replicated('/clickhouse/databases/rows/{shard}', '{shard}', '{replica}')",
    );
    expect(() => replicatedDatabaseSql('rows', "a' --")).toThrow(RangeError);
  });

  it.each([
    [
      'CREATE TABLE IF NOT EXISTS r.s1 (_seg UInt64) ENGINE = MergeTree PARTITION BY _seg ORDER BY (_seg, _row) SETTINGS non_replicated_deduplication_window = 0',
      'CREATE TABLE IF NOT EXISTS r.s1 (_seg UInt64) ENGINE = ReplicatedMergeTree PARTITION BY _seg ORDER BY (_seg, _row) SETTINGS replicated_deduplication_window = 0',
    ],
    [
      "CREATE TABLE IF NOT EXISTS r.s1 (_seg UInt64) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY _seg",
      'CREATE TABLE IF NOT EXISTS r.s1 (_seg UInt64) ENGINE = ReplicatedMergeTree ORDER BY _seg',
    ],
    [
      'ALTER TABLE r.s1 MODIFY SETTING non_replicated_deduplication_window = 0, merge_selector_base = 5',
      'ALTER TABLE r.s1 MODIFY SETTING replicated_deduplication_window = 0, merge_selector_base = 5',
    ],
    [
      "CREATE TABLE IF NOT EXISTS r.ds1 AS r.s1 ENGINE = Distributed('main', 'r', 's1')",
      "CREATE TABLE IF NOT EXISTS r.ds1 AS r.s1 ENGINE = Distributed('main', 'r', 's1')",
    ],
    ['DROP TABLE IF EXISTS r.s1', 'DROP TABLE IF EXISTS r.s1'],
    [
      "INSERT INTO r.s1 SELECT 'ENGINE = MergeTree ' FROM r.s2",
      "INSERT INTO r.s1 SELECT 'ENGINE = MergeTree ' FROM r.s2",
    ],
  ])('%s', (alone, replicated) => {
    expect(replicatedStatement(alone)).toBe(replicated);
  });
});

/** A replica that writes down what it is asked, and is away while `away` says so. */
const replica = (name: string, asked: unknown[], away: Set<string>): Connection => {
  const answer = async <T>(what: unknown, result: T): Promise<T> => {
    if (away.has(name)) throw new AppError('unavailable', 'store_unavailable', 'away');
    asked.push([name, what]);
    return result;
  };
  return {
    database: 'rows',
    command: (sql, options) => answer([sql, options?.settings], undefined),
    rows: <T>(sql: string) => answer(sql, [] as T[]),
    insert: (sql, _data, options) => answer([sql, options?.settings], undefined),
    send: () => Promise.reject(new Error('not asked for')),
    ping: async () => !away.has(name),
    close: () => Promise.resolve(),
  };
};

describe('the replicas of a shard', () => {
  it('are asked one at a time, another one when it is away, and none twice for one statement', async () => {
    const asked: unknown[] = [];
    const away = new Set<string>();
    const shard = overReplicas([replica('a', asked, away), replica('b', asked, away)]);
    await shard.rows('SELECT 1');
    away.add('a');
    await expect(shard.rows('SELECT 2')).rejects.toMatchObject({ code: 'store_unavailable' });
    await shard.rows('SELECT 2');
    away.clear();
    await shard.rows('SELECT 3');
    expect(asked).toEqual([
      ['a', 'SELECT 1'],
      ['b', 'SELECT 2'],
      ['b', 'SELECT 3'],
    ]);
  });

  it('answer while one of them does', async () => {
    const away = new Set(['a']);
    const shard = overReplicas([replica('a', [], away), replica('b', [], away)]);
    expect(await shard.ping()).toBe(true);
    away.add('b');
    expect(await shard.ping()).toBe(false);
  });

  it('acknowledge an insert when most have it, and wait for all where a statement waits', async () => {
    const asked: unknown[] = [];
    const shard = overReplicas([replica('a', asked, new Set())]);
    await shard.insert('INSERT INTO r.s1 FORMAT Native', [], { settings: { async_insert: 0 } });
    await shard.command('DELETE FROM r.s1 WHERE _seg IN (1)', {
      settings: { lightweight_deletes_sync: '1', mutations_sync: '1' },
    });
    expect(asked).toEqual([
      ['a', ['INSERT INTO r.s1 FORMAT Native', { async_insert: 0, ...replicaSettings }]],
      [
        'a',
        [
          'DELETE FROM r.s1 WHERE _seg IN (1)',
          { ...replicaSettings, lightweight_deletes_sync: '2', mutations_sync: '2' },
        ],
      ],
    ]);
    expect(replicaSettings.insert_quorum).toBe('auto');
  });
});
