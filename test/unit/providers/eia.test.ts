import { afterEach, describe, expect, it } from 'vitest';
import { eia } from '../../../src/providers/eia/eia.js';
import type { Params } from '../../../src/providers/parameter.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/eia/${name}.json`);

const rclc1 = 'petroleum/pri/fut/daily/value/series=RCLC1';
const sort = (direction: 'asc' | 'desc') => ({
  'sort[0][column]': 'period',
  'sort[0][direction]': direction,
});
const newest = { ...sort('desc'), offset: '0', length: '24' };
const oldest = { ...sort('asc'), offset: '0', length: '5000' };
const daily = { frequency: 'daily', 'data[0]': 'value' };

const reply = (total: number | string, data: readonly Record<string, unknown>[], frequency = 'daily') => ({
  response: { total, dateFormat: 'YYYY-MM-DD', frequency, data },
  apiVersion: '2.1.13',
});
const futures = (code: string, query: Record<string, string>, answer: unknown = own('RCLC1')): Exchange => ({
  path: '/petroleum/pri/fut/data/',
  query: { ...daily, 'facets[series][]': code, ...query },
  reply: answer,
});
const sales = (query: Record<string, string>, answer: unknown): Exchange => ({
  path: '/electricity/retail-sales/data/',
  query,
  reply: answer,
});
const saleRow = (period: string, price: string | null, sectorid = 'RES') => ({
  period,
  stateid: 'CO',
  stateDescription: 'Colorado',
  sectorid,
  sectorName: sectorid === 'RES' ? 'residential' : 'commercial',
  price,
  'price-units': 'cents per kilowatt-hour',
});

// Data, facets with doubles and the leaf of hours follow recorded replies; the error about facets is
// quoted from other programs, errors of the key follow the documentation. Not recorded: the root of the routes, a
// reply to an old id, the marks for missing values other than null.
const exchanges: Exchange[] = [
  { path: '/', reply: own('root') },
  { path: '/electricity/', reply: own('petroleum-pri-fut') },
  {
    path: '/petroleum/',
    reply: { response: { id: 'petroleum', routes: [{ id: 'pri', name: 'Prices', description: 'Prices' }] } },
  },
  { path: '/petroleum/pri/', reply: own('petroleum-pri-fut') },
  { path: '/petroleum/pri/fut/', reply: own('petroleum-pri-fut') },
  { path: '/petroleum/pri/fut/facet/series/', reply: own('petroleum-pri-fut-series') },
  { path: '/electricity/retail-sales/', reply: own('retail-sales') },
  {
    path: '/electricity/retail-sales/facet/stateid/',
    reply: {
      response: {
        totalFacets: 2,
        facets: [
          { id: 'CO', name: 'Colorado' },
          { id: 'US', name: 'U.S. Total' },
        ],
      },
    },
  },
  {
    path: '/electricity/retail-sales/facet/sectorid/',
    reply: {
      response: {
        totalFacets: 2,
        facets: [
          { id: 'RES', name: 'residential' },
          { id: 'COM', name: 'commercial' },
        ],
      },
    },
  },
  { path: '/electricity/rto/region-data/', reply: own('rto-region-data') },
  {
    path: '/electricity/rto/region-data/facet/respondent/',
    reply: { response: { totalFacets: 1, facets: [{ id: 'PJM', name: 'PJM' }] } },
  },
  {
    path: '/electricity/rto/region-data/facet/type/',
    reply: { response: { totalFacets: 1, facets: [{ id: 'D', name: 'Demand' }] } },
  },
  { path: '/nowhere/', status: 404, reply: { error: 'Not found.', code: 404 } },
  futures('RCLC1', newest),
  futures('RCLC1', oldest),
  futures('NOPE', newest, reply('0', [])),
  futures('NOPE', oldest, reply('0', [])),
];

describeConnector({
  provider: eia,
  exchanges,
  series: { id: rclc1 },
  unknownSeries: 'petroleum/pri/fut/daily/value/series=NOPE',
  seriesPath: ['petroleum', 'pri', 'fut'],
  unknownPath: ['nowhere'],
  keyRefused: {
    status: 403,
    reply: {
      error: {
        code: 'API_KEY_INVALID',
        message: 'An invalid api_key was supplied. Get one at https://www.eia.gov/opendata/register.php',
      },
    },
  },
  limitReached: {
    status: 429,
    reply: { error: { code: 'OVER_RATE_LIMIT', message: 'You have exceeded your rate limit.' } },
  },
});

describe('eia', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(eia, { exchanges: [...more, ...exchanges], apiKey: 'a-key-of-eia-0000' });
    return opened;
  };
  /** Reads a price series from rows of the upstream. */
  const price = async (
    rows: readonly Record<string, unknown>[],
    frequency = 'monthly',
    params: Params = {},
    query: Record<string, string> = {},
  ) => {
    const expectedQuery = {
      frequency,
      'data[0]': 'price',
      'facets[stateid][]': 'CO',
      'facets[sectorid][]': 'RES',
    };
    const { ctx } = await open([
      sales({ ...expectedQuery, ...oldest, ...query }, reply(rows.length, rows, frequency)),
    ]);
    return eia.series(`electricity/retail-sales/${frequency}/price/stateid=CO/sectorid=RES`, params, ctx);
  };

  it('keeps the digits and reads null as missing', async () => {
    const { ctx } = await open();
    expect(await eia.series(rclc1, {}, ctx)).toEqual({
      label: 'Cushing, OK Crude Oil Future Contract 1 (Dollars per Barrel)',
      metadata: {
        frequency: 'Daily',
        units: '$/BBL',
        unit: '$/BBL',
        unitMultiplier: 1,
        source: 'U.S. Energy Information Administration',
        notes: 'Crude oil, gasoline and heating oil futures. Source: NYMEX',
      },
      data: [
        { date: '2024-04-02', value: '85.15' },
        { date: '2024-04-03', value: '85.40' },
        { date: '2024-04-04', value: null },
        { date: '2024-04-05', value: '86.91' },
      ],
    });
  });

  it('labels a series with its facets, and reads the units next to the value', async () => {
    const { label, metadata } = await price([saleRow('2026-01', '15.2')]);
    expect(label).toBe(
      'Electricity Sales to Ultimate Customers, Average Price of Electricity to Ultimate Customers, Colorado, residential',
    );
    expect(metadata).toMatchObject({ frequency: 'Monthly', units: 'cents per kilowatt-hour' });
  });

  it.each([
    ['monthly', ['2024-02', '2024-12'], ['2024-02-01', '2024-12-01'], { start: '2024-02', end: '2024-12' }],
    ['quarterly', ['2024-Q1', '2024-Q4'], ['2024-01-01', '2024-10-01'], { start: '2024-Q1', end: '2024-Q4' }],
    ['annual', ['2024'], ['2024-01-01'], { start: '2024', end: '2024' }],
  ])('reads %s periods and formats bounds like them', async (frequency, periods, dates, bounds) => {
    const rows = periods.map((period) => saleRow(period, '1'));
    const { data } = await price(rows, frequency, { start: dates[0] ?? '', end: '2024' }, bounds);
    expect(data.map(({ date }) => date)).toEqual(dates);
  });

  it.each(['NA', '--', 'W'])('reads the mark %s as missing', async (mark) => {
    expect((await price([saleRow('2026-01', mark)])).data).toEqual([{ date: '2026-01-01', value: null }]);
  });

  it.each([
    ['a period of another form', saleRow('January', '1')],
    ['a row without the column', { period: '2026-01', sales: '1' }],
  ])('refuses %s', async (_name, row) => {
    await expect(price([row])).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('names the facet that an id leaves open', async () => {
    const { ctx } = await open([
      sales(
        { frequency: 'monthly', 'data[0]': 'price', 'facets[stateid][]': 'CO', ...oldest },
        reply(2, [saleRow('2026-01', '15.2'), saleRow('2026-01', '11.9', 'COM')], 'monthly'),
      ),
    ]);
    await expect(
      eia.series('electricity/retail-sales/monthly/price/stateid=CO', {}, ctx),
    ).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringMatching(/name one code of sectorid\.$/),
    });
  });

  it('reads page after page of 5,000 rows', async () => {
    const rows = JSON.parse(own('RCLC1')).response.data;
    const page = (offset: string, data: readonly Record<string, unknown>[]) =>
      futures('RCLC1', { ...oldest, offset }, reply('4', data));
    const { ctx, upstream } = await open([page('0', rows.slice(0, 2)), page('2', rows.slice(2))]);
    const { data } = await eia.series(rclc1, {}, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2024-04-02', '2024-04-03', '2024-04-04', '2024-04-05']);
    expect(upstream.unmatched).toEqual([]);
  });

  it('rejects a reply with fewer rows than it announces', async () => {
    const { ctx } = await open([futures('RCLC1', oldest, reply('9', []))]);
    await expect(eia.series(rclc1, {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('rejects the first page in place of the next one', async () => {
    const rows = JSON.parse(own('RCLC1')).response.data;
    const { ctx, upstream } = await open([
      futures('RCLC1', oldest, reply('4', rows.slice(0, 2))),
      futures('RCLC1', { ...oldest, offset: '2' }, reply('4', rows.slice(0, 2))),
    ]);
    await expect(eia.series(rclc1, {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
    expect(upstream.calls.filter(({ url }) => url.includes('offset'))).toHaveLength(2);
  });

  it('returns no rows for an empty range', async () => {
    const { ctx } = await open([
      futures('RCLC1', { ...oldest, start: '1900-01-01', end: '1900-12-31' }, reply('0', [])),
    ]);
    expect((await eia.series(rclc1, { start: '1900', end: '1900' }, ctx)).data).toEqual([]);
  });

  it('reads ids of the previous interface', async () => {
    const { ctx, upstream } = await open([
      { path: '/seriesid/PET.RCLC1.D', query: newest, reply: own('RCLC1') },
      {
        path: '/seriesid/ELEC.PRICE.CO-RES.M',
        query: oldest,
        reply: reply(1, [saleRow('2026-01', '15.20')], 'monthly'),
      },
      {
        path: '/seriesid/PET.NOPE.D',
        query: oldest,
        status: 404,
        reply: { error: 'Series not found', code: 404 },
      },
    ]);
    expect((await eia.preview('PET.RCLC1.D', {}, ctx)).metadata.units).toBe('$/BBL');
    expect(await eia.series('ELEC.PRICE.CO-RES.M', {}, ctx)).toMatchObject({
      metadata: { frequency: 'Monthly', units: 'cents per kilowatt-hour' },
      data: [{ date: '2026-01-01', value: '15.20' }],
    });
    await expect(eia.series('PET.NOPE.D', {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    expect(upstream.unmatched).toEqual([]);
  });

  const demand = 'electricity/rto/region-data/hourly/value/respondent=PJM/type=D';
  const hour = (period: string, value: string | null) => ({ period, value, 'value-units': 'megawatthours' });
  const hours = [
    hour('2024-01-01T22', '10.5'),
    hour('2024-01-01T23', '-3'),
    hour('2024-01-02T00', '1'),
    hour('2024-01-02T01', '1'),
    hour('2024-01-02T02', '0'),
    hour('2024-01-02T03', null),
    hour('2024-01-03T00', null),
  ];
  const demandExchange = (query: Record<string, string>): Exchange => ({
    path: '/electricity/rto/region-data/data/',
    query: {
      frequency: 'hourly',
      'data[0]': 'value',
      'facets[respondent][]': 'PJM',
      'facets[type][]': 'D',
      ...query,
    },
    reply: reply(hours.length, hours, 'hourly'),
  });

  it.each([
    ['mean', 'Mean of the hours of a day', ['3.75', '0.666667', null]],
    ['last', 'Last hour of a day', ['-3', null, null]],
  ])('aggregates hours to days by %s', async (rule, aggregation, values) => {
    const { ctx } = await open([demandExchange({ ...oldest, start: '2024-01-01T00', end: '2024-12-31T23' })]);
    const params = { start: '2024', end: '2024', hours: rule };
    const { metadata, data } = await eia.series(demand, params, ctx);
    expect(metadata).toMatchObject({ frequency: 'Daily', original_frequency: 'Hourly', aggregation });
    expect(data.map(({ date }) => date)).toEqual(['2024-01-01', '2024-01-02', '2024-01-03']);
    expect(data.map(({ value }) => value)).toEqual(values);
  });

  it('previews the mean of whole days', async () => {
    const newestHours = demandExchange({ ...newest, length: '600' });
    const rows = hours.toReversed();
    const preview = async (total: number) => {
      const { ctx } = await open([{ ...newestHours, reply: reply(total, rows, 'hourly') }]);
      const { data } = await eia.preview(demand, {}, ctx);
      await opened?.close();
      return data.map(({ date }) => date);
    };
    expect(await preview(rows.length)).toEqual(['2024-01-01', '2024-01-02', '2024-01-03']);
    // The page starts in the middle of 1 January.
    expect(await preview(rows.length + 100)).toEqual(['2024-01-02', '2024-01-03']);
  });

  it('previews whole days also for an id of the previous interface, whose frequency only the reply tells', async () => {
    const rows = hours.toReversed();
    const page = (length: string, found: readonly Record<string, unknown>[]): Exchange => ({
      path: '/seriesid/EBA.PJM-ALL.D.H',
      query: { ...newest, length },
      reply: reply(100, found, 'hourly'),
    });
    const { ctx } = await open([page('24', rows.slice(0, 2)), page('600', rows)]);
    const { data } = await eia.preview('EBA.PJM-ALL.D.H', {}, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2024-01-02', '2024-01-03']);
  });

  it('aggregates hours of an old id to days, and refuses hours in local time', async () => {
    const { ctx, upstream } = await open();
    const local = eia.series(demand.replace('hourly', 'local-hourly'), {}, ctx);
    await expect(local).rejects.toMatchObject({ code: 'upstream_refused_request' });
    upstream.answerAll({ reply: reply(1, [hour('2024-01-01T05', '1')], 'hourly') });
    expect((await eia.series('EBA.PJM-ALL.D.H', {}, ctx)).data).toEqual([{ date: '2024-01-01', value: '1' }]);
    upstream.answerAll({ reply: reply(1, [hour('2024-01-01T05-05', '1')], 'hourly') });
    await expect(eia.series('EBA.PJM-ALL.D.H', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it.each([
    'petroleum/pri/fut/hourly/value/series=RCLC1',
    'petroleum/pri/fut/daily/price/series=RCLC1',
    'petroleum/pri/fut/daily/value/nofacet=RCLC1',
    'petroleum/pri/fut/data/daily/value/series=RCLC1',
    'daily/value/series=RCLC1',
  ])('finds nothing under %s', async (id) => {
    const { ctx, upstream } = await open();
    await expect(eia.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstream.unmatched).toEqual([]);
  });

  it.each([
    [
      'facets it does not know',
      {
        status: 400,
        reply: {
          error: "Invalid facet 'state' provided. The only valid facets are 'stateid', and 'sectorid'.",
          code: 400,
        },
      },
      'invalid',
    ],
    ['a refusal inside HTTP 200', { reply: { error: 'Not found.', code: 404 } }, 'not_found'],
    [
      'a missing key',
      { status: 403, reply: { error: { code: 'API_KEY_MISSING', message: 'No api_key was supplied.' } } },
      'invalid',
    ],
    ['an error of its own', { status: 500, reply: { error: 'Internal', code: 500 } }, 'upstream'],
    [
      'another error of the gateway before it',
      { status: 400, reply: { error: { code: 'HTTPS_REQUIRED' } } },
      'upstream',
    ],
  ])('recognises %s', async (_name, answer, kind) => {
    const { ctx, upstream } = await open();
    upstream.answerAll(answer);
    await expect(eia.series(rclc1, {}, ctx)).rejects.toMatchObject({ kind });
  });

  it('lists routes, then facets and series', async () => {
    const { ctx } = await open();
    expect(await eia.browse?.([], ctx)).toEqual([
      { segment: 'electricity', label: 'Electricity' },
      { segment: 'petroleum', label: 'Petroleum' },
    ]);
    expect(await eia.browse?.(['electricity', 'retail-sales'], ctx)).toEqual([
      { segment: 'stateid=CO', label: 'Colorado', leaf: true },
      { segment: 'stateid=US', label: 'U.S. Total', leaf: true },
    ]);
    const colorado = ['electricity', 'retail-sales', 'stateid=CO'];
    expect(await eia.browse?.(colorado, ctx)).toEqual([]);
    const page = await eia.seriesAt?.(colorado, { limit: 2, offset: 5 }, ctx);
    expect(page).toEqual({
      items: [
        {
          id: 'electricity/retail-sales/annual/sales/stateid=CO/sectorid=RES',
          label: 'residential, Megawatthours Sold to Utility Customers, Annual',
          description: 'Electricity Sales to Ultimate Customers',
          frequency: 'Annual',
          units: 'million kilowatt hours',
          path: colorado,
        },
        {
          id: 'electricity/retail-sales/monthly/price/stateid=CO/sectorid=COM',
          label: 'commercial, Average Price of Electricity to Ultimate Customers, Monthly',
          description: 'Electricity Sales to Ultimate Customers',
          frequency: 'Monthly',
          units: 'cents per kilowatt-hour',
          path: colorado,
        },
      ],
      total: 12,
    });
  });

  it('lists the series of a route with series codes at once, each code once', async () => {
    const { ctx } = await open();
    const path = ['petroleum', 'pri', 'fut'];
    expect(await eia.browse?.(path, ctx)).toEqual([]);
    const page = await eia.seriesAt?.(path, { limit: 10, offset: 0 }, ctx);
    expect(page?.items.map(({ id }) => id)).toEqual([
      'petroleum/pri/fut/daily/value/series=RCLC1',
      'petroleum/pri/fut/annual/value/series=RCLC1',
      'petroleum/pri/fut/daily/value/series=RCLC2',
      'petroleum/pri/fut/annual/value/series=RCLC2',
    ]);
    expect(page?.total).toBe(4);
  });

  it('has no series above the last facet, and lists only hours in UTC', async () => {
    const { ctx } = await open();
    const at = (path: readonly string[]) => eia.seriesAt?.(path, { limit: 10, offset: 0 }, ctx);
    expect(await at([])).toEqual({ items: [], total: 0 });
    expect(await at(['electricity', 'retail-sales'])).toEqual({ items: [], total: 0 });
    const hourly = await at(['electricity', 'rto', 'region-data', 'respondent=PJM']);
    expect(hourly?.items.map(({ id }) => id)).toEqual([demand]);
    expect(hourly?.total).toBe(1);
  });

  it.each([
    [['electricity', 'retail-sales', 'stateid=XX']],
    [['electricity', 'retail-sales', 'sectorid=RES']],
    [['electricity', 'retail-sales', 'stateid=CO', 'sectorid=RES']],
    [['petroleum', 'pri', 'fut', 'data']],
    [['a/b']],
  ])('rejects the unknown folder %j', async (path) => {
    const { ctx } = await open();
    await expect(eia.browse?.(path, ctx)).rejects.toMatchObject({ code: 'path_not_found' });
  });

  it('indexes all routes', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const { id, kind, path } of eia.listAll?.(ctx) ?? []) items.push([id, kind, path]);
    expect(items).toEqual([
      ['electricity', 'folder', ['electricity']],
      ['petroleum', 'folder', ['petroleum']],
      ['petroleum/pri', 'folder', ['petroleum', 'pri']],
    ]);
  });

  it('does not return the request that a reply echoes', async () => {
    const echo = own('RCLC1').replaceAll('REDACTED', 'a-key-of-eia-0000');
    const { ctx } = await open([futures('RCLC1', oldest, echo)]);
    expect(JSON.stringify(await eia.series(rclc1, {}, ctx))).not.toContain('a-key-of-eia-0000');
    expect(eia.limits.keyed).toEqual({ perSecond: 5, perHour: 5_000 });
  });
});
