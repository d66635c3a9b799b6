import { afterEach, describe, expect, it } from 'vitest';
import { resolveParams } from '../../../src/gateway/params.js';
import type { Params } from '../../../src/providers/parameter.js';
import {
  codesByShortCode,
  worldBankCountries,
  worldBankRegions,
} from '../../../src/providers/worldbank/countries.js';
import { worldBank } from '../../../src/providers/worldbank/worldbank.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/worldbank/${name}.json`);

const format = { format: 'json' };
const error = (id: string, key: string, value: string) => [{ message: [{ id, key, value }] }];
const invalidValue = error('120', 'Invalid value', 'The provided parameter value is not valid');
const describedAs = (id: string) => own('indicator-NY.GDP.MKTP.CD').replaceAll('NY.GDP.MKTP.CD', id);

/** One page of `/country/…/indicator/…` in the short spelling of the tests. */
const rowsOf = (pages: number, total: number, rows: readonly (readonly [string, number | null])[]) => [
  { page: 1, pages, per_page: 20000, total, sourceid: '2', lastupdated: '2026-01-01' },
  rows.map(([date, value]) => ({
    indicator: { id: 'X', value: 'X' },
    country: { id: '1W', value: 'World' },
    countryiso3code: 'WLD',
    date,
    value,
    unit: '',
    obs_status: '',
    decimal: 0,
  })),
];
const data = (country: string, id: string, query: Record<string, string>, reply: unknown): Exchange => ({
  path: `/country/${country}/indicator/${id}`,
  query: { ...format, ...query },
  reply,
});
const whole = { per_page: '20000', page: '1' };

// Data, indicators, topics, the error 120, the error 175 and the empty reply follow recorded replies. Not
// recorded: one reply with several frequencies, an unknown topic, a page beyond the first of a topic.
const exchanges: Exchange[] = [
  ...['NY.GDP.MKTP.CD', 'DPANUSSPB', 'LONG', 'EMPTY'].map((id) => ({
    path: `/indicator/${id}`,
    query: format,
    reply: describedAs(id),
  })),
  data('WLD', 'NY.GDP.MKTP.CD', { mrv: '24' }, own('NY.GDP.MKTP.CD-IRN')),
  data('WLD', 'NY.GDP.MKTP.CD', whole, own('NY.GDP.MKTP.CD-IRN')),
  data('IRN', 'NY.GDP.MKTP.CD', whole, own('NY.GDP.MKTP.CD-IRN')),
  data('CHN', 'DPANUSSPB', whole, own('DPANUSSPB-CHN')),
  data(
    'WLD',
    'LONG',
    whole,
    rowsOf(2, 3, [
      ['2023', 3],
      ['2022', 2],
    ]),
  ),
  data('WLD', 'LONG', { ...whole, page: '2' }, rowsOf(2, 3, [['2021', 1]])),
  data(
    'WLD',
    'EMPTY',
    whole,
    '[{"page":0,"pages":0,"per_page":0,"total":0,"sourceid":null,"lastupdated":null},null]',
  ),
  { path: '/indicator/NOPE', query: format, reply: invalidValue },
  { path: '/topic', query: { ...format, per_page: '100' }, reply: own('topics') },
  {
    path: '/topic/3/indicator',
    query: { ...format, per_page: '200', page: '1' },
    reply: own('topic-3-indicators'),
  },
  { path: '/topic/99/indicator', query: { ...format, per_page: '2', page: '1' }, reply: invalidValue },
  {
    path: '/indicator',
    query: { ...format, per_page: '2000', page: '1' },
    reply: own('topic-3-indicators').replace('"pages":1', '"pages":"2"'),
  },
  {
    path: '/indicator',
    query: { ...format, per_page: '2000', page: '2' },
    reply: own('indicator-NY.GDP.MKTP.CD').replace('"pages":1', '"pages":2'),
  },
];

describeConnector({
  provider: worldBank,
  exchanges,
  series: { id: 'NY.GDP.MKTP.CD' },
  unknownSeries: 'NOPE',
  seriesPath: ['3-economy-growth'],
  unknownPath: ['99-nowhere'],
});

describe('world bank', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(worldBank, { exchanges: [...more, ...exchanges] });
    return opened;
  };
  const gdp = async (params: Params = {}) =>
    worldBank.series('NY.GDP.MKTP.CD', { country: 'IRN', ...params }, (await open()).ctx);

  it('keeps the digits and returns missing years as null', async () => {
    const { label, metadata, data } = await gdp();
    expect(label).toBe('GDP (current US$), Iran, Islamic Rep.');
    expect(data).toEqual([
      { date: '2025-01-01', value: null },
      { date: '2024-01-01', value: '475252089215.416' },
      { date: '2023-01-01', value: '457510482317.48300' },
      { date: '2022-01-01', value: '394000000000' },
    ]);
    expect(metadata).toEqual({
      frequency: 'Annual',
      units: 'current US$',
      unit: 'current US$',
      unitMultiplier: 1,
      source: 'World Development Indicators',
      notes: 'The total income earned through the production of goods and services.',
      last_update: '2026-07-13',
      country: 'Iran, Islamic Rep.',
      source_organization: 'National Statistical Organizations;\nStaff estimates, World Bank (WB)',
    });
  });

  it('filters by the range itself', async () => {
    const { data } = await gdp({ start: '2023', end: '2024-06' });
    expect(data.map(({ date }) => date)).toEqual(['2024-01-01', '2023-01-01']);
  });

  it('reads the finest of several frequencies, or the requested one', async () => {
    const { ctx } = await open();
    const ask = (params: Params) => worldBank.series('DPANUSSPB', { country: 'CHN', ...params }, ctx);
    const finest = await ask({});
    expect(finest.metadata.frequency).toBe('Monthly');
    expect(finest.data).toEqual([
      { date: '2025-02-01', value: '7.2' },
      { date: '2025-01-01', value: '7.30' },
    ]);
    expect((await ask({ frequency: 'Q' })).data).toEqual([
      { date: '2025-04-01', value: '7.21' },
      { date: '2025-01-01', value: '7.25' },
    ]);
    const years = await ask({ frequency: 'Y' });
    expect(years.metadata.frequency).toBe('Annual');
    expect(years.data.map(({ date }) => date)).toEqual(['2025-01-01', '2024-01-01']);
  });

  it('reads all pages', async () => {
    const { ctx } = await open();
    const { data } = await worldBank.series('LONG', { country: 'WLD' }, ctx);
    expect(data.map(({ value }) => value)).toEqual(['3', '2', '1']);
  });

  it('reads all countries and years, without regions, as the pages have them', async () => {
    const countries = worldBankCountries.filter(({ code }) => !worldBankRegions.has(code));
    const years = Array.from({ length: 66 }, (_, index) => 2025 - index);
    const rowOf = (code: string, name: string, year: number) => ({
      indicator: { id: 'LONG', value: 'X' },
      country: { id: code.slice(0, 2), value: name },
      countryiso3code: code,
      date: String(year),
      value: year === 1960 ? null : Number(`${year}${code.charCodeAt(0)}.5`),
      unit: '',
      obs_status: year === 2025 && code === 'NOR' ? 'E' : '',
      decimal: 0,
    });
    const rows = worldBankCountries.flatMap(({ code, label }) =>
      years.map((year) => rowOf(code, label, year)),
    );
    const pageOf = (page: number) => [
      { page, pages: 2, per_page: 20000, total: rows.length, lastupdated: '2026-01-01' },
      page === 1 ? rows.slice(0, 10_000) : rows.slice(10_000),
    ];
    const { ctx, upstream } = await open([
      data('all', 'LONG', whole, pageOf(1)),
      data('all', 'LONG', { per_page: '20000', page: '2' }, pageOf(2)),
    ]);
    const params = resolveParams(worldBank, { country: 'all' }, { panel: true });
    const found = await worldBank.panel?.('LONG', params, ctx);
    expect(countries.length).toBeGreaterThanOrEqual(217);
    expect(found?.series.map(({ codes }) => codes[0])).toEqual(countries.map(({ code }) => code).sort());
    const expected = new Map(
      rows
        .filter(({ countryiso3code }) => !worldBankRegions.has(countryiso3code))
        .map((row) => [
          `${row.countryiso3code} ${row.date}-01-01`,
          row.value === null ? null : String(row.value),
        ]),
    );
    const read = found?.series.flatMap(({ codes, data: values }) =>
      values.map(({ date, value }): [string, string | null] => [`${codes[0]} ${date}`, value]),
    );
    expect(read).toHaveLength(countries.length * 66);
    expect(new Map(read)).toEqual(expected);
    expect(found?.metadata.flags).toEqual({ E: 'Estimated value' });
    expect(upstream.calls.filter(({ url }) => url.includes('/country/'))).toHaveLength(2);
  });

  it('reads the frequency that each country of a panel has, and names those without rows', async () => {
    const row = (code: string, date: string, value: number) => ({
      country: { id: code.slice(0, 2), value: code },
      countryiso3code: code,
      date,
      value,
    });
    const rows = [
      row('NOR', '2024Q1', 1),
      row('NOR', '2024', 4),
      row('SWE', '2024', 5),
      row('SWE', '2023', 6),
    ];
    const page = [{ page: 1, pages: 1, per_page: 20000, total: rows.length }, rows];
    const { ctx } = await open([data('NOR;SWE;DNK', 'LONG', whole, page)]);
    const read = (frequency?: string) =>
      worldBank.panel?.(
        'LONG',
        { country: 'NOR;SWE;DNK', ...(frequency === undefined ? {} : { frequency }) },
        ctx,
      );
    const found = await read();
    expect(
      found?.series.map(({ codes, data: values }) => [codes[0], values.map(({ value }) => value)]),
    ).toEqual([
      ['NOR', ['1']],
      ['SWE', ['5', '6']],
    ]);
    expect(found?.metadata.frequency).toBe('Quarterly, Annual');
    expect(found?.missing).toEqual(['DNK']);
    expect((await read('Q'))?.missing).toEqual(['SWE', 'DNK']);
  });

  it('finds income groups, whose rows have only a short code, and counts none of them among all countries', async () => {
    const row = (id: string, value: string, countryiso3code: string) => ({
      country: { id, value },
      countryiso3code,
      date: '2024',
      value: 1,
    });
    const rows = [
      row('XD', 'High income', ''),
      row('NO', 'Norway', 'NOR'),
      row('1A', 'Arab World', ''),
      row('XO', 'Low & middle income', ''),
    ];
    const page = [{ page: 1, pages: 1, per_page: 20000, total: rows.length }, rows];
    const { ctx } = await open([
      data('HIC;NOR;ARB;LMY', 'LONG', whole, page),
      data('all', 'LONG', whole, page),
    ]);
    const found = await worldBank.panel?.('LONG', { country: 'HIC;NOR;ARB;LMY' }, ctx);
    expect(found?.series.map(({ codes, labels }) => [codes[0], labels[0]])).toEqual([
      ['ARB', 'Arab World'],
      ['HIC', 'High income'],
      ['LMY', 'Low & middle income'],
      ['NOR', 'Norway'],
    ]);
    expect(found?.missing).toBeUndefined();
    const all = await worldBank.panel?.('LONG', { country: 'all' }, ctx);
    expect(all?.series.map(({ codes }) => codes[0])).toEqual(['NOR']);
  });

  it('knows a distinct short code of every region and group', () => {
    expect(new Set(codesByShortCode.values())).toEqual(worldBankRegions);
    expect([...codesByShortCode.keys()].filter((code) => !/^[A-Z0-9]{2}$/.test(code))).toEqual([]);
  });

  it('accepts a list of countries by any of their names', () => {
    const panel = { panel: true };
    expect(resolveParams(worldBank, { country: ['Norway', 'SE', 'NOR'] }, panel).country).toBe('NOR;SWE');
    expect(() => resolveParams(worldBank, { country: ['NOR', 'XXXX'] }, panel)).toThrow(/country/);
    expect(() => resolveParams(worldBank, { country: [] }, panel)).toThrow(/'all', or a list/);
    expect(() => resolveParams(worldBank, { country: ['NOR'] })).toThrow(/country/);
  });

  it('reads the day of the last update from one row', async () => {
    const { ctx, upstream } = await open([
      data('WLD', 'LONG', { per_page: '1' }, rowsOf(1, 30_000, [['2020', 1]])),
    ]);
    expect(await worldBank.lastUpdate?.('LONG', { country: 'WLD' }, ctx)).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(upstream.calls).toHaveLength(1);
  });

  it('rejects a reply with fewer rows than it announces', async () => {
    const { ctx } = await open([data('WLD', 'LONG', whole, rowsOf(1, 3, [['2023', 3]]))]);
    await expect(worldBank.series('LONG', { country: 'WLD' }, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it('returns no rows for a country without data', async () => {
    const { ctx } = await open();
    const found = await worldBank.series('EMPTY', { country: 'WLD' }, ctx);
    expect(found).toMatchObject({ label: 'GDP (current US$), World', data: [] });
  });

  it.each([
    [
      'an indicator that was withdrawn',
      'not_found',
      error('175', 'Invalid format', 'The indicator was not found. It may have been deleted or archived.'),
    ],
    [
      'the same as XML',
      'not_found',
      '<?xml version="1.0" encoding="utf-8"?><wb:error xmlns:wb="http://www.worldbank.org"><wb:message id="175" key="Invalid format">The indicator was not found.</wb:message></wb:error>',
    ],
    [
      'a service that is down',
      'upstream',
      error('105', 'Service currently unavailable', 'The requested service is temporarily unavailable.'),
    ],
  ])('recognises %s', async (_name, kind, reply) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply });
    await expect(worldBank.series('NY.GDP.MKTP.CD', {}, ctx)).rejects.toMatchObject({ kind });
    await expect(worldBank.preview('NY.GDP.MKTP.CD', {}, ctx)).rejects.toMatchObject({ kind });
  });

  it.each(['2025YTD', 'soon', '2025M13'])('refuses the date %s', async (date) => {
    const { ctx } = await open([data('WLD', 'LONG', whole, rowsOf(1, 1, [[date, 1]]))]);
    await expect(worldBank.series('LONG', { country: 'WLD' }, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it('sends no request for several indicators', async () => {
    const { ctx, upstream } = await open();
    await expect(worldBank.series('SP.POP.TOTL;NY.GDP.MKTP.CD', {}, ctx)).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(upstream.calls).toEqual([]);
  });

  it('offers countries and aggregates by code', () => {
    const { values = [], default: code } = worldBank.parameters[0] ?? {};
    expect(values.length).toBeGreaterThan(290);
    expect(new Set(values.map((value) => value.code)).size).toBe(values.length);
    expect(values).toContainEqual({ code: 'DEU', label: 'Germany' });
    expect(values).toContainEqual({ code, label: 'World' });
  });

  it('trims the names of topics and lists them as leaves', async () => {
    const { ctx } = await open();
    expect(await worldBank.browse?.([], ctx)).toEqual([
      { segment: '1-agriculture-rural-development', label: 'Agriculture & Rural Development', leaf: true },
      { segment: '3-economy-growth', label: 'Economy & Growth', leaf: true },
      { segment: '11-poverty', label: 'Poverty', leaf: true },
    ]);
    expect(await worldBank.browse?.(['3-economy-growth'], ctx)).toEqual([]);
    for (const path of [['x'], ['3-economy-growth', 'y']]) {
      await expect(worldBank.browse?.(path, ctx)).rejects.toMatchObject({ code: 'path_not_found' });
    }
  });

  it('reports an unknown topic as not found, and has no series above topics', async () => {
    const { ctx } = await open();
    await expect(worldBank.seriesAt?.(['99'], { limit: 2, offset: 0 }, ctx)).rejects.toMatchObject({
      code: 'path_not_found',
    });
    expect(await worldBank.seriesAt?.([], { limit: 2, offset: 0 }, ctx)).toEqual({ items: [], total: 0 });
  });

  it('joins two pages of the upstream for a page that spans them', async () => {
    const all = JSON.parse(own('topic-3-indicators'))[1];
    const ofTopic = (number: number) => ({
      path: '/topic/3/indicator',
      query: { ...format, per_page: '2', page: String(number) },
      reply: [{ page: number, pages: 2, per_page: '2', total: 3 }, all.slice((number - 1) * 2, number * 2)],
    });
    const { ctx, upstream } = await open([ofTopic(1), ofTopic(2)]);
    const at = async (offset: number) => {
      const page = await worldBank.seriesAt?.(['3'], { limit: 2, offset }, ctx);
      return { ids: page?.items.map(({ id }) => id), total: page?.total };
    };
    expect(await at(0)).toEqual({ ids: ['NY.GDP.MKTP.CD', 'NY.GDP.PCAP.CD'], total: 3 });
    expect(await at(1)).toEqual({ ids: ['NY.GDP.PCAP.CD', 'FP.CPI.TOTL.ZG'], total: 3 });
    expect(await at(2)).toEqual({ ids: ['FP.CPI.TOTL.ZG'], total: 3 });
    expect(upstream.unmatched).toEqual([]);
  });

  it('lists every indicator of all pages with its topic', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of worldBank.listAll?.(ctx) ?? []) items.push(item);
    expect(items).toEqual([
      {
        id: 'NY.GDP.MKTP.CD',
        label: 'GDP (current US$)',
        description: 'The total income.',
        path: ['3-economy-growth'],
      },
      { id: 'NY.GDP.PCAP.CD', label: 'GDP per capita (current US$)', path: ['3-economy-growth'] },
      { id: 'FP.CPI.TOTL.ZG', label: 'Inflation, consumer prices (annual %)' },
    ]);
  });
});
