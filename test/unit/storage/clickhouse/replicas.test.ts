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

/** Port without a listener. */
const closedPort = 1;

/** Replica that records its statements, and is down while its name is in `down`. */
const replica = (name: string, statements: unknown[], down: Set<string>): Connection => {
  const answer = async <T>(what: unknown, result: T): Promise<T> => {
    if (down.has(name)) throw new AppError('unavailable', 'store_unavailable', 'down');
    statements.push([name, what]);
    return result;
  };
  return {
    database: 'rows',
    command: (sql, options) => answer([sql, options?.settings], undefined),
    rows: <T>(sql: string) => answer(sql, [] as T[]),
    insert: (sql, _data, options) => answer([sql, options?.settings], undefined),
    send: () => Promise.reject(new Error('not expected')),
    ping: async () => !down.has(name),
    close: () => Promise.resolve(),
  };
};

describe('the replicas of a shard', () => {
  it('are used one at a time: a failed statement is not repeated, and the next one goes to another replica', async () => {
    const statements: unknown[] = [];
    const down = new Set<string>();
    const shard = overReplicas([replica('a', statements, down), replica('b', statements, down)], replicated);
    await shard.rows('SELECT 1');
    down.add('a');
    await expect(shard.rows('SELECT 2')).rejects.toMatchObject({ code: 'store_unavailable' });
    await shard.rows('SELECT 2');
    down.clear();
    await shard.rows('SELECT 3');
    expect(statements).toEqual([
      ['a', 'SELECT 1'],
      ['b', 'SELECT 2'],
      ['b', 'SELECT 3'],
    ]);
  });

  it('are read at another one after a refused connection', async () => {
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

  it('answer pings while one of them does', async () => {
    const down = new Set(['a']);
    const shard = overReplicas([replica('a', [], down), replica('b', [], down)], replicated);
    expect(await shard.ping()).toBe(true);
    down.add('b');
    expect(await shard.ping()).toBe(false);
  });

  it('get inserts and changes unchanged, with a quorum in the settings', async () => {
    const statements: unknown[] = [];
    const shard = overReplicas([replica('a', statements, new Set())], replicated);
    await shard.insert('INSERT INTO r.s1 FORMAT Native', [], { settings: { async_insert: 0 } });
    await shard.command("INSERT INTO r.s1 SELECT 'ENGINE = MergeTree'");
    const sent = replicated.insertSettings;
    expect(statements).toEqual([
      ['a', ['INSERT INTO r.s1 FORMAT Native', { async_insert: 0, ...sent }]],
      ['a', ["INSERT INTO r.s1 SELECT 'ENGINE = MergeTree'", sent]],
    ]);
    expect(sent.insert_quorum).toBe('auto');
  });

  it('of shared storage read with sequential consistency', async () => {
    const statements: unknown[] = [];
    const shard = overReplicas([replica('a', statements, new Set())], createEngine('SharedMergeTree'));
    await shard.command('INSERT INTO r.s1 SELECT 1');
    expect(statements).toEqual([['a', ['INSERT INTO r.s1 SELECT 1', { select_sequential_consistency: 1 }]]]);
  });
});
