import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { silentTelemetry } from '../../../src/gateway/telemetry.js';
import { createGatewayCallers } from '../../../src/http/routes/gateway-caller.js';
import { createProviderRoutes, type ProviderRoutesDeps } from '../../../src/http/routes/providers.js';
import { createSeriesRoutes } from '../../../src/http/routes/series.js';
import { silentLog } from '../../../src/lib/log.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import type { Provider } from '../../../src/providers/provider.js';
import {
  bankObservations,
  type GatewayWorld,
  startGatewayWorld,
} from '../../integration/gateway-http/world.js';
import { type Ask, createAsk, startTestApi } from '../../support/api.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { leasesOf } from '../../support/leases.js';
import { readMetrics } from '../../support/metrics-text.js';
import { fixture } from '../../support/replay-upstream.js';

let world: GatewayWorld;
/** Another API process on the same database. */
let second: FurtherProcess;
let askSecond: Ask;
beforeAll(async () => {
  // Without the memory cache, answers come from the database, where they can be aged.
  world = await startGatewayWorld({ gatewayMemoryBytes: '0' });
  second = await startFurther(world.product, 'api');
  askSecond = createAsk(second.baseUrl);
});
afterAll(async () => {
  await second?.stop();
  await world.close();
});
afterEach(() => world.bank.answerAll(undefined));

const rate = '/providers/bankofcanada/series/FXUSDCAD';

/** Makes all cache entries three hours old and stale. */
const ageCache = async (): Promise<void> => {
  const aged = await world.product.sql.query(
    `UPDATE gateway_cache SET stored_at = now() - interval '3 hours', fresh_until = now() - interval '1 hour'
     RETURNING 1`,
  );
  expect(aged.length).toBeGreaterThan(0);
};

describe('concurrent equal requests', () => {
  const ask = (index: number, id: string) =>
    (index % 2 === 0 ? world.askPlain : askSecond)('GET', `/providers/bankofcanada/series/${id}`);

  it('to several processes cause one upstream request', async () => {
    world.bank.answerAll({ reply: bankObservations('COALESCE', { '2026-03-12': '1.50' }), delayMs: 300 });
    const before = world.bank.calls.length;
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index, 'COALESCE')));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(world.bank.calls.length - before).toBe(1);
    const leases = () => world.product.sql.query(`SELECT 1 FROM jobs WHERE name = 'fetch'`);
    await expect.poll(leases).toEqual([]);
  });

  /** Requests in flight in a process, except the one for its metrics. */
  const inFlight = async (baseUrl: string): Promise<number> => {
    const { value } = await readMetrics(baseUrl.replace(/\/api$/, ''));
    return (value('tabulary_http_requests_in_flight') ?? 0) - 1;
  };

  it('that fail report the failure to all callers, with one upstream request per process', async () => {
    let release = (): void => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Long enough for all requests to join the upstream request.
    world.bank.answerAll({
      status: 404,
      reply: { message: 'Series GONE not found.' },
      after,
      delayMs: 1_000,
    });
    const before = world.bank.calls.length;
    const pending = Promise.all(Array.from({ length: 100 }, (_, index) => ask(index, 'GONE')));
    for (const { baseUrl } of [world.product, second]) await expect.poll(() => inFlight(baseUrl)).toBe(50);
    release();
    const answers = await pending;
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([404]);
    // Failures are not shared between processes.
    expect(world.bank.calls.length - before).toBeLessThanOrEqual(2);
  });

  it('are sent by another process when the holder of the lease has died', async () => {
    world.bank.answerAll({ reply: bankObservations('ORPHAN', { '2026-03-12': '1.50' }) });
    expect((await ask(0, 'ORPHAN')).status).toBe(200);
    await ageCache();
    await world.product.sql.query(
      `INSERT INTO jobs (name, subject, holder, lease, held_until, started_at)
       SELECT 'fetch', encode(key, 'hex'), gen_random_uuid(), gen_random_uuid(), now() + interval '1 second', now()
         FROM gateway_cache`,
    );
    const before = world.bank.calls.length;
    const answer = await ask(1, 'ORPHAN');
    expect([answer.status, Number(answer.headers.get('age')) < 60]).toEqual([200, true]);
    expect(world.bank.calls.length - before).toBe(1);
  });
});

describe('concurrent updates of a user key', () => {
  it('are a 409 for the same provider and succeed for another one', async () => {
    const { id, key } = await world.product.createAccount('racer');
    const put = (value: string) => world.ask('PUT', '/user-keys/fred', { key, body: { api_key: value } });
    expect((await put('before-before')).status).toBe(200);
    await world.product.sql.tx(async (tx) => {
      // Holds the lock of an update in progress.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        JSON.stringify(['user key', id, 'fred']),
      ]);
      const refused = await put('during-during');
      expect([refused.status, refused.json().code]).toEqual([409, 'key_update_conflict']);
      // The key of another provider has its own lock.
      const other = await world.ask('PUT', '/user-keys/eia', { key, body: { api_key: 'other-other' } });
      expect(other.status).toBe(200);
    });
    expect((await put('after-after')).status).toBe(200);
  });

  it('are each a 200 or a 409, with at least one success', async () => {
    const { key } = await world.product.createAccount('crowd');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? world.askPlain : askSecond)('PUT', '/user-keys/fred', {
          key,
          body: { api_key: `key-number-${index}` },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses).toContain(200);
    expect((await world.ask('GET', '/user-keys', { key })).json()).toEqual({ fred: true });
  });
});

const routesOf = (deps: ProviderRoutesDeps) => [...createProviderRoutes(deps), ...createSeriesRoutes(deps)];

/** Starts the provider routes with the connectors of a test. */
const startProviders = (providers: readonly Provider[], baseUrls: Readonly<Record<string, string>>) =>
  startTestApi({
    databaseUrl: inject('databaseUrl'),
    moreRoutes: ({ sql }) =>
      routesOf({
        gateway: createGateway({
          settings: {
            providers: [...providers],
            masterKeys: [{ id: 'test', bytes: randomBytes(32) }],
            serviceKeys: {},
            baseUrls,
            feedProvider: 'bankofcanada',
            paidProviders: [],
            userAgent: 'test',
          },
          sql,
          leases: leasesOf(sql),
          log: silentLog,
          telemetry: silentTelemetry,
        }),
        callerOf: createGatewayCallers({ mayUsePaid: async () => true }),
      }),
  });

describe('a connector that lacks an operation', () => {
  it('answers 501, unlike a provider that does not offer the operation', async () => {
    const { browse: _, seriesAt: __, listAll: ___, ...rest } = bankOfCanada;
    const lacking: Provider = { ...rest, capabilities: ['hierarchical', 'search'] };
    const offersNothing: Provider = { ...rest, slug: 'ecb', capabilities: [] };
    const unreachable = 'http://127.0.0.1:9';
    const api = await startProviders([lacking, offersNothing], {
      bankofcanada: unreachable,
      ecb: unreachable,
    });
    try {
      for (const query of ['', '?series=true']) {
        const answer = await api.ask('GET', `/providers/bankofcanada/browse${query}`);
        expect([answer.status, answer.json().code]).toEqual([501, 'operation_not_implemented']);
      }
      const search = await api.ask('GET', '/providers/bankofcanada/search?q=x');
      expect([search.status, search.json().code]).toEqual([501, 'operation_not_implemented']);
      const offered = await api.ask('GET', '/providers/ecb/browse');
      expect([offered.status, offered.json().code]).toEqual([400, 'operation_not_supported']);
    } finally {
      await api.close();
    }
  });
});

describe('an upstream that is down', () => {
  const folders = '/providers/bankofcanada/browse';

  it('is replaced by cached answers, marked with their age, until they are too old', async () => {
    const fresh = await world.ask('GET', rate);
    const tree = await world.ask('GET', folders);
    for (const { status, headers } of [fresh, tree])
      expect([status, headers.get('warning'), Number(headers.get('age')) < 60]).toEqual([200, null, true]);
    expect(fresh.json<{ metadata: object }>().metadata).not.toHaveProperty('stale');
    await ageCache();
    world.bank.answerAll({ status: 503, reply: 'maintenance' });

    // Twice: a stale answer is not cached as a fresh one.
    for (let round = 0; round < 2; round += 1) {
      const stale = await world.ask('GET', rate);
      const staleTree = await world.ask('GET', folders);
      for (const { status, headers } of [stale, staleTree]) {
        expect(status).toBe(200);
        expect(Number(headers.get('age'))).toBeGreaterThanOrEqual(10_800);
        expect(headers.get('warning')).toMatch(/^110 /);
      }
      expect(staleTree.text).toBe(tree.text);
      const { metadata, data } = stale.json<{ metadata: Record<string, unknown>; data: object[] }>();
      expect(metadata.stale).toBe(true);
      expect(metadata.age_seconds).toBeGreaterThanOrEqual(10_800);
      expect(data).toEqual(fresh.json<{ data: object[] }>().data);
    }

    await world.product.sql.query(`UPDATE gateway_cache SET fresh_until = now() - interval '8 days'`);
    for (const path of [rate, folders]) expect([502, 503]).toContain((await world.ask('GET', path)).status);
  });
});

describe('an upstream that stays down', () => {
  it('causes 502s, then 503s without an upstream request, with the provider and Retry-After', async () => {
    const uncached = await startGatewayWorld({ gatewayMemoryBytes: '0' });
    try {
      uncached.bank.answerAll({ status: 500, reply: 'maintenance' });
      const ask = (number: number) => uncached.ask('POST', `${rate}${number}/data`, { body: {} });
      const codes: unknown[] = [];
      for (let number = 0; number < 11; number += 1) codes.push((await ask(number)).json().code);
      expect(codes).toEqual([...Array(10).fill('upstream_failed'), 'upstream_circuit_open']);
      const before = uncached.bank.calls.length;
      const answer = await ask(11);
      expect([answer.status, answer.json().code]).toEqual([503, 'upstream_circuit_open']);
      expect(answer.json()).toMatchObject({ details: { provider: 'bankofcanada' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(uncached.bank.calls.length).toBe(before);
    } finally {
      await uncached.close();
    }
  });
});

describe('a slow upstream', () => {
  const path = `${rate}/data`;
  const reply = bankObservations('FXUSDCAD', { '2026-03-12': '1.50' });

  it('causes a 504 when a reply exceeds its timeout', async () => {
    world.bank.answerAll({ reply, delayMs: 2_000 });
    const api = await startProviders([{ ...bankOfCanada, timeoutMs: 300 }], {
      bankofcanada: world.bank.baseUrl,
    });
    try {
      const answer = await api.ask('POST', path, { body: {} });
      expect([answer.status, answer.json().code]).toEqual([504, 'upstream_timeout']);
    } finally {
      await api.close();
    }
  });

  it('causes a 504 when the operation exceeds its timeout', async () => {
    const slow = await startGatewayWorld({ gatewayOperationTimeoutMs: '1000' });
    try {
      slow.bank.answerAll({ reply, delayMs: 3_000 });
      const answer = await slow.ask('POST', path, { body: {} });
      expect([answer.status, answer.json().code]).toEqual([504, 'operation_timeout']);
    } finally {
      await slow.close();
    }
  });

  it('is read to the end after the timeout, so that the next request succeeds', async () => {
    const slow = await startGatewayWorld({ gatewayOperationTimeoutMs: '1000' });
    try {
      // Browsing starts with the list of groups, which is cached.
      slow.bank.answerAll({ reply: fixture('providers/bankofcanada/lists-groups.json'), delayMs: 2_000 });
      const ask = async () => (await slow.ask('GET', '/providers/bankofcanada/browse')).status;
      expect(await ask()).toBe(504);
      await expect.poll(ask, { interval: 300 }).toBe(200);
      expect(slow.bank.calls).toHaveLength(1);
    } finally {
      await slow.close();
    }
  });
});
