import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpsState } from '../../../src/http/routes/ops-schema.js';
import { patienceMs } from '../../support/patience.js';
import { type GatewayWorld, startGatewayWorld } from './world.js';

const serviceKey = 'serviceserviceserviceservice0123';
const ownKey = 'ownownownownownownownownown01234';

let world: GatewayWorld;
let operator: string;
let maker: string;
let repositoryId: number;
beforeAll(async () => {
  world = await startGatewayWorld({
    gatewayIntervalMs: '200',
    gatewayMemoryBytes: '0',
    // A sweep would end the artificial uploads below.
    sweepIntervalMs: '86400000',
    providerKeys: `fred=${serviceKey}`,
  });
  const made = await world.product.createAccount('watcher');
  await world.product.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [made.id]);
  operator = made.key;
  maker = (await world.product.createAccount('maker')).key;
  repositoryId = (await world.ask('GET', '/repositories/home', { key: maker })).json<{ id: number }>().id;
});
afterEach(() => world.bank.answerAll(undefined));
afterAll(() => world.close());

const readState = async (): Promise<OpsState> => {
  const answer = await world.ask('GET', '/ops', { key: operator });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return answer.json<OpsState>();
};

const until = async <T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const value = await read();
    if (done(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`timed out; last value: ${JSON.stringify(await read())}`);
};

const makeSeriesDataset = async (name: string): Promise<number> => {
  const answer = await world.ask('POST', '/providers/bankofcanada/series/FXUSDCAD/dataset', {
    key: maker,
    body: { repositoryId, name, refresh: 'daily' },
  });
  expect(answer.status).toBe(201);
  return answer.json<{ id: number }>().id;
};

const insertProcess = async (datasetId: number, more: string): Promise<number> => {
  const [row] = await world.product.sql.query<{ id: number }>(
    `INSERT INTO processes (dataset_id, mode, created_by, request_id, created_at, heartbeat_at, phase, sealed_at, chunk_count)
     SELECT $1, 'replace', id, 'r', now() - interval '2 hours', now() - interval '1 hour', ${more}
       FROM accounts WHERE name = 'maker' RETURNING id`,
    [datasetId],
  );
  return row?.id ?? 0;
};

describe('access', () => {
  it('is for operators only', async () => {
    expect((await world.ask('GET', '/ops')).status).toBe(401);
    expect((await world.ask('GET', '/ops', { key: maker })).json()).toMatchObject({ code: 'not_operator' });
  });
});

describe('components and the Kafka log', () => {
  it('show which components are up and the consumer lag of each partition', async () => {
    const { components, log } = await readState();
    expect(components.map(({ name, ok, error }) => [name, ok, error])).toEqual([
      ['database', true, null],
      ['clickhouse', true, null],
      ['kafka', true, null],
    ]);
    const prefix = world.product.config.kafkaPrefix;
    const partitions = ['short', 'bulk'].flatMap((topic) =>
      [0, 1].map((partition) => [`${prefix}.${topic}`, `${prefix}.chunks.${topic}`, partition]),
    );
    expect(log?.lag.map(({ group, topic, partition }) => [group, topic, partition])).toEqual(partitions);
    expect(log?.deadLetters).toBe(0);
  });

  it('show a backlog while no worker runs, and none once it is processed', async () => {
    await world.product.stopWorker();
    const id = await makeSeriesDataset('Backlog');
    const lagOf = ({ log }: OpsState): number => (log?.lag ?? []).reduce((sum, { lag }) => sum + lag, 0);
    const waiting = await until(readState, (state) => lagOf(state) > 0);
    expect(waiting.uploads.pending).toMatchObject([{ phase: 'insert', count: 1 }]);
    await world.product.startWorker();
    const done = await until(readState, (state) => lagOf(state) === 0 && state.uploads.pending.length === 0);
    expect(done.uploads.lastDay.completed).toBeGreaterThan(0);
    expect((await world.ask('GET', `/datasets/${id}`, { key: maker })).json().rowCount).toBe(5);
  });
});

describe('uploads', () => {
  it('that stall are listed with the upload that they wait for', async () => {
    const dataset = (
      await world.ask('POST', '/datasets', { key: maker, body: { name: 'Stuck', repositoryId } })
    ).json<{ id: number }>();
    const first = await insertProcess(dataset.id, `'insert', now() - interval '1 hour', 3`);
    const second = await insertProcess(dataset.id, `'ready', now() - interval '30 minutes', 1`);
    const { uploads } = await readState();
    expect(uploads.pending.map(({ phase, count }) => [phase, count])).toEqual([
      ['insert', 1],
      ['ready', 1],
    ]);
    expect(uploads.pending[0]?.oldestSeconds).toBeGreaterThanOrEqual(7_199);
    expect(uploads.stuck).toMatchObject([
      {
        processId: first,
        datasetId: dataset.id,
        phase: 'insert',
        insertedChunks: 0,
        chunks: 3,
        waitsFor: null,
      },
      { processId: second, phase: 'ready', chunks: 1, waitsFor: first },
    ]);
    expect(uploads.stuck[0]?.silentSeconds).toBeGreaterThanOrEqual(3_599);
    const removed = await world.product.sql.query('DELETE FROM processes WHERE id = ANY($1) RETURNING 1', [
      [first, second],
    ]);
    expect(removed).toHaveLength(2);
  });
});

describe('refreshes that fail', () => {
  it('are listed with the error, the time of the first failure and the time of the next run', async () => {
    const id = await makeSeriesDataset('Failing');
    await until(
      async () => (await world.ask('GET', `/datasets/${id}`, { key: maker })).json<{ rowCount: number }>(),
      ({ rowCount }) => rowCount === 5,
    );
    const before = Date.now();
    world.bank.answerAll({ status: 500, reply: 'https://secret.example' });
    await world.product.sql.query('DELETE FROM gateway_cache');
    expect((await world.ask('POST', `/datasets/${id}/refresh`, { key: maker })).status).toBe(202);
    const failed = await until(readState, ({ refreshes }) => refreshes.failing === 1);
    const [failure] = failed.refreshes.failures;
    expect(failure).toMatchObject({ datasetId: id, provider: 'bankofcanada', failures: 1 });
    expect(failure?.error).toMatch(/answered with an error/);
    expect(Date.parse(`${failure?.since}Z`)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(`${failure?.nextRunAt}Z`)).toBeGreaterThan(Date.now());

    // The second failure keeps the time of the first.
    await world.ask('POST', `/datasets/${id}/refresh`, { key: maker });
    const twice = await until(readState, ({ refreshes }) => refreshes.failures[0]?.failures === 2);
    expect(twice.refreshes.failures[0]?.since).toBe(failure?.since);
    // Ten failing series in a row open the circuit; the dataset is one of them.
    for (let number = 1; number < 10; number += 1) {
      expect((await world.ask('GET', `/providers/bankofcanada/series/FAILS${number}`)).status).toBe(502);
    }
    const bank = (await readState()).providers.find(({ provider }) => provider === 'bankofcanada');
    expect(bank).toMatchObject({ circuit: 'open', failures: 10, waiting: 0 });
    const failedCalls = bank?.calls.filter(({ outcome }) => outcome !== 'ok') ?? [];
    expect(failedCalls.reduce((sum, call) => sum + call.count, 0)).toBeGreaterThanOrEqual(5);
    expect(Date.parse(`${bank?.openUntil}Z`)).toBeGreaterThan(before);
    world.bank.answerAll(undefined);
  });
});

describe('providers', () => {
  it('show the use of their quotas, with and without a key of the service', async () => {
    await world.product.sql.query('DELETE FROM gateway_cache');
    const preview = await world.ask('GET', '/providers/fred/series/GDP');
    expect(preview.status).toBe(200);
    const { providers } = await readState();
    expect(providers.map(({ provider }) => provider)).toContain('ilo');
    const quotasOf = (slug: string) => providers.find(({ provider }) => provider === slug)?.quotas ?? [];
    expect(quotasOf('bls')).toEqual([expect.objectContaining({ key: 'none', span: 'day', limit: 25 })]);
    expect(quotasOf('fred')).toEqual([expect.objectContaining({ key: 'service', span: 'minute' })]);
    expect(quotasOf('fred')[0]?.used).toBeGreaterThan(0);
    for (const { limit, used, left } of providers.flatMap(({ quotas }) => quotas))
      expect(left).toBe(limit - used);
  });

  it('show no key of the service or of a user', async () => {
    await world.ask('PUT', '/user-keys/fred', { key: maker, body: { api_key: ownKey } });
    await world.ask('GET', '/providers/fred/series/GDP', { key: maker });
    const json = await world.ask('GET', '/ops', { key: operator });
    for (const secret of [serviceKey, ownKey, operator, maker, 'own:'])
      expect(json.text).not.toContain(secret);
  });
});
