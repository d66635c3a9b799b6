import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isAppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { createFolders, processesIn, type Run, remaining, spawnParent, up } from './harness.js';

const folders = createFolders();
afterAll(() => folders.remove());

const withPostgres = async <T>(run: Run, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: run.databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

const kafkaOf = (run: Run): Kafka =>
  new Kafka({ brokers: [run.kafkaBrokers ?? ''], logLevel: logLevel.NOTHING });

const clickhouse = async (run: Run, query: string): Promise<string> => {
  const client = createClient({ url: run.clickhouseUrl ?? '' });
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
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  await producer.send({ topic: 'kept', messages: [{ value: '42' }] });
  await producer.disconnect();
};

const readEverywhere = async (run: Run) => {
  const postgres = await withPostgres(run, (client) => client.query('SELECT answer FROM kept'));
  const admin = kafkaOf(run).admin();
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
const addressesOf = ({ databaseUrl, kafkaBrokers, clickhouseUrl }: Run) => [
  databaseUrl,
  kafkaBrokers,
  clickhouseUrl,
];

describe('embedded components', { timeout: 120_000 }, () => {
  it('start in an empty folder, keep data and addresses over restarts, and leave no process', async () => {
    const folder = folders.make();
    const first = await up(folder);
    expect(addressesOf(first).join(' ')).toMatch(/127\.0\.0\.1.*127\.0\.0\.1.*127\.0\.0\.1/);
    await writeEverywhere(first);
    expect(processesIn(folder).length).toBeGreaterThan(2);
    await first.scope.close();
    expect(await remaining(folder)).toEqual([]);

    const second = await up(folder);
    expect(addressesOf(second)).toEqual(addressesOf(first));
    expect(await readEverywhere(second)).toEqual(kept);

    // All three are killed at once and come back by themselves, where they were, with what they held.
    const before = second.pids();
    for (const pid of Object.values(before)) process.kill(pid ?? Number.NaN, 'SIGKILL');
    await vi.waitFor(async () => expect(await readEverywhere(second)).toEqual(kept), {
      timeout: 30_000,
      interval: 200,
    });

    const closedAt = Date.now();
    await second.scope.close();
    expect(Date.now() - closedAt).toBeLessThan(10_000);
    expect(await remaining(folder)).toEqual([]);
  });

  it('start again where the process that owned them was killed', async () => {
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

  it('leave nothing behind when they are stopped while they start, and start there afterwards', async () => {
    const folder = folders.make();
    for (const afterMs of [0, 150, 400, 800]) {
      const scope = createScope(silentLog);
      const starting = up(folder, { scope });
      const outcome = starting.then(
        () => 'started',
        (error: unknown) => (isAppError(error) ? error.code : error),
      );
      await sleep(afterMs);
      const closedAt = Date.now();
      await scope.close();
      expect(Date.now() - closedAt).toBeLessThan(10_000);
      expect(await outcome).toBe('stopped');
      expect(await remaining(folder)).toEqual([]);
    }
    const run = await up(folder);
    await run.scope.close();
  });
});
