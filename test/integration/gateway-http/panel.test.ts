import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patienceMs } from '../../support/patience.js';
import { fixture, type ReplayUpstream, startReplayUpstream } from '../../support/replay-upstream.js';
import { bankObservations, type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
let bis: ReplayUpstream;
let bank: ReplayUpstream;
let bls: ReplayUpstream;
let canada: ReplayUpstream;

const format = { format: 'json' };
const row = (code: string, name: string, date: string, value: number | null, obs_status = '') => ({
  indicator: { id: 'SP.POP.TOTL', value: 'Population, total' },
  country: { id: code.slice(0, 2), value: name },
  countryiso3code: code,
  date,
  value,
  unit: '',
  obs_status,
  decimal: 0,
});
const head = { page: 1, pages: 1, per_page: 20000, total: 4, lastupdated: '2026-01-01' };

/** Rows of two areas in the format of the recorded reply. */
const rates = (): string => {
  const [columns = '', ...rows] = fixture('providers/bis/WS_CBPOL-M.CH.csv').trim().split('\n');
  return [columns, ...rows, ...rows.map((line) => line.replace(',CH,', ',US,'))].join('\n');
};

/** More rows than a panel may have. */
const manyRates = (): string =>
  `FREQ,REF_AREA,TIME_PERIOD,OBS_VALUE\n${'D,US,2024-01-01,1\n'.repeat(200_001)}`;

beforeAll(async () => {
  bis = await startReplayUpstream([
    {
      path: '/dataflow/BIS/WS_CBPOL/latest',
      query: { references: 'descendants' },
      reply: fixture('providers/bis/structure-WS_CBPOL.xml'),
    },
    { path: '/data/WS_CBPOL/M.CH+US/all', reply: rates() },
    { path: '/data/WS_CBPOL/M./all', reply: rates() },
    { path: '/data/WS_CBPOL/.US/all', reply: manyRates() },
    { path: '/data/WS_CBPOL/M.NO+SE/all', status: 404, reply: fixture('providers/bis/error-100.xml') },
  ]);
  bank = await startReplayUpstream([
    {
      path: '/indicator/SP.POP.TOTL',
      query: format,
      reply: [
        { page: 1, pages: 1, per_page: 50, total: 1 },
        [{ id: 'SP.POP.TOTL', name: 'Population, total', unit: '', source: { value: 'WDI' }, topics: [] }],
      ],
    },
    ...['NOR;SWE', 'SWE;NOR'].map((countries) => ({
      path: `/country/${countries}/indicator/SP.POP.TOTL`,
      query: { ...format, per_page: '20000', page: '1' },
      reply: [
        head,
        [
          row('NOR', 'Norway', '2024', 5572279, 'E'),
          row('NOR', 'Norway', '2023', 5519594),
          row('SWE', 'Sweden', '2024', null),
          row('SWE', 'Sweden', '2023', 10536632),
        ],
      ],
    })),
  ]);
  // Two series in one request, one of them unknown.
  bls = await startReplayUpstream([]);
  bls.answerAll({
    reply: {
      status: 'REQUEST_SUCCEEDED',
      responseTime: 90,
      message: ['Series does not exist for Series LNS99999999'],
      Results: {
        series: [
          {
            seriesID: 'LNS14000000',
            data: [{ year: '2026', period: 'M01', periodName: 'January', value: '4.30', footnotes: [{}] }],
          },
          { seriesID: 'LNS99999999', data: [] },
        ],
      },
    },
  });
  const canadian = (id: string) => ({
    path: `/observations/${id}/json`,
    query: { start_date: '2026-01-01' },
  });
  canada = await startReplayUpstream([
    ...['FXUSDCAD', 'FXEURCAD'].map((id) => ({
      ...canadian(id),
      reply: bankObservations(id, { '2026-03-12': '1.50' }),
    })),
    { ...canadian('NOPE'), status: 404, reply: { message: 'Series NOPE not found.' } },
  ]);
  world = await startGatewayWorld({
    gatewayIntervalMs: '200',
    providerUrls: `bis=${bis.baseUrl},worldbank=${bank.baseUrl},bls=${bls.baseUrl},bankofcanada=${canada.baseUrl}`,
  });
});
afterAll(async () => {
  await world.close();
  await bis.close();
  await bank.close();
  await bls.close();
  await canada.close();
});

interface Panel {
  readonly dimensions: readonly { readonly id: string }[];
  readonly series: readonly { readonly name: string; readonly observations: number }[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
}
const panel = (path: string, body: object) => world.ask('POST', `/providers/${path}/panel`, { body });

describe('a panel', () => {
  it('reads several countries in one request, with code, label and flag', async () => {
    const answer = await panel('worldbank/series/SP.POP.TOTL', { params: { country: ['NOR', 'Sweden'] } });
    expect(answer.status).toBe(200);
    expect(answer.json<Panel>().data).toEqual([
      { date: '2023-01-01', country: 'NOR', country_label: 'Norway', value: 5519594 },
      { date: '2024-01-01', country: 'NOR', country_label: 'Norway', value: 5572279, flag: 'E' },
      { date: '2023-01-01', country: 'SWE', country_label: 'Sweden', value: 10536632 },
      { date: '2024-01-01', country: 'SWE', country_label: 'Sweden', value: null },
    ]);
    expect(bank.calls.filter(({ url }) => url.includes('/country/'))).toHaveLength(1);
  });

  it('can be wide, without another request to the provider', async () => {
    const answer = await panel('worldbank/series/SP.POP.TOTL', {
      params: { country: ['NOR', 'SWE'] },
      shape: 'wide',
    });
    expect(answer.json<Panel>().data).toEqual([
      { date: '2023-01-01', values: { NOR: 5519594, SWE: 10536632 } },
      { date: '2024-01-01', values: { NOR: 5572279, SWE: null } },
    ]);
    expect(bank.calls.filter(({ url }) => url.includes('/country/'))).toHaveLength(1);
  });

  it.each(['M.CH+US', 'M.', 'M.*'])('reads the SDMX key %s', async (key) => {
    const answer = await panel(`bis/series/WS_CBPOL%2F${encodeURIComponent(key)}`, {});
    const { dimensions, series, data } = answer.json<Panel>();
    expect(dimensions).toEqual([{ id: 'REF_AREA', label: expect.any(String) }]);
    expect(series.map(({ name }) => name)).toEqual(['CH', 'US']);
    expect(data).toHaveLength(series.reduce((sum, { observations }) => sum + observations, 0));
    expect(answer.text).toContain('"value":0.250');
  });

  it('is 404 for a combination without data, and says how many codes a key needs', async () => {
    expect((await panel('bis/series/WS_CBPOL%2FM.NO+SE', {})).status).toBe(404);
    const answer = await panel('bis/series/WS_CBPOL%2FM', {});
    expect([answer.status, answer.json().error]).toEqual([404, expect.stringContaining('2 codes')]);
  });

  it('lists missing series and does not fail', async () => {
    const answer = await panel('bls/series/LNS14000000+LNS99999999', { params: { start: '2026' } });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      series: [{ name: 'LNS14000000', observations: 1 }],
      missing: ['LNS99999999'],
    });
    expect(answer.text).toContain('"value":4.30');
  });

  it('is refused if it has too many observations', async () => {
    const answer = await panel('bis/series/WS_CBPOL%2F.US', {});
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'panel_too_large', details: { limit: 200_000 } });
  });

  it.each(['M.CH+US', 'M.', 'M.*'])('is suggested when %s is refused as a single series', async (key) => {
    const path = `/providers/bis/series/WS_CBPOL%2F${encodeURIComponent(key)}`;
    const answer = await world.ask('POST', `${path}/data`, { body: {} });
    const panelPath = `${path}/panel`;
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'ambiguous_series', details: { panel: panelPath } });
    expect(answer.json().error).toContain(`POST ${panelPath}`);
  });

  it('combines up to ten series by id at other providers, and lists missing ones', async () => {
    const answer = await panel('bankofcanada/series/FXUSDCAD+FXEURCAD+NOPE', {
      params: { start: '2026-01-01' },
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      dimensions: [{ id: 'series' }],
      series: [{ name: 'FXUSDCAD' }, { name: 'FXEURCAD', observations: 1 }],
      missing: ['NOPE'],
    });
    expect(answer.text).toContain('"value":1.50');
    const many = Array.from({ length: 11 }, (_, place) => `S${place}`).join('+');
    expect((await panel(`bankofcanada/series/${many}`, {})).json()).toMatchObject({
      code: 'panel_too_large',
      details: { limit: 10 },
    });
  });
});

describe('a panel kept as a dataset', () => {
  let key = '';
  let repositoryId = 0;
  beforeAll(async () => {
    key = (await world.product.createAccount('panels')).key;
    repositoryId = (await world.ask('GET', '/repositories/home', { key })).json<{ id: number }>().id;
  });

  interface Made {
    readonly id: number;
    readonly currentVersionId: string | null;
    readonly refresh: { readonly lastRunAt: string | null };
  }
  const until = async (id: number, done: (made: Made) => boolean): Promise<Made> => {
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
      const made = (await world.ask('GET', `/datasets/${id}`, { key })).json<Made>();
      if (done(made)) return made;
    }
    throw new Error('timed out waiting for the dataset');
  };
  const keep = (body: object) =>
    world.ask('POST', '/providers/worldbank/series/SP.POP.TOTL/dataset', {
      key,
      body: { repositoryId, panel: true, ...body },
    });

  it('has a column each for code and label, and gets no new version without changes', async () => {
    const answer = await keep({
      params: { country: ['SWE', 'NOR'] },
      columns: ['date', 'value', 'flag'],
      refresh: 'daily',
    });
    expect(answer.status).toBe(201);
    const first = await until(answer.json<Made>().id, ({ currentVersionId }) => currentVersionId !== null);
    const csv = await world.askPlain('GET', `/datasets/${first.id}/data?$select=country_label,Value,Flag`, {
      key,
    });
    expect(csv.text.trim().split('\r\n')).toEqual([
      '"Date","country","country_label","Value","Flag"',
      '"2023-01-01","NOR","Norway",5519594,',
      '"2024-01-01","NOR","Norway",5572279,"E"',
      '"2023-01-01","SWE","Sweden",10536632,',
      '"2024-01-01","SWE","Sweden",,',
    ]);
    expect((await world.ask('POST', `/datasets/${first.id}/refresh`, { key })).status).toBe(202);
    const again = await until(first.id, ({ refresh }) => refresh.lastRunAt !== first.refresh.lastRunAt);
    expect(again.currentVersionId).toBe(first.currentVersionId);
  });

  it('is refused if one of its series does not exist', async () => {
    const answer = await world.ask('POST', '/providers/bls/series/LNS14000000+LNS99999999/dataset', {
      key,
      body: { repositoryId, panel: true, params: { start: '2026' } },
    });
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'series_not_found', details: { missing: ['LNS99999999'] } });
  });

  it.each([
    ['several ids', { params: { country: 'all' }, seriesIds: ['NY.GDP.MKTP.CD'] }, 'seriesIds'],
    ['a backfill', { params: { country: 'all' }, backfill: true }, 'panel'],
  ])('refuses %s', async (_name, body, parameter) => {
    const answer = await keep(body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', details: { parameter } });
  });
});
