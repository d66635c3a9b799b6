import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { connectKafka, createTopic } from '../../support/kafka.js';
import { createFolders, processesIn, type Run, remaining, spawnParent, up } from './harness.js';

const folders = createFolders();
afterAll(() => folders.remove());

const withPostgres = async <T>(run: Run, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: run.access.databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

const kafkaAccess = ({ access: { databaseUrl: _, clickhouseUrl: __, ...kafka } }: Run) => kafka;

const kafkaOf = (run: Run): KafkaConnection => connectKafka('components-test', kafkaAccess(run));

const clickhouse = async (run: Run, query: string): Promise<string> => {
  const client = createClient({ url: run.access.clickhouseUrl ?? '' });
  try {
    const { stream } = await client.exec({ query });
    return Buffer.concat(await stream.toArray())
      .toString('utf8')
      .trim();
  } finally {
    await client.close();
  }
};

const writeEverywhere = async (run: Run): Promise<void> => {
  await withPostgres(run, (client) => client.query('CREATE TABLE kept AS SELECT 42 AS answer'));
  await clickhouse(run, 'CREATE TABLE kept ENGINE = MergeTree ORDER BY answer AS SELECT 42 AS answer');
  const kafka = kafkaOf(run);
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await createTopic(admin, 'kept');
  await admin.disconnect();
  const producer = clientOf(kafka).producer({ idempotent: true });
  await producer.connect();
  await producer.send({ topic: 'kept', messages: [{ value: '42' }] });
  await producer.disconnect();
};

const readEverywhere = async (run: Run) => {
  const postgres = await withPostgres(run, (client) => client.query('SELECT answer FROM kept'));
  const admin = clientOf(kafkaOf(run)).admin();
  await admin.connect();
  const [offsets] = await admin.fetchTopicOffsets('kept');
  await admin.disconnect();
  return {
    postgres: postgres.rows[0]?.answer,
    clickhouse: await clickhouse(run, 'SELECT answer FROM kept'),
    kafkaMessages: offsets?.high,
  };
};

const kept = { postgres: 42, clickhouse: '42', kafkaMessages: '1' };

/** Status and body of ClickHouse's answer. */
const askAs = async (run: Run, credentials: string | undefined, sql: string): Promise<string> => {
  const { port } = new URL(run.access.clickhouseUrl ?? '');
  const headers = credentials && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const answer = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: sql,
    ...(headers && { headers }),
  });
  return `${answer.status} ${await answer.text()}`;
};

/** Subfolders and secret files of the data folder that other users may access. */
const openPaths = (folder: string): string[] => {
  const list = (name: string): string[] => readdirSync(join(folder, name)).map((entry) => join(name, entry));
  const secret = ['clickhouse/users.xml', 'kafka/server.properties', ...list('embedded'), ...list('logs')];
  return [...list(''), ...secret].filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
};

describe('embedded components', () => {
  it('start in an empty folder, keep data and addresses across restarts, and leave no process behind', async () => {
    const folder = folders.make();
    const first = await up(folder);
    expect(JSON.stringify(first.access)).toMatch(/127\.0\.0\.1.*127\.0\.0\.1.*127\.0\.0\.1/);
    await writeEverywhere(first);
    expect(processesIn(folder).length).toBeGreaterThan(2);
    await first.scope.close();
    expect(await remaining(folder)).toEqual([]);

    const second = await up(folder);
    expect(second.access).toEqual(first.access);
    expect(await readEverywhere(second)).toEqual(kept);

    // All three are killed at once and are restarted with the same addresses and data.
    const before = second.pids();
    for (const pid of Object.values(before)) process.kill(pid ?? Number.NaN, 'SIGKILL');
    await expect.poll(() => readEverywhere(second), { interval: 200 }).toEqual(kept);

    await second.scope.close();
    expect(await remaining(folder)).toEqual([]);
  });

  it('refuse connections without the password, and ClickHouse cannot read files or URLs', async () => {
    const folder = folders.make();
    const run = await up(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const credentials of [undefined, 'default:', 'default:x', 'tabulary:', 'tabulary:wrong'])
      expect(await askAs(run, credentials, 'SELECT 1'), credentials).not.toMatch(/^200/);
    for (const sql of [
      "SELECT * FROM file('/etc/passwd', 'LineAsString')",
      "INSERT INTO FUNCTION file('/tmp/tabulary-written.csv', 'CSV', 'a String') SELECT 'x'",
      "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
      "SELECT * FROM s3('http://127.0.0.1:1/bucket/key.csv', 'CSV', 'a String')",
      "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
      'CREATE TABLE written (a String) ENGINE = File(CSV)',
      "BACKUP DATABASE default TO File('/tmp/tabulary-backup')",
      'CREATE USER other',
    ])
      await expect(clickhouse(run, sql), sql).rejects.toThrow(/Not enough privileges/);
    const { kafkaSaslMechanism: _, ...anonymous } = kafkaAccess(run);
    const admin = clientOf(connectKafka('nobody', anonymous, { retries: 0 })).admin();
    await expect(admin.connect().then(() => admin.listTopics())).rejects.toThrow();
    await admin.disconnect();
    expect(openPaths(folder)).toEqual([]);
    await run.scope.close();
  });

  it('start again after the process that owned them was killed', async () => {
    const folder = folders.make();
    const parent = await spawnParent(folder);
    const exited = once(parent, 'exit');
    parent.kill('SIGKILL');
    await exited;

    const run = await up(folder);
    await writeEverywhere(run);
    expect(await readEverywhere(run)).toEqual(kept);
    await run.scope.close();
    expect(await remaining(folder)).toEqual([]);
  });

  it('leave no process when stopped during startup, and start in the same folder afterwards', async () => {
    const folder = folders.make();
    for (const afterMs of [0, 150, 400, 800]) {
      const scope = createScope(silentLog);
      const starting = up(folder, { scope });
      const outcome = starting.then(
        () => 'started',
        (error: unknown) => (isAppError(error) ? error.code : error),
      );
      await sleep(afterMs);
      await scope.close();
      expect(await outcome).toBe('stopped');
      expect(await remaining(folder)).toEqual([]);
    }
    const run = await up(folder);
    await run.scope.close();
  });
});
