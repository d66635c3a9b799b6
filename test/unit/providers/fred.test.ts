import { afterEach, describe, expect, it } from 'vitest';
import { resolveParams } from '../../../src/gateway/params.js';
import { fred } from '../../../src/providers/fred/fred.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/fred/${name}`);

const json = { file_type: 'json' };
const bad = (error_message: string) => ({ status: 400, reply: { error_code: 400, error_message } });
const apiKey = '0123456789abcdef0123456789abcdef';

const observations = (
  query: Record<string, string>,
  reply: unknown = own('observations-GDP.json'),
): Exchange => ({
  path: '/series/observations',
  query: { series_id: 'GDP', units: 'lin', ...json, ...query },
  reply,
});
const everything = { limit: '100000', offset: '0' };

// Dates of a release follow the documentation and tests of other clients; series, tags, release, observations, categories, search, the CSV and the errors for keys and unknown series follow
// recorded replies. Not recorded: the error for an unknown category, refused options, a 429 of FRED.
const exchanges: Exchange[] = [
  { path: '/series', query: { series_id: 'GDP', ...json }, reply: own('series-GDP.json') },
  { path: '/series/tags', query: { series_id: 'GDP', ...json }, reply: own('series-tags-GDP.json') },
  { path: '/series/release', query: { series_id: 'GDP', ...json }, reply: own('series-release-GDP.json') },
  {
    path: '/release/dates',
    query: {
      release_id: '53',
      include_release_dates_with_no_data: 'true',
      sort_order: 'desc',
      limit: '1000',
      ...json,
    },
    reply: own('release-dates-53.json'),
  },
  observations({ sort_order: 'desc', limit: '24' }),
  observations(everything),
  observations({ ...everything, observation_start: '1947-04-01', observation_end: '1947-12-31' }),
  observations({ ...everything, units: 'pc1', frequency: 'a', aggregation_method: 'eop' }),
  {
    path: '/series',
    query: { series_id: 'NOPE', ...json },
    ...bad('Bad Request.  The series does not exist.'),
  },
  {
    path: '/category/children',
    query: { category_id: '0', ...json },
    reply: own('category-children-root.json'),
  },
  { path: '/category/children', query: { category_id: '125', ...json }, reply: { categories: [] } },
  {
    path: '/category/children',
    query: { category_id: '999', ...json },
    ...bad('Bad Request.  The category does not exist.'),
  },
  ...[
    { limit: '200', offset: '0' },
    { limit: '2', offset: '10' },
  ].map((page) => ({
    path: '/category/series',
    query: { category_id: '125', ...json, ...page },
    reply: own('category-series-125.json'),
  })),
  {
    path: '/series/search',
    query: { search_text: 'monetary service index', limit: '50', ...json },
    reply: own('series-search.json'),
  },
  {
    path: '/fredgraph.csv',
    base: 'public',
    query: { id: 'DCOILBRENTEU' },
    reply: own('fredgraph-DCOILBRENTEU.csv'),
  },
  {
    path: '/fredgraph.csv',
    base: 'public',
    query: { id: 'NOPE' },
    status: 404,
    reply: '<html><title>Error - St. Louis Fed</title></html>',
  },
];

describeConnector({
  provider: fred,
  exchanges,
  series: { id: 'GDP' },
  unknownSeries: 'NOPE',
  seriesPath: ['13-u-s-trade-international-transactions', '125-trade-balance'],
  unknownPath: ['999-nowhere'],
  query: 'monetary service index',
  keyRefused: bad(
    'Bad Request.  The value for variable api_key is not registered.  Read https://fred.stlouisfed.org/docs/api/api_key.html for more information.',
  ),
});

describe('fred', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (
    options: { readonly exchanges?: readonly Exchange[]; readonly apiKey?: string } = { apiKey },
  ) => {
    opened = await openConnector(fred, { exchanges, ...options });
    return opened;
  };

  it('keeps the digits and reads a dot as missing', async () => {
    const { ctx } = await open();
    const { label, data } = await fred.series('GDP', { units: 'lin', aggregation: 'avg' }, ctx);
    expect(label).toBe('Gross Domestic Product');
    expect(data).toEqual([
      { date: '1946-10-01', value: null },
      { date: '1947-01-01', value: '243.164' },
      { date: '1947-04-01', value: '245.968' },
      { date: '1947-07-01', value: '249.580' },
    ]);
  });

  it('returns the description, the source and the copyright', async () => {
    const { ctx } = await open();
    const { metadata } = await fred.series('GDP', { units: 'lin', aggregation: 'avg' }, ctx);
    expect(metadata).toEqual({
      frequency: 'Quarterly',
      units: 'Billions of Dollars',
      unit: 'Dollars',
      unitMultiplier: 1_000_000_000,
      seasonal_adjustment: 'Seasonally Adjusted Annual Rate',
      last_update: '2026-02-26T07:54:01-06:00',
      observation_start: '1947-01-01',
      observation_end: '2025-10-01',
      notes: 'BEA Account Code: A191RC\n\nThe featured measure of output.',
      source: 'Bureau of Economic Analysis',
      copyright: 'public domain: citation requested',
      release: 'Gross Domestic Product',
      last_release: '2026-02-26',
      next_release: '2026-03-26',
    });
  });

  it('returns the values as of a past day', async () => {
    const asOf = '2014-05-01';
    const past: Exchange = {
      path: '/series/observations',
      query: {
        series_id: 'GDP',
        file_type: 'json',
        units: 'lin',
        realtime_start: asOf,
        realtime_end: asOf,
        limit: '100000',
        offset: '0',
      },
      reply: { count: 1, observations: [{ date: '1947-01-01', value: '237.2' }] },
    };
    const { ctx } = await open({ exchanges: [past, ...exchanges], apiKey });
    const { data, metadata } = await fred.series('GDP', { units: 'lin', aggregation: 'avg', asOf }, ctx);
    expect(data).toEqual([{ date: '1947-01-01', value: '237.2' }]);
    expect(metadata.as_of).toBe(asOf);
    expect(() => resolveParams(fred, { asOf: '2014' })).toThrow(/asOf/);
  });

  it('reports that nothing was published by a given day', async () => {
    const none: Exchange = {
      path: '/series/observations',
      query: {
        series_id: 'GDP',
        file_type: 'json',
        units: 'lin',
        realtime_start: '1980-01-01',
        realtime_end: '1980-01-01',
        limit: '100000',
        offset: '0',
      },
      reply: { count: 0, observations: [] },
    };
    const { ctx } = await open({ exchanges: [none, ...exchanges], apiKey });
    await expect(fred.series('GDP', { units: 'lin', asOf: '1980-01-01' }, ctx)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('by 1980-01-01'),
    });
  });

  const withoutThem = (paths: readonly string[], answer: Pick<Exchange, 'status' | 'reply'>) =>
    exchanges.map((one) => (paths.includes(one.path) ? { ...one, ...answer } : one));
  const lenient = (ctx: OpenedConnector['ctx'], skipped: string[]): OpenedConnector['ctx'] => ({
    ...ctx,
    skipPart: (part) => skipped.push(part) > 0,
  });
  const values = ['243.164', '245.968', '249.580'];

  it.each([
    ['its tags', ['/series/tags'], { status: 500, reply: 'x' }, ['tags'], ['release', 'next_release']],
    ['its release', ['/series/release'], bad('Bad Request.  No release.'), ['release'], ['source']],
    ['the dates', ['/release/dates'], { status: 500, reply: 'x' }, ['release dates'], ['source', 'release']],
    ['a release', ['/series/release'], { reply: { releases: [] } }, [], ['source']],
    [
      'all but the values',
      ['/series/tags', '/series/release', '/release/dates'],
      { status: 404, reply: {} },
      ['tags', 'release'],
      [],
    ],
  ] satisfies [string, string[], Pick<Exchange, 'status' | 'reply'>, string[], string[]][])(
    'gives a series that lacks %s',
    async (_name, paths, answer, expected, kept) => {
      const { ctx } = await open({ apiKey, exchanges: withoutThem(paths, answer) });
      const skipped: string[] = [];
      const { data, metadata } = await fred.series('GDP', { units: 'lin' }, lenient(ctx, skipped));
      expect(data.slice(1).map(({ value }) => value)).toEqual(values);
      expect(skipped).toEqual(expected);
      const optional = ['source', 'release', 'next_release'].filter((name) => name in metadata);
      expect(optional).toEqual(expect.arrayContaining(kept));
      expect(metadata.units).toBe('Billions of Dollars');
    },
  );

  const notInAlfred = bad('Bad Request.  The series does not exist in ALFRED but may exist in FRED.');

  it('says that nothing was published before the first vintage', async () => {
    const asOf = '1980-01-01';
    const past = {
      ...observations({ ...everything, realtime_start: asOf, realtime_end: asOf }),
      ...notInAlfred,
    };
    const { ctx } = await open({ apiKey, exchanges: [past, ...exchanges] });
    await expect(fred.series('GDP', { units: 'lin', asOf }, ctx)).rejects.toMatchObject({
      kind: 'not_found',
      message: "Nothing of 'GDP' of FRED was published by 1980-01-01.",
    });
  });

  it('has no values in a window before the first vintage, and no days of a series without vintages', async () => {
    const window = { realtime_start: '1980-01-01', realtime_end: '1980-02-01', output_type: '1' };
    const days = { path: '/series/vintagedates', query: { series_id: 'GDP', limit: '10000', offset: '0' } };
    const { ctx } = await open({
      apiKey,
      exchanges: [
        { ...observations({ ...everything, ...window }), ...notInAlfred },
        { ...days, query: { ...days.query, ...json }, ...notInAlfred },
      ],
    });
    expect(await vintagesOf().values('GDP', { units: 'lin' }, ['1980-01-01', '1980-02-01'], ctx)).toEqual([]);
    await expect(vintagesOf().days('GDP', ctx)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'no_vintages',
    });
  });

  it('does not take a refused access for a refused key', async () => {
    const { ctx, upstream } = await open({ apiKey });
    upstream.answerAll({ status: 403, reply: '<HTML><TITLE>Access Denied</TITLE></HTML>' });
    await expect(fred.series('GDP', {}, ctx)).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('reads the last change of a series with one request', async () => {
    const { ctx, upstream } = await open();
    expect(await fred.lastUpdate?.('GDP', {}, ctx)).toBe('2026-02-26 07:54:01-06');
    expect(upstream.calls).toHaveLength(1);
  });

  it('has the units and the frequency after a transformation', async () => {
    const { ctx, upstream } = await open();
    const params = { units: 'pc1', frequency: 'a', aggregation: 'eop' };
    const { metadata } = await fred.series('GDP', params, ctx);
    expect(metadata).toMatchObject({
      units: 'Percent change from year ago',
      frequency: 'Annual',
      original_frequency: 'Quarterly',
      aggregation: 'End of period',
    });
    expect(upstream.unmatched).toEqual([]);
  });

  it('keeps the unit of a change and of a logarithm', async () => {
    const reply = own('observations-GDP.json');
    const changed = ['chg', 'log'].map((units) => observations({ ...everything, units }, reply));
    const { ctx } = await open({ apiKey, exchanges: [...exchanges, ...changed] });
    const unitOf = async (units: string) => (await fred.series('GDP', { units }, ctx)).metadata;
    expect(await unitOf('chg')).toMatchObject({
      units: 'Change, Billions of Dollars',
      unit: 'Change, Dollars',
      unitMultiplier: 1e9,
    });
    expect(await unitOf('log')).toMatchObject({
      unit: 'Natural logarithm, Billions of Dollars',
      unitMultiplier: 1,
    });
  });

  it('widens the bounds to whole days', async () => {
    const { ctx, upstream } = await open();
    await fred.series('GDP', { units: 'lin', aggregation: 'avg', start: '1947-04', end: '1947' }, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it('reads pages until it has the announced number of rows', async () => {
    const page = (offset: string, dates: readonly string[]) =>
      observations(
        { limit: '100000', offset },
        {
          count: 5,
          offset: Number(offset),
          limit: 2,
          observations: dates.map((date) => ({ date, value: '1' })),
        },
      );
    const pages = [
      page('0', ['2020-01-01', '2020-02-01']),
      page('2', ['2020-03-01', '2020-04-01']),
      page('4', ['2020-05-01']),
    ];
    const { ctx, upstream } = await open({ apiKey, exchanges: [...pages, ...exchanges] });
    const { data } = await fred.series('GDP', { units: 'lin' }, ctx);
    expect(data.map(({ date }) => date)).toEqual([
      '2020-01-01',
      '2020-02-01',
      '2020-03-01',
      '2020-04-01',
      '2020-05-01',
    ]);
    expect(upstream.unmatched).toEqual([]);
  });

  const vintagesOf = (): NonNullable<typeof fred.vintages> => {
    if (fred.vintages === undefined) throw new Error('no vintages');
    return fred.vintages;
  };

  it('reads the dates of all vintages over several pages', async () => {
    const page = (offset: string, vintage_dates: readonly string[]): Exchange => ({
      path: '/series/vintagedates',
      query: { series_id: 'GDP', ...json, limit: '10000', offset },
      reply: { order_by: 'vintage_date', count: 3, offset: Number(offset), limit: 10000, vintage_dates },
    });
    const pages = [page('0', ['1991-12-04', '1991-12-20']), page('2', ['1992-01-29'])];
    const { ctx } = await open({ apiKey, exchanges: pages });
    expect(await vintagesOf().days('GDP', ctx)).toEqual(['1991-12-04', '1991-12-20', '1992-01-29']);
    await expect(vintagesOf().days('../GDP', ctx)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('reads the values of a window of vintages, with the days on which each was valid', async () => {
    const window = { realtime_start: '2014-04-30', realtime_end: '2014-06-25' };
    const reply = {
      ...window,
      count: 3,
      offset: 0,
      limit: 100000,
      observations: [
        { realtime_start: '2014-04-30', realtime_end: '2014-05-28', date: '2014-01-01', value: '17149.6' },
        { realtime_start: '2014-05-29', realtime_end: '2014-06-24', date: '2014-01-01', value: '17101.30' },
        { realtime_start: '2014-06-25', realtime_end: '2014-06-25', date: '2014-01-01', value: '.' },
      ],
    };
    const exchange = observations({ ...everything, ...window, output_type: '1' }, reply);
    const { ctx, upstream } = await open({ apiKey, exchanges: [exchange] });
    const days = ['2014-04-30', '2014-05-29', '2014-06-25'];
    expect(await vintagesOf().values('GDP', { units: 'lin', aggregation: 'avg' }, days, ctx)).toEqual([
      { date: '2014-01-01', value: '17149.6', from: '2014-04-30', until: '2014-05-28' },
      { date: '2014-01-01', value: '17101.30', from: '2014-05-29', until: '2014-06-24' },
      { date: '2014-01-01', value: null, from: '2014-06-25', until: '2014-06-25' },
    ]);
    expect(upstream.unmatched).toEqual([]);
  });

  it('reads the vintages of a real-time period as a panel, in one request for their values', async () => {
    const days: Exchange = {
      path: '/series/vintagedates',
      query: { series_id: 'GDP', ...json, limit: '10000', offset: '0' },
      reply: { count: 3, vintage_dates: ['2014-04-30', '2014-05-29', '2014-07-30'] },
    };
    const window = { realtime_start: '2014-05-01', realtime_end: '2014-05-29' };
    const rows = [
      { realtime_start: '2014-05-01', realtime_end: '2014-05-28', date: '2014-01-01', value: '17149.6' },
      { realtime_start: '2014-05-29', realtime_end: '2014-05-29', date: '2014-01-01', value: '17101.30' },
    ];
    const reply = { count: 2, observations: rows };
    const exchange = observations({ ...everything, ...window, output_type: '1' }, reply);
    const { ctx, upstream } = await open({ apiKey, exchanges: [days, exchange, ...exchanges] });
    const period = {
      units: 'lin',
      aggregation: 'avg',
      realtimeStart: '2014-05-01',
      realtimeEnd: '2014-06-30',
    };
    expect(await fred.panel?.('GDP', period, ctx)).toMatchObject({
      label: 'Gross Domestic Product',
      dimensions: [{ id: 'vintage' }],
      series: [
        { codes: ['2014-05-01'], data: [{ date: '2014-01-01', value: '17149.6' }] },
        { codes: ['2014-05-29'], data: [{ date: '2014-01-01', value: '17101.30' }] },
      ],
    });
    expect(upstream.unmatched).toEqual([]);
    await expect(
      fred.panel?.('GDP', { ...period, realtimeStart: '1990-01-01', realtimeEnd: '1990-02-01' }, ctx),
    ).rejects.toMatchObject({ kind: 'not_found', message: expect.stringContaining('1990-02-01') });
  });

  it('treats a real-time period of one day as asOf, and refuses a longer one for a single series', async () => {
    const past = observations(
      { ...everything, realtime_start: '2014-05-01', realtime_end: '2014-05-01' },
      { count: 1, observations: [{ date: '1947-01-01', value: '237.2' }] },
    );
    const { ctx } = await open({ apiKey, exchanges: [past, ...exchanges] });
    const ask = (params: Record<string, string>) => fred.series('GDP', { units: 'lin', ...params }, ctx);
    const day = { realtimeStart: '2014-05-01', realtimeEnd: '2014-05-01' };
    expect(await ask(day)).toMatchObject({ metadata: { as_of: '2014-05-01' }, data: [{ value: '237.2' }] });
    expect((await ask({ realtimeEnd: '2014-05-01' })).data).toHaveLength(1);
    await expect(ask({ ...day, realtimeEnd: '2014-05-02' })).rejects.toMatchObject({
      code: 'ambiguous_series',
    });
    await expect(ask({ ...day, realtimeEnd: '2014-04-02' })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    await expect(ask({ ...day, asOf: '2014-05-01' })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('rejects a vintage without any observation, unless bounds were given', async () => {
    const window = { realtime_start: '2014-04-30', realtime_end: '2014-04-30', output_type: '1' };
    const reply = { count: 0, offset: 0, limit: 100000, observations: [] };
    const { ctx } = await open({
      apiKey,
      exchanges: [
        observations({ ...everything, ...window }, reply),
        observations({ ...everything, ...window, observation_start: '2014-01-01' }, reply),
      ],
    });
    const ask = (params: Record<string, string>) =>
      vintagesOf().values('GDP', { units: 'lin', ...params }, ['2014-04-30'], ctx);
    await expect(ask({})).rejects.toMatchObject({ code: 'unexpected_reply' });
    expect(await ask({ start: '2014' })).toEqual([]);
  });

  it.each([
    ['fewer rows than announced', { count: 5, offset: 0, limit: 100000, observations: [] }],
    ['no rows of a whole series', { count: 0, offset: 0, limit: 100000, observations: [] }],
  ])('rejects %s', async (_name, reply) => {
    const { ctx } = await open({ apiKey, exchanges: [observations(everything, reply), ...exchanges] });
    await expect(fred.series('GDP', { units: 'lin' }, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it('returns no rows for an empty range', async () => {
    const reply = { count: 0, offset: 0, limit: 100000, observations: [] };
    const range = { observation_start: '1900-01-01', observation_end: '1900-12-31' };
    const { ctx } = await open({
      apiKey,
      exchanges: [observations({ ...everything, ...range }, reply), ...exchanges],
    });
    const { data } = await fred.series('GDP', { units: 'lin', start: '1900', end: '1900' }, ctx);
    expect(data).toEqual([]);
  });

  it('passes on the reason of refused options', async () => {
    const refused: Exchange = {
      ...observations({ ...everything, frequency: 'd', aggregation_method: 'avg' }),
      ...bad('Bad Request.  Value of frequency is not one of: q, sa, a.'),
    };
    const { ctx } = await open({ apiKey, exchanges: [refused, ...exchanges] });
    await expect(
      fred.series('GDP', { units: 'lin', frequency: 'd', aggregation: 'avg' }, ctx),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message: 'FRED refused the request: Value of frequency is not one of: q, sa, a.',
    });
  });

  it('sends one request for an unknown series, and none for an invalid id', async () => {
    const { ctx, upstream } = await open();
    await expect(fred.series('NOPE', { units: 'lin' }, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstream.calls).toHaveLength(1);
    for (const id of ['^GSPC', 'BRK.B', 'EURUSD=X', 'DGS10,DGS2', 'A'.repeat(26)]) {
      await expect(fred.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(upstream.calls).toHaveLength(1);
  });

  it('makes readable path segments from categories', async () => {
    const { ctx } = await open();
    expect(await fred.browse?.([], ctx)).toEqual([
      { segment: '32991-money-banking-finance', label: 'Money, Banking, & Finance' },
      { segment: '32992-national-accounts', label: 'National Accounts' },
      { segment: '32455-prices', label: 'Prices' },
    ]);
    expect(await fred.browse?.(['13-x', '125-trade-balance'], ctx)).toEqual([]);
  });

  it('sends no request for an invalid category', async () => {
    const { ctx, upstream } = await open();
    await expect(fred.browse?.(['nowhere'], ctx)).rejects.toMatchObject({ code: 'path_not_found' });
    expect(upstream.calls).toEqual([]);
  });

  it('pages the series of a category and has none at the root', async () => {
    const { ctx } = await open();
    const page = await fred.seriesAt?.(['125-trade-balance'], { limit: 2, offset: 10 }, ctx);
    expect(page?.total).toBe(47);
    expect(page?.items).toEqual([
      {
        id: 'BOPBCA',
        label: 'Balance on Current Account (DISCONTINUED)',
        frequency: 'Quarterly',
        units: 'Billions of Dollars',
        path: ['125-trade-balance'],
      },
      {
        id: 'BOPBCAA',
        label: 'Balance on Current Account (DISCONTINUED)',
        frequency: 'Annual',
        units: 'Billions of Dollars',
        description: 'The balance of the year.',
        path: ['125-trade-balance'],
      },
    ]);
    expect(await fred.seriesAt?.([], { limit: 2, offset: 0 }, ctx)).toEqual({ items: [], total: 0 });
  });

  it('previews without a key from the public download', async () => {
    const { ctx, upstream } = await open({});
    const { label, metadata, data } = await fred.preview('DCOILBRENTEU', {}, ctx);
    expect({ label, metadata }).toEqual({ label: 'Crude Oil Prices: Brent - Europe', metadata: {} });
    expect(data).toEqual([
      { date: '2026-08-27', value: '91.20' },
      { date: '2026-08-28', value: '90.75' },
      { date: '2026-08-31', value: null },
      { date: '2026-09-01', value: '92.10' },
    ]);
    expect(upstream.calls.map(({ url }) => url)).toEqual(['/~public/fredgraph.csv?id=DCOILBRENTEU']);
  });

  it('does not preview an answer without observations, as FRED gives beyond its limit', async () => {
    const { ctx, upstream } = await open({ apiKey });
    upstream.answerAll({ reply: { count: 318, offset: 0, limit: 24, observations: [] } });
    await expect(fred.preview('GDP', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('reports an unknown series as not found also without a key', async () => {
    const { ctx } = await open({});
    await expect(fred.preview('NOPE', {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
  });

  it.each([
    '<!DOCTYPE html><html></html>',
    'observation_date,OTHER\n2026-01-01,1\n',
    'observation_date,GDP\nsoon,1\n',
  ])('rejects a download of something else: %j', async (reply) => {
    const { ctx, upstream } = await open({});
    upstream.answerAll({ reply });
    await expect(fred.preview('GDP', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('is limited to two requests per second', () => {
    expect(fred.limits.keyed).toEqual({ perSecond: 2, perMinute: 120 });
  });
});
