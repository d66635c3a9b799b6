import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { insideOf } from '../../../src/rows/place.js';
import { createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createReader } from '../../../src/storage/clickhouse/reader.js';
import { createDownloadServer, type DownloadServer } from '../../integration/query/download-server.js';
import { createStoredTables, type StoredTables } from '../../integration/query/stored-table.js';
import { createCutter } from '../../support/cutter.js';

const connections: ReturnType<typeof createClickHouse>[] = [];

const connectTo = (url: string) => {
  const connection = createClickHouse({ url, database: tables.clickhouse.database, maxConnections: 1_000 });
  connections.push(connection);
  return connection;
};

const rows = 3_000_000;
let tables: StoredTables;
let server: DownloadServer;
let big: ReadableVersion;
let trapped: ReadableVersion;
let sleepy: ReadableVersion;

/** Stores a table that is larger than all buffers on the way to a client. */
beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader, { maxRunning: 2, queueLength: 1 });
  big = await tables.addSelected(
    [
      { name: 'text', physical: 's' },
      { name: 'value', physical: 'f' },
    ],
    rows,
    () => `number, repeat('x', 200), number FROM numbers(${rows})`,
  );
  trapped = await withTrap(big, rows - 1_000);
  sleepy = await withSleep(big);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server.close();
  await tables.close();
});

/** Adds a calculated column to the version. */
const withColumn = async (
  version: ReadableVersion,
  id: number,
  name: string,
  sql: string,
): Promise<ReadableVersion> => {
  await tables.clickhouse.command(
    `ALTER TABLE ${tables.clickhouse.database}.s${insideOf(version.place!).storeId}
     ADD COLUMN c${id}_f Nullable(Float64) ALIAS toFloat64(${sql})`,
  );
  return { ...version, columns: [...version.columns, { ...version.columns[1]!, id, storageId: id, name }] };
};

/** Adds a column that fails for one late row, after ClickHouse has sent many megabytes. */
const withTrap = (version: ReadableVersion, badRow: number): Promise<ReadableVersion> =>
  withColumn(version, 9_000_000 + badRow, 'trap', `throwIf(_row = ${badRow})`);

/** Adds a column that takes at least half a minute to calculate on any machine. */
const withSleep = (version: ReadableVersion): Promise<ReadableVersion> =>
  withColumn(version, 8_000_000, 'slow', 'sleepEachRow(0.00002)');

interface Received {
  readonly status: number | undefined;
  readonly bytes: number;
  readonly tail: string;
  readonly complete: boolean;
}

const receive = (url: string, headers = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    const call = request(url, { headers }, (answer) => {
      let bytes = 0;
      let tail = '';
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        tail = (tail + chunk.subarray(-4000).toString('latin1')).slice(-8000);
      });
      answer.once('close', () =>
        resolve({ status: answer.statusCode, bytes, tail, complete: answer.complete }),
      );
      answer.on('error', () => undefined);
    });
    call.once('error', reject);
    call.end();
  });

const runningQueries = async (queryId: string): Promise<number> => {
  const [row] = await tables.clickhouse.rows<{ n: string }>(
    'SELECT toString(count()) AS n FROM system.processes WHERE startsWith(query_id, {queryId:String})',
    { params: { queryId } },
  );
  return Number(row?.n);
};

/**
 * ClickHouse encodes row groups of a Parquet file while it reads the next ones, and sends nothing of a group before it is complete. On a busy
 * machine it reaches the failing row, in the third group, before the first is sent. That is a failure before the first byte, answered with a
 * status; it is not what is tested here, so the query is sent again.
 */
const receiveParquet = async (url: string): Promise<Received> => {
  const answer = await receive(url);
  return answer.status === 500 || answer.status === 503 ? receiveParquet(url) : answer;
};

describe('a query that fails in the middle', () => {
  for (const [name, query, headers] of [
    ['csv', '$skip=0', {}],
    ['json', '$format=json', {}],
    ['parquet', '$format=parquet&$skip=0', {}],
    ['csv in gzip', '$skip=0', { 'accept-encoding': 'gzip' }],
    ['csv in zstd', '$skip=0', { 'accept-encoding': 'zstd' }],
  ] as const) {
    it(`breaks the connection without sending the error: ${name}`, async () => {
      const url = server.dataUrl(trapped, query);
      const answer = name === 'parquet' ? await receiveParquet(url) : await receive(url, headers);
      expect(answer.status).toBe(200);
      expect(answer.bytes).toBeGreaterThan(0);
      expect(answer.complete).toBe(false);
      expect(answer.tail).not.toMatch(/__exception__|DB::Exception/);
    });
  }

  it('breaks connections that wait for a file that is being exported', async () => {
    const link = await fetch(server.dataUrl(trapped), { redirect: 'manual' });
    const answer = await receive(link.headers.get('location')!);
    expect(answer.complete).toBe(false);
    expect(answer.tail).not.toMatch(/__exception__|DB::Exception/);
  });

  it('is answered with an error status when it fails before the first byte', async () => {
    const early = await withTrap(big, 5);
    const answer = await fetch(server.dataUrl(early, '$skip=0'));
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ code: 'query_failed' });
  });
});

describe('a client that disconnects', () => {
  const ask = (requestId: string, query: string) => {
    const call = request(server.dataUrl(sleepy, query), { headers: { 'x-request-id': requestId } });
    call.on('error', () => undefined);
    call.end();
    return call;
  };

  it.each([
    ['that is being answered', '$format=json', true],
    ['that has not been answered yet', '$format=json&$orderby=slow', false],
  ])(
    'cancels its query %s, while an equal query continues, and releases its permit',
    async (_, query, answers) => {
      const [cancelled, running] = [`gone-${process.pid}-${answers}`, `stays-${process.pid}-${answers}`];
      const [call, other] = [ask(cancelled, query), ask(running, query)];
      if (answers) {
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        await once(answer, 'readable');
      }
      for (const id of [cancelled, running]) await expect.poll(() => runningQueries(id)).toBe(1);
      call.destroy();
      await expect.poll(() => runningQueries(cancelled)).toBe(0);
      expect(await runningQueries(running)).toBe(1);
      await expect.poll(() => server.semaphore.running).toBe(1);
      other.destroy();
      await expect.poll(() => server.semaphore.running).toBe(0);
    },
  );
});

describe('permits of running queries', () => {
  it('are refused with 503 and Retry-After when the queue is full', async () => {
    const open = () => {
      const call = request(server.dataUrl(big, '$format=json'));
      call.on('error', () => undefined);
      call.end();
      return call;
    };
    const calls = [open(), open()];
    await Promise.all(calls.map((call) => once(call, 'response')));
    const waiting = open();
    await expect.poll(() => server.semaphore.waiting).toBe(1);
    const refused = await fetch(server.dataUrl(big, '$format=json'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    for (const call of [...calls, waiting]) call.destroy();
    await expect.poll(() => server.semaphore.running).toBe(0);
  });
});

describe('the limits of a query', () => {
  const limited = async (limits: { maxWaitSeconds?: number; maxMemoryBytes?: number }, query: string) => {
    const reader = createReader({
      servers: connectTo(inject('clickhouseUrl')),
      maxWaitSeconds: 60,
      maxMemoryBytes: 2 ** 31,
      log: silentLog,
      ...limits,
    });
    const other = await createDownloadServer(reader);
    const answer = await fetch(other.dataUrl(big, query));
    const body = await answer.text();
    await other.close();
    return { status: answer.status, body };
  };

  it('answer 400 with the memory limit', async () => {
    const select = '$select=text&$distinct=true&$count=true';
    const { status, body } = await limited({ maxMemoryBytes: 3_000_000 }, select);
    expect(status).toBe(400);
    expect(body).toContain('2.86 MiB');
  });

  it('answer 504 with advice when the time limit is reached before the first byte', async () => {
    const slow = `$filter=${encodeURIComponent("contains(tolower(text),'y') or contains(toupper(text),'y')")}`;
    const { status, body } = await limited({ maxWaitSeconds: 0.05 }, slow);
    expect(status).toBe(504);
    expect(body).toContain('$filter');
  });
});

describe('a slow reader', () => {
  it('does not exceed the time limit, which counts only the time of ClickHouse', async () => {
    const reader = createReader({
      servers: connectTo(inject('clickhouseUrl')),
      maxWaitSeconds: 5,
      maxMemoryBytes: 2 ** 31,
      log: silentLog,
    });
    const body = await reader.open({
      sql: 'SELECT number FROM numbers(3000000) FORMAT CSV',
      place: {},
      values: {},
      queryId: `slow-${Date.now()}`,
    });
    let bytes = 0;
    let pauses = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (pauses < 3) {
        pauses += 1;
        await delay(2_000);
      }
    }
    expect(bytes).toBe(22_888_890);
  });
});

describe('a version that is dropped while it is read', () => {
  it('is read to the end', async () => {
    const version = await tables.addSelected(
      [{ name: 'text', physical: 's' }],
      1_000_000,
      () => `number, repeat('y', 100) FROM numbers(1000000)`,
    );
    const call = request(server.dataUrl(version, '$format=tsv'));
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    await tables.clickhouse.command(
      `ALTER TABLE ${tables.clickhouse.database}.s${insideOf(version.place!).storeId} DROP PARTITION 1`,
    );
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe('"text"\r\n'.length + 1_000_000 * 104);
    expect(answer.complete).toBe(true);
  });
});

describe('a ClickHouse connection that breaks during a download', () => {
  it('breaks the connection to the client', async () => {
    const proxy = await createCutter(inject('clickhouseUrl'), 20_000_000);
    const reader = createReader({
      servers: connectTo(proxy.url),
      maxWaitSeconds: 60,
      maxMemoryBytes: 2 ** 31,
      log: silentLog,
    });
    const other = await createDownloadServer(reader);
    const answer = await receive(other.dataUrl(big, '$skip=0'));
    expect(answer.status).toBe(200);
    expect(answer.complete).toBe(false);
    await other.close();
    await proxy.close();
  });
});
