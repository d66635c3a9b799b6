import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/lib/errors.js';
import { type Connection, createClickHouse } from '../../../../src/storage/clickhouse/client.js';
import { createEngine } from '../../../../src/storage/clickhouse/engine.js';
import { overReplicas } from '../../../../src/storage/clickhouse/replicas.js';

const replicated = createEngine('ReplicatedMergeTree', { cluster: 'main' });

/** Nothing listens there. */
const closedPort = 1;

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
    const shard = overReplicas([replica('a', asked, away), replica('b', asked, away)], replicated);
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

  it('are read at another one after a connection was refused', async () => {
    const server = createServer(
      (request, response) => void request.resume().on('end', () => response.end('2')),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const at = (portNumber: number) =>
      createClickHouse({ url: `http://u:p@127.0.0.1:${portNumber}`, database: 'rows' });
    const shard = overReplicas([at(closedPort), at(port)], replicated);
    const read = () =>
      shard.send({
        body: 'SELECT 2',
        contentType: 'text/plain',
        search: {},
        queryId: 'q',
        signal: new AbortController().signal,
      });
    await expect(read()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const { status, body } = await read();
    expect([status, await text(body)]).toEqual([200, '2']);
    await shard.close();
    server.close();
  });

  it('answer while one of them does', async () => {
    const away = new Set(['a']);
    const shard = overReplicas([replica('a', [], away), replica('b', [], away)], replicated);
    expect(await shard.ping()).toBe(true);
    away.add('b');
    expect(await shard.ping()).toBe(false);
  });

  it('acknowledge inserts and changes when most of them have these, with the statement as it was written', async () => {
    const asked: unknown[] = [];
    const shard = overReplicas([replica('a', asked, new Set())], replicated);
    await shard.insert('INSERT INTO r.s1 FORMAT Native', [], { settings: { async_insert: 0 } });
    await shard.command("INSERT INTO r.s1 SELECT 'ENGINE = MergeTree'");
    const sent = replicated.insertSettings;
    expect(asked).toEqual([
      ['a', ['INSERT INTO r.s1 FORMAT Native', { async_insert: 0, ...sent }]],
      ['a', ["INSERT INTO r.s1 SELECT 'ENGINE = MergeTree'", sent]],
    ]);
    expect(sent.insert_quorum).toBe('auto');
  });

  it('of shared storage read rows that were written through another one', async () => {
    const asked: unknown[] = [];
    const shard = overReplicas([replica('a', asked, new Set())], createEngine('SharedMergeTree'));
    await shard.command('INSERT INTO r.s1 SELECT 1');
    expect(asked).toEqual([['a', ['INSERT INTO r.s1 SELECT 1', { select_sequential_consistency: 1 }]]]);
  });
});
