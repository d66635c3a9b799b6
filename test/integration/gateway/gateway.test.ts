import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GatewayCaller } from '../../../src/gateway/caller.js';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.js';
import type { GatewaySettings } from '../../../src/gateway/gateway-parts.js';
import { silentTelemetry, type Telemetry } from '../../../src/gateway/telemetry.js';
import type { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { keyRefused, seriesNotFound, unknownPath } from '../../../src/providers/errors.js';
import { readValue } from '../../../src/providers/numbers.js';
import type { Provider } from '../../../src/providers/provider.js';
import { readShape, written } from '../../../src/providers/shape.js';
import { isOutage } from '../../../src/storage/outage.js';
import { leasesOf } from '../../support/leases.js';
import { patienceMs } from '../../support/patience.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';
import { openDatabase, type TestDatabase } from './database.js';

const bis = recordedProvider('bis');

const reply = z.object({ rows: z.array(z.tuple([z.string(), written])) });

/** Small connector that needs a key and has every capability. */
const keyed: Provider = {
  slug: 'keyed',
  name: 'Keyed Statistics',
  provider: 'Office of Keys',
  description: 'Numbers behind a key, for the tests of the gateway.',
  capabilities: ['hierarchical', 'search', 'direct'],
  parameters: [
    {
      key: 'units',
      label: 'Units',
      type: 'select',
      location: 'query',
      default: 'lin',
      computes: true,
      values: [
        { code: 'lin', label: 'Levels' },
        { code: 'pch', label: 'Change' },
      ],
    },
    { key: 'start', label: 'Start', type: 'text', location: 'query', format: 'date' },
    { key: 'end', label: 'End', type: 'text', location: 'query', format: 'date' },
  ],
  popularSeries: [{ id: 'GDP', label: 'Product' }],
  seriesIdPlaceholder: 'GDP',
  baseUrl: 'https://keyed.example',
  key: {
    label: 'Key',
    url: 'https://keyed.example/key',
    hint: 'Get a key at the office.',
    required: true,
    where: { in: 'query', name: 'api_key' },
  },
  limits: { keyed: { perSecond: 200 }, maxConcurrent: 4 },
  validity: { structure: 3_600, list: 3_600, series: 3_600 },
  timeoutMs: 30_000,
  explain: (answer) =>
    answer.status === 400 && answer.text.includes('bad key') ? keyRefused(keyed, answer.text) : undefined,
  async browse(path, { http }) {
    const folders = z.array(z.string());
    if (path[0] === 'gone') throw unknownPath(keyed, ['a number of its own']);
    return readShape(keyed, folders, await http.json({ path: ['folders', ...path] })).map((segment) => ({
      segment,
      label: `Label of ${segment}`,
    }));
  },
  seriesAt: async () => ({ items: [{ id: 'a/b', label: 'Slashed' }], total: 7 }),
  search: async (query, { http }) => {
    await http.json({ path: ['search'], query: { q: query } });
    return [{ id: 'GDP', label: 'Product', frequency: 'Quarterly' }];
  },
  preview: (id, params, ctx) => keyed.series(id, params, ctx),
  async series(id, { units, start }, { http }) {
    if (id === 'none') throw seriesNotFound(keyed, 'the table behind it');
    const { rows } = readShape(
      keyed,
      reply,
      await http.json({ path: ['series', id], query: { units, start } }),
    );
    return {
      label: `Label of ${id}`,
      metadata: { frequency: 'Daily' },
      data: rows.map(([date, value]) => ({ date, ...readValue(value) })),
    };
  },
};

const rows = '{"rows":[["2026-01-02",2.50],["2026-01-01",1],["2026-01-03",null]]}';
const at = (path: string, query: Record<string, string>, more: Partial<Exchange> = {}): Exchange => ({
  path,
  query,
  reply: rows,
  ...more,
});
const exchanges: Exchange[] = [
  at('/series/GDP', { units: 'lin' }),
  at('/series/GDP', { units: 'pch' }, { reply: '{"rows":[["2026-01-01",0.10]]}' }),
  at('/series/GDP', { units: 'lin', start: '2026-01-02' }),
  at('/series/a/b', { units: 'lin' }),
  at('/series/^GSPC', { units: 'lin' }),
  at(
    '/series/odd',
    { units: 'lin' },
    { reply: '{"rows":[["2026-01-01",1.50],["2026-01-02","Bank holiday"]]}' },
  ),
  at('/folders', {}, { reply: ['x/y', 'z'] }),
  at('/folders/x/y', {}, { reply: ['deep'] }),
  at('/folders/z', {}, { reply: [] }),
  at('/folders/x/y/deep', {}, { reply: [] }),
  at('/folders/none', {}, { status: 404 }),
  at('/search', { q: 'product' }, { reply: {} }),
];

let database: TestDatabase;
let upstream: ReplayUpstream;
let account = 0;
let nowMs = Date.parse('2026-03-10T12:00:00Z');
const seen: string[] = [];

const anonymous: GatewayCaller = { accountId: undefined, share: 'ip', mayUsePaid: true };
const member = (): GatewayCaller => ({ accountId: account, share: `account:${account}`, mayUsePaid: true });
const masterKeys = [{ id: 'm', bytes: randomBytes(32) }];

const open = (settings: Partial<GatewaySettings> = {}, telemetry: Telemetry = silentTelemetry): Gateway =>
  createGateway({
    settings: {
      providers: [keyed, bankOfCanada],
      masterKeys,
      serviceKeys: { keyed: 'service-key-0123' },
      baseUrls: { keyed: upstream.baseUrl, bankofcanada: upstream.baseUrl },
      feedProvider: 'keyed',
      paidProviders: [],
      userAgent: 'test',
      retries: 1,
      firstRetryWaitMs: 1,
      ...settings,
    },
    sql: database.sql,
    leases: leasesOf(database.sql),
    log: silentLog,
    telemetry,
    now: () => nowMs,
  });

beforeAll(async () => {
  database = await openDatabase();
  account = await database.addAccount('member');
});
afterAll(() => database.close());
beforeEach(async () => {
  upstream = await startReplayUpstream(exchanges, { ignoredQuery: ['api_key'] });
  // Every test runs a month later, so that all cache entries are stale.
  nowMs += 30 * 86_400_000;
  seen.length = 0;
});
afterEach(() => upstream.close());

const keysSent = (): (string | null)[] =>
  upstream.calls.map(({ url }) => new URL(url, 'http://x').searchParams.get('api_key'));

describe('the catalog', () => {
  it('finds providers regardless of case, and shows whether a key is stored', async () => {
    const gateway = open();
    await gateway.userKeys.put(account, 'KEYED', 'own-key-0123');
    expect(await gateway.detail(member(), 'Keyed')).toMatchObject({
      slug: 'keyed',
      has_user_api_key: true,
      api_key_label: 'Key',
      series_id_placeholder: 'GDP',
      parameters: [{ key: 'units', type: 'select', default: 'lin' }, { key: 'start' }, { key: 'end' }],
    });
    expect((await gateway.detail(anonymous, 'keyed')).has_user_api_key).toBe(false);
    expect(await gateway.userKeys.list(account)).toEqual({ keyed: true });
    await gateway.userKeys.put(account, 'keyed', null);
    await expect(gateway.detail(anonymous, 'nope')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(gateway.userKeys.put(account, 'nope', 'x')).rejects.toMatchObject({ kind: 'not_found' });
    expect(gateway.list().map(({ slug }) => slug)).toEqual(['bankofcanada', 'keyed']);
    expect(gateway.list()[0]).not.toHaveProperty('popular_series');
  });

  it('adds key fields to a match that needs a key', async () => {
    const gateway = open();
    const [best, other] = await gateway.match(anonymous, 'statistics keys canada keyed');
    expect(best).toMatchObject({
      slug: 'keyed',
      api_key_required: true,
      has_api_key: false,
      api_key_hint: 'Get a key at the office.',
    });
    expect(other).toMatchObject({ slug: 'bankofcanada' });
    expect(other).not.toHaveProperty('api_key_required');
    await expect(gateway.match(anonymous, ' ')).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('refuses a paid provider to a caller whose plan excludes it', async () => {
    const gateway = open({ paidProviders: ['keyed'] });
    await expect(gateway.preview({ ...anonymous, mayUsePaid: false }, 'keyed', 'GDP')).rejects.toMatchObject({
      kind: 'quota',
    });
    expect((await gateway.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
  });
});

describe('series', () => {
  it('returns numbers with the digits of the upstream, sorted', async () => {
    const answer = await open().preview(anonymous, 'keyed', 'GDP');
    expect(answer.json).toBe(
      '{"series_id":"GDP","label":"Label of GDP","metadata":{"frequency":"Daily"},"data":[{"date":"2026-01-01","value":1},{"date":"2026-01-02","value":2.50},{"date":"2026-01-03","value":null}],"is_preview":true,"api_key_required":true,"has_api_key":false,"api_key_hint":"Get a key at the office."}',
    );
    expect(JSON.parse(answer.json).data[1]).toEqual({ date: '2026-01-02', value: 2.5 });
  });

  it('returns text in place of a number as null with the text as its flag, and counts it', async () => {
    const flagged: unknown[] = [];
    const gateway = open({}, { ...silentTelemetry, flaggedValues: (...values) => flagged.push(values) });
    for (const answer of [
      await gateway.fullSeries(anonymous, 'keyed', 'odd', {}),
      await gateway.preview(anonymous, 'keyed', 'odd'),
    ]) {
      expect(answer.json).toContain(
        '"data":[{"date":"2026-01-01","value":1.50},{"date":"2026-01-02","value":null,"flag":"Bank holiday"}]',
      );
      expect(answer.metadata).toEqual({ frequency: 'Daily', flagged_values: 1 });
    }
    // The preview is a part of the cached series.
    expect(flagged).toEqual([['keyed', 1]]);
    // The cached answer has the flags too.
    expect((await gateway.fullSeries(anonymous, 'keyed', 'odd', {})).json).toContain('"flag":"Bank holiday"');
  });

  it('serves previews and ranges from the full series in the cache', async () => {
    const gateway = open();
    await gateway.fullSeries(anonymous, 'keyed', 'GDP', {});
    expect((await gateway.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
    const range = { start: '2026-01-02', end: '2026-01-02' };
    const part = await gateway.fullSeries(anonymous, 'keyed', 'GDP', range);
    expect(part.data).toEqual([{ date: '2026-01-02', value: '2.50' }]);
    expect(part.params).toEqual({ units: 'lin', ...range });
    expect(upstream.calls).toHaveLength(1);
    // Changes are requested separately: the first one of a range needs the value before the range.
    await gateway.fullSeries(anonymous, 'keyed', 'GDP', { units: 'pch' });
    await expect(
      gateway.fullSeries(anonymous, 'keyed', 'GDP', { units: 'pch', start: '2026-01-02' }),
    ).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('counts only the flags in the requested range', async () => {
    const gateway = open();
    await gateway.fullSeries(anonymous, 'keyed', 'odd', {});
    const clean = await gateway.fullSeries(anonymous, 'keyed', 'odd', { end: '2026-01-01' });
    expect(clean.metadata).toEqual({ frequency: 'Daily' });
  });

  it('starts at the default start of the provider, notes that, and serves parts of that range from the cache', async () => {
    const note = 'Only the newest are given.';
    const defaultStart: Provider['defaultStart'] = {
      of: ({ start }) => (start === undefined ? '2026-01-02' : undefined),
      note,
    };
    const gateway = open({ providers: [{ ...keyed, defaultStart }, bankOfCanada] });
    const answer = await gateway.fullSeries(anonymous, 'keyed', 'GDP', {});
    expect(answer.params).toEqual({ units: 'lin', start: '2026-01-02' });
    expect(answer.metadata.range_note).toBe(note);
    const part = await gateway.fullSeries(anonymous, 'keyed', 'GDP', { start: '2026-01-03' });
    expect(part.data).toEqual([{ date: '2026-01-03', value: null }]);
    expect(part.metadata.range_note).toBeUndefined();
    expect(upstream.calls).toHaveLength(1);
    // An earlier start is not in the cache.
    await expect(gateway.fullSeries(anonymous, 'keyed', 'GDP', { start: '2025' })).rejects.toMatchObject({
      code: 'upstream_failed',
    });
  });

  it('has the title from the index if the upstream has none', async () => {
    const untitled: Provider = {
      ...keyed,
      seriesAt: async () => ({ items: [{ id: 'a/b', label: 'a/b' }] }),
      series: async (id, params, ctx) => ({ ...(await keyed.series(id, params, ctx)), label: id }),
    };
    const gateway = open({ providers: [untitled, bankOfCanada] });
    await gateway.seed();
    await database.sql.query(
      `INSERT INTO gateway_items (provider, id, label, kind, generation) VALUES ('keyed', 'a/b', 'Slashed title', 'series', 1)`,
    );
    expect((await gateway.fullSeries(anonymous, 'keyed', 'a/b', {})).label).toBe('Slashed title');
    const { value } = await gateway.seriesAt(anonymous, 'keyed', { path: '', limit: 10, offset: 0 });
    expect(value.items).toMatchObject([{ series_id: 'a/b', label: 'Slashed title' }]);
    await database.sql.query(`DELETE FROM gateway_items WHERE id = 'a/b'`);
  });

  it('has the titles from the index and the default start in a panel', async () => {
    const note = 'Only the newest are given.';
    const several: Provider = {
      ...keyed,
      defaultStart: { of: ({ start }) => (start === undefined ? '2026-01-02' : undefined), note },
      panel: async (id, { start }) => ({
        label: id,
        metadata: { start: start ?? null },
        dimensions: [{ id: 'series', label: 'Series' }],
        series: [{ codes: ['p/1'], labels: ['p/1'], data: [{ date: '2026-01-02', value: '1' }] }],
      }),
    };
    const gateway = open({ providers: [several, bankOfCanada] });
    await gateway.seed();
    await database.sql.query(
      `INSERT INTO gateway_items (provider, id, label, kind, generation) VALUES ('keyed', 'p/1', 'Listed title', 'series', 1)`,
    );
    const { params, panel } = await gateway.panel(anonymous, 'keyed', 'p/1+p/2', {});
    expect(panel.series[0]?.labels).toEqual(['Listed title']);
    expect(panel.metadata).toEqual({ start: '2026-01-02', range_note: note });
    expect(params).toMatchObject({ start: '2026-01-02' });
    const explicit = await gateway.panel(anonymous, 'keyed', 'p/1', { start: '2020' });
    expect(explicit.panel.metadata).toEqual({ start: '2020' });
    await database.sql.query(`DELETE FROM gateway_items WHERE id = 'p/1'`);
  });

  it('names the requested series or folder as not found, not what the connector looked for', async () => {
    const gateway = open();
    await expect(gateway.fullSeries(anonymous, 'keyed', 'none', {})).rejects.toMatchObject({
      code: 'series_not_found',
      message: "Keyed Statistics has no series 'none'.",
    });
    await expect(gateway.browse(anonymous, 'keyed', { path: 'gone/on', depth: 1 })).rejects.toMatchObject({
      code: 'path_not_found',
      message: "Keyed Statistics has no folder 'gone/on'.",
    });
  });

  it('reports an outage, not a failure of the provider, when the database fails while limits are read', async () => {
    const { preview } = await database.sql.tx(async (tx) => {
      await tx.query('LOCK TABLE gateway_pace IN ACCESS EXCLUSIVE MODE');
      const pending = open().preview(anonymous, 'keyed', 'GDP');
      pending.catch(() => undefined);
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await database.sql.query(waiting)).length === 0) await sleep(20);
      return { preview: pending };
    });
    // 503, which can be retried, as elsewhere.
    const error = await preview.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '57P01' });
    expect(isOutage(error)).toBe(true);
  });

  it('validates parameters against their definitions', async () => {
    const gateway = open();
    expect((await gateway.fullSeries(anonymous, 'keyed', 'GDP', { units: 'pch' })).data).toEqual([
      { date: '2026-01-01', value: '0.10' },
    ]);
    const refusal = gateway.fullSeries(anonymous, 'keyed', 'GDP', { units: 'x' });
    await expect(refusal).rejects.toMatchObject({ kind: 'invalid', details: { allowed: ['lin', 'pch'] } });
    await expect(gateway.fullSeries(anonymous, 'keyed', 'GDP', { nope: 1 })).rejects.toMatchObject({
      code: 'unknown_parameter',
    });
  });

  it('sends one request for equal previews until the cache entry expires', async () => {
    const gateway = open();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => gateway.preview(anonymous, 'keyed', 'GDP')),
    );
    expect(upstream.calls).toHaveLength(1);
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(1);
    nowMs += 60_000;
    expect((await gateway.preview(anonymous, 'keyed', 'GDP')).ageSeconds).toBe(60);
    // As after a restart, with an empty memory cache.
    expect((await open().preview(anonymous, 'keyed', 'GDP')).ageSeconds).toBe(60);
    expect(upstream.calls).toHaveLength(1);
    nowMs += 3_600_000;
    await gateway.preview(anonymous, 'keyed', 'GDP');
    expect(upstream.calls).toHaveLength(2);
  });

  it('serves the last answer when the upstream is down, marked as stale', async () => {
    const gateway = open();
    await gateway.preview(anonymous, 'keyed', 'GDP');
    nowMs += 7_200_000;
    upstream.answerAll({ status: 500, reply: 'down' });
    const { stale, ageSeconds, metadata, data } = await gateway.preview(anonymous, 'keyed', 'GDP');
    expect({ stale, ageSeconds, rows: data.length }).toEqual({ stale: true, ageSeconds: 7_200, rows: 3 });
    expect(metadata).toMatchObject({ stale: true, age_seconds: 7_200 });
    await expect(gateway.preview(anonymous, 'keyed', 'a/b')).rejects.toMatchObject({ kind: 'upstream' });
  });

  it('retries after a 503, but not after a 418', async () => {
    const gateway = open();
    await upstream.close();
    upstream = await startReplayUpstream(
      [at('/series/GDP', { units: 'lin' }, { status: 503, times: 1 }), ...exchanges],
      { ignoredQuery: ['api_key'] },
    );
    const fresh = open();
    expect((await fresh.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
    expect(upstream.calls).toHaveLength(2);
    upstream.answerAll({ status: 418, reply: 'no' });
    await expect(fresh.preview(anonymous, 'keyed', 'a/b')).rejects.toMatchObject({ kind: 'upstream' });
    expect(upstream.calls).toHaveLength(3);
    expect(gateway.list()).toHaveLength(2);
  });

  it('retries after the time that a 503 names', async () => {
    await upstream.close();
    const tried: number[] = [];
    upstream = await startReplayUpstream([
      {
        path: '/series/GDP',
        respond: () => {
          tried.push(Date.now());
          return { status: 503, headers: { 'retry-after': '1' }, reply: 'maintenance' };
        },
        reply: undefined,
      },
    ]);
    const gateway = open({ retries: 1, firstRetryWaitMs: 1 });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({ retryAfterSeconds: 1 });
    const [first = 0, second = 0] = tried;
    expect(tried).toHaveLength(2);
    expect(second).toBeGreaterThanOrEqual(first + 999);
  });

  it.each([
    ['11', 11],
    ['999999999', 3_600],
    ['Thu, 01 Jan 2099 00:00:00 GMT', 3_600],
  ])(
    'does not retry after a 503 that asks for a longer wait, %s, and tells the caller',
    async (wait, seconds) => {
      const gateway = open({ firstRetryWaitMs: 1 });
      upstream.answerAll({ status: 503, headers: { 'retry-after': wait }, reply: 'maintenance' });
      await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({
        code: 'upstream_failed',
        retryAfterSeconds: seconds,
      });
      expect(upstream.calls).toHaveLength(1);
      // Another series may be well.
      upstream.answerAll(undefined);
      expect((await gateway.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
    },
  );

  it('answers 504 when the upstream is too slow', async () => {
    upstream.answerAll({ reply: rows, delayMs: 2_000 });
    const gateway = open({ retries: 0, providers: [{ ...keyed, timeoutMs: 300 }] });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('sends no more requests after ten failing series, and tries again after 20 seconds', async () => {
    const gateway = open({ retries: 0 });
    upstream.answerAll({ status: 502, reply: '' });
    const ask = (index: number) => gateway.preview(anonymous, 'keyed', `x${index}`);
    for (let index = 0; index < 10; index += 1)
      await expect(ask(index)).rejects.toMatchObject({ kind: 'upstream' });
    await expect(ask(10)).rejects.toMatchObject({ kind: 'unavailable', code: 'upstream_circuit_open' });
    expect(upstream.calls).toHaveLength(10);
    nowMs += 20_000;
    upstream.answerAll(undefined);
    expect((await gateway.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
  });

  it('takes no turn for an id that cannot be sent', async () => {
    const gateway = open();
    await database.sql.query('DELETE FROM gateway_pace');
    await expect(gateway.preview(anonymous, 'keyed', '..')).rejects.toMatchObject({
      code: 'series_not_found',
    });
    expect(await database.sql.query('SELECT 1 FROM gateway_pace')).toEqual([]);
  });

  it('answers 502 for each of a few failing series, retries included, and a healthy one after them', async () => {
    const gateway = open({ firstRetryWaitMs: 1 });
    upstream.answerAll({ status: 503, reply: '' });
    // Twice: a series that still fails does not count again.
    for (const id of ['x0', 'x1', 'x2', 'x3', 'x4', 'x0', 'x1', 'x2', 'x3', 'x4', 'x0', 'x1'])
      await expect(gateway.preview(anonymous, 'keyed', id)).rejects.toMatchObject({
        code: 'upstream_failed',
      });
    upstream.answerAll(undefined);
    expect((await gateway.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
  });

  it('ends a probe that fails with the error of the upstream', async () => {
    const gateway = open({ firstRetryWaitMs: 1 });
    upstream.answerAll({ status: 502, reply: '' });
    const ask = (index: number) => gateway.preview(anonymous, 'keyed', `x${index}`);
    for (let index = 0; index < 10; index += 1)
      await expect(ask(index)).rejects.toMatchObject({ code: 'upstream_failed' });
    nowMs += 20_000;
    const sent = upstream.calls.length;
    // An id that cannot be sent is no probe.
    await expect(gateway.preview(anonymous, 'keyed', '..')).rejects.toMatchObject({
      code: 'series_not_found',
    });
    await expect(ask(10)).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(upstream.calls).toHaveLength(sent + 1);
    await expect(ask(11)).rejects.toMatchObject({ code: 'upstream_circuit_open' });
  });

  it('counts a malformed reply and fails with unexpected_reply', async () => {
    const counted: string[] = [];
    upstream.answerAll({ reply: { rows: [['2026-01-01']] } });
    const gateway = open({}, { ...silentTelemetry, unexpectedReply: (slug) => counted.push(slug) });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({
      kind: 'upstream',
      code: 'unexpected_reply',
    });
    expect(counted).toEqual(['keyed']);
  });

  it('returns values without labels if the structure is malformed, and requests it again after five minutes', async () => {
    const source = await startReplayUpstream([
      { path: '/data/WS_CBPOL/M.CH/all', reply: fixture('providers/bis/WS_CBPOL-M.CH.csv') },
      {
        path: '/dataflow/BIS/WS_CBPOL/latest',
        query: { references: 'descendants' },
        reply: '<html>Maintenance</html>',
        times: 1,
      },
      {
        path: '/dataflow/BIS/WS_CBPOL/latest',
        query: { references: 'descendants' },
        reply: fixture('providers/bis/structure-WS_CBPOL.xml'),
      },
    ]);
    const gateway = open({ providers: [bis], baseUrls: { bis: source.baseUrl }, feedProvider: 'bis' });
    const read = () => gateway.fullSeries(anonymous, 'bis', 'WS_CBPOL/M.CH', {});
    const first = await read();
    expect(first.metadata).toMatchObject({ labels_note: expect.any(String) });
    expect(first.metadata).not.toHaveProperty('unit');
    // Both are cached for five minutes.
    await read();
    expect(source.calls).toHaveLength(2);
    nowMs += 301_000;
    const second = await read();
    expect(second.metadata).toMatchObject({ unit: 'Per cent per year' });
    expect(second.metadata).not.toHaveProperty('labels_note');
    expect(second.data).toEqual(first.data);
    nowMs += 301_000;
    await read();
    expect(source.calls).toHaveLength(4);
    await source.close();
  });

  it('passes on a 429 of the upstream, and sends it no further request', async () => {
    const gateway = open();
    upstream.answerAll({ status: 429, headers: { 'retry-after': '60' }, reply: '' });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds: 60,
    });
    await expect(gateway.preview(anonymous, 'keyed', 'a/b')).rejects.toMatchObject({
      kind: 'rate_limited',
      message: expect.stringContaining('Keyed Statistics'),
    });
    expect(upstream.calls).toHaveLength(1);
    expect(await gateway.lift('KEYED')).toBe(1);
  });

  it.each([
    ['no Retry-After', {}, '', 30],
    ['a Retry-After beyond every bound', { 'retry-after': '999999999' }, '', 3_600],
    ['a limit per minute', {}, 'At most 5 calls per minute and 500 calls per day', 30],
    ['a daily limit, and a Retry-After', { 'retry-after': '90' }, 'Limit: 25 requests per day', 90],
  ])('reports the length of the hold at the first refusal: %s', async (_case, headers, reply, seconds) => {
    const gateway = open();
    upstream.answerAll({ status: 429, headers, reply });
    const refused = await gateway.preview(anonymous, 'keyed', 'GDP').catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: seconds });
    expect(upstream.calls).toHaveLength(1);
    expect(await gateway.lift('keyed')).toBe(1);
  });

  it.each(['Exceeded the daily hits limit', 'Our standard API rate limit is 25 requests per day.'])(
    'holds requests until midnight if the upstream reports a daily limit: %s',
    async (reply) => {
      const gateway = open();
      upstream.answerAll({ status: 429, reply });
      const refused = await gateway.preview(anonymous, 'keyed', 'GDP').catch((error: unknown) => error);
      const [hold] = await database.sql.query<{ until: Date; seconds: number }>(
        'SELECT until, extract(epoch FROM until - now())::float8 AS seconds FROM gateway_holds',
      );
      expect(hold?.until.toISOString()).toMatch(/T00:00:00\.000Z$/);
      const { retryAfterSeconds = 0, message } = refused as AppError;
      expect(message).toBe(
        'The rate limit of Keyed Statistics is reached. The requests of this day are used up.',
      );
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(Math.floor(hold?.seconds ?? 0));
      expect(retryAfterSeconds).toBeLessThanOrEqual(86_400);
      await expect(gateway.preview(anonymous, 'keyed', 'a/b')).rejects.toMatchObject({
        kind: 'rate_limited',
      });
      expect(upstream.calls).toHaveLength(1);
      expect(await gateway.lift('keyed')).toBe(1);
    },
  );

  it('caps a Retry-After of years at an hour, also after a restart, and then sends a probe', async () => {
    const gateway = open();
    const until = 'Thu, 01 Jan 2099 00:00:00 GMT';
    upstream.answerAll({ status: 429, headers: { 'retry-after': until }, reply: '' });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({
      retryAfterSeconds: 3_600,
    });
    upstream.answerAll(undefined);
    // Another process, as after a restart.
    const restarted = open();
    const refused = await restarted.preview(anonymous, 'keyed', 'GDP').catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'rate_limited', details: { reason: 'held' } });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(3_600);
    const [state] = (await restarted.state()).filter(({ provider }) => provider === 'keyed');
    expect(state?.holds).toMatchObject([{ key: 'service' }]);
    // After the hour, a single probe ends the hold.
    await database.sql.query(`UPDATE gateway_holds SET until = now()`);
    expect((await restarted.preview(anonymous, 'keyed', 'GDP')).data).toHaveLength(3);
    expect(await database.sql.query('SELECT 1 FROM gateway_holds')).toEqual([]);
  });
});

describe('keys', () => {
  it('prefers the key of the caller to the service key, and serves its answers to no other caller', async () => {
    const gateway = open();
    await gateway.userKeys.put(account, 'keyed', 'own-key-0123');
    const own = await gateway.preview(member(), 'keyed', 'GDP');
    expect(own.keyNotice).toMatchObject({ has_api_key: true });
    await gateway.preview(anonymous, 'keyed', 'GDP');
    expect(keysSent()).toEqual(['own-key-0123', 'service-key-0123']);
    await gateway.preview(member(), 'keyed', 'a/b');
    await gateway.userKeys.put(account, 'keyed', null);
    await gateway.preview(member(), 'keyed', 'a/b');
    expect(keysSent().slice(2)).toEqual(['own-key-0123', 'service-key-0123']);
  });

  it('serves answers that were requested with the service key to callers with their own key', async () => {
    const gateway = open();
    await gateway.preview(anonymous, 'keyed', 'GDP');
    await gateway.userKeys.put(account, 'keyed', 'own-key-0123');
    await gateway.preview(member(), 'keyed', 'GDP');
    expect(upstream.calls).toHaveLength(1);
    await gateway.userKeys.put(account, 'keyed', null);
  });

  it('says how to get a key if there is none, and sends no request', async () => {
    const gateway = open({ serviceKeys: {} });
    const preview = await gateway.preview(anonymous, 'keyed', 'GDP');
    expect(preview).toMatchObject({
      label: 'Product',
      data: [],
      keyNotice: { api_key_required: true, has_api_key: false },
    });
    for (const work of [
      () => gateway.fullSeries(anonymous, 'keyed', 'GDP', {}),
      () => gateway.browse(anonymous, 'keyed', { path: '', depth: 1 }),
    ]) {
      await expect(work()).rejects.toMatchObject({
        kind: 'forbidden',
        message: expect.stringContaining('Get a key at the office.'),
      });
    }
    expect(upstream.calls).toEqual([]);
  });

  it('answers 400 for a refused key of the caller and 403 for a refused key of the service', async () => {
    const gateway = open();
    upstream.answerAll({ status: 400, reply: 'bad key own-key-0123 at https://keyed.example/x' });
    await gateway.userKeys.put(account, 'keyed', 'own-key-0123');
    const refusal = gateway.preview(member(), 'keyed', 'GDP');
    await expect(refusal).rejects.toMatchObject({ kind: 'invalid', code: 'upstream_key_refused' });
    await expect(refusal).rejects.not.toMatchObject({
      message: expect.stringMatching(/own-key|keyed\.example/),
    });
    await expect(gateway.preview(anonymous, 'keyed', 'GDP')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'upstream_key_refused',
    });
    await gateway.userKeys.put(account, 'keyed', null);
  });

  it('stores no plain key in the database, even if the upstream echoes it', async () => {
    const canary = `canary-${randomBytes(8).toString('hex')}`;
    const gateway = open({ serviceKeys: { keyed: canary } });
    await gateway.userKeys.put(account, 'keyed', `${canary}-own`);
    for (const caller of [anonymous, member()]) {
      upstream.answerAll({ reply: `{"request":{"key":"${canary}-own ${canary}"},${rows.slice(1)}` });
      await gateway.preview(caller, 'keyed', 'GDP');
      await gateway.fullSeries(caller, 'keyed', 'GDP', {});
      upstream.answerAll({ reply: `["${canary}", "${canary}-own"]` });
      expect(JSON.stringify(await gateway.browse(caller, 'keyed', { path: '', depth: 1 }))).not.toContain(
        canary,
      );
    }
    await gateway.userKeys.put(account, 'keyed', null);
    expect(await database.dump()).not.toContain(canary);
  });
});

describe('browsing and searching', () => {
  it('nests folders to the requested depth, with paths that can be passed back', async () => {
    const gateway = open();
    const { value } = await gateway.browse(anonymous, 'keyed', { path: '', depth: 2 });
    expect(value).toEqual([
      { label: 'Label of x/y', path: 'x%2Fy', children: [{ label: 'Label of deep', path: 'x%2Fy/deep' }] },
      { label: 'Label of z', path: 'z', children: [] },
    ]);
    const below = await gateway.browse(anonymous, 'keyed', { path: 'x%2Fy', depth: 1 });
    expect(below.value).toEqual([{ label: 'Label of deep', path: 'x%2Fy/deep' }]);
    await expect(gateway.browse(anonymous, 'keyed', { path: 'none', depth: 1 })).rejects.toMatchObject({
      kind: 'not_found',
      code: 'path_not_found',
    });
  });

  it('lists series with their ids', async () => {
    const { value } = await open().seriesAt(anonymous, 'keyed', { path: 'z', limit: 10, offset: 0 });
    expect(value).toEqual({ items: [{ label: 'Slashed', path: 'z/a%2Fb', series_id: 'a/b' }], total: 7 });
  });

  it('searches the upstream, or the index if there is no search or no key', async () => {
    const gateway = open();
    await gateway.seed();
    expect((await gateway.search(anonymous, 'keyed', 'product')).items).toEqual([
      {
        id: 'GDP',
        label: 'Product',
        kind: 'series',
        frequency: 'Quarterly',
        api_key_required: true,
      },
    ]);
    expect((await gateway.search(anonymous, 'bankofcanada', 'mortgage')).items).toMatchObject([
      { id: 'V80691335' },
    ]);
    expect((await open({ serviceKeys: {} }).search(anonymous, 'keyed', 'product')).items).toMatchObject([
      { id: 'GDP' },
    ]);
    expect(await gateway.search(anonymous, 'keyed', '  ')).toEqual({ query: '  ', items: [] });
    expect((await gateway.searchAll(anonymous, 'product', 10)).items).toMatchObject([
      { provider: 'keyed', id: 'GDP' },
    ]);
  });

  it('searches upstreams if the index has few hits, and caches their hits', async () => {
    const found = { id: 'WM2NS', label: 'Weekly M2' };
    let searches = 0;
    const search: Provider['search'] = async () => {
      searches += 1;
      return [found];
    };
    const gateway = open({
      providers: [{ ...keyed, search }, bankOfCanada],
      ownSearchWaitMs: patienceMs,
    });
    for (const _ of [1, 2]) {
      const answer = await gateway.searchAll(anonymous, 'weekly money stock', 10);
      expect(answer.items).toMatchObject([{ provider: 'keyed', ...found, api_key_required: true }]);
      expect(answer.notAsked).toEqual([]);
    }
    expect(searches).toBe(1);
  });

  it('names upstreams that were not searched: no key, few requests a day, an error, too slow', async () => {
    const failing: Provider['search'] = async (_query, { http }) => {
      await http.json({ path: ['folders', 'none'] });
      return [];
    };
    const slow: Provider['search'] = () => sleep(1_500, []);
    const notAsked = async (settings: Partial<GatewaySettings>, caller = anonymous) =>
      (await open(settings).searchAll(caller, 'something rare', 10)).notAsked;
    expect(await notAsked({ serviceKeys: {} })).toEqual(['keyed']);
    const few: Provider = { ...keyed, limits: { keyed: { perDay: 25 }, maxConcurrent: 1 } };
    expect(await notAsked({ providers: [few, bankOfCanada] })).toEqual(['keyed']);
    expect(await notAsked({ providers: [{ ...keyed, search: failing }, bankOfCanada] })).toEqual(['keyed']);
    expect(await notAsked({ providers: [{ ...keyed, search: slow }, bankOfCanada] })).toEqual(['keyed']);
    expect(upstream.calls.filter(({ url }) => url.startsWith('/search'))).toEqual([]);
    // A provider that the plan excludes is not listed at all.
    expect(await notAsked({ paidProviders: ['keyed'] }, { ...anonymous, mayUsePaid: false })).toEqual([]);
    expect(upstream.calls.filter(({ url }) => url.startsWith('/search'))).toEqual([]);
  });
});

describe('the direct feed', () => {
  it('searches, and limits rows by range and by number', async () => {
    const { feed } = open();
    expect(await feed.search(anonymous, 'product')).toEqual({
      results: [{ id: 'GDP', title: 'Product', frequency: 'Quarterly', units: '' }],
    });
    expect((await feed.data(anonymous, '^GSPC', { top: 2 })).rows).toHaveLength(2);
    expect((await feed.data(anonymous, 'GDP', { start: '2026-01-02' })).rows).toEqual([
      { date: '2026-01-02', value: '2.50' },
      { date: '2026-01-03', value: null },
    ]);
    await expect(feed.data(anonymous, 'GDP', { start: 'yesterday' })).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(
      open({ feedProvider: 'bankofcanada' }).feed.data(anonymous, 'FXUSDCAD', {}),
    ).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('the check', () => {
  it('reports for each upstream whether it answers', async () => {
    expect(await open().check(['keyed', 'bankofcanada'])).toMatchObject([
      { slug: 'keyed', state: 'ok', detail: 'GDP: 3 observations' },
      { slug: 'bankofcanada', state: 'failed' },
    ]);
    expect(await open({ serviceKeys: {} }).check(['keyed'])).toMatchObject([{ state: 'no key' }]);
  });

  it('answers 500 previews from the cache', async () => {
    const gateway = open();
    await gateway.preview(anonymous, 'keyed', 'GDP');
    for (let round = 0; round < 500; round += 1) await gateway.preview(member(), 'keyed', 'GDP');
    expect(upstream.calls).toHaveLength(1);
  });
});
