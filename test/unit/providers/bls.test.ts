import { afterEach, describe, expect, it } from 'vitest';
import { bls } from '../../../src/providers/bls/bls.js';
import { listedSurveys } from '../../../src/providers/bls/titles.js';
import type { Params } from '../../../src/providers/parameter.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/bls/${name}.json`);

type Row = readonly [year: string, period: string, value: string];

const reply = (id: string, rows: readonly Row[], message: readonly string[] = []) => ({
  status: 'REQUEST_SUCCEEDED',
  responseTime: 100,
  message,
  Results: {
    series: [
      {
        seriesID: id,
        data: rows.map(([year, period, value]) => ({
          year,
          period,
          periodName: 'x',
          value,
          footnotes: [{}],
        })),
      },
    ],
  },
});

const ask = (id: string, startyear: string, endyear: string, answer: unknown, catalog = false): Exchange => ({
  path: '/timeseries/data/',
  body: { seriesid: [id], startyear, endyear, ...(catalog ? { catalog } : {}) },
  reply: answer,
});

/** A list of series as the flat files have it: cells padded with blanks, lines ended by CR and LF. */
const listOf = (rows: readonly (readonly [id: string, title: string])[]): string =>
  [
    ['series_id        ', 'seasonal', 'series_title', 'begin_year'],
    ...rows.map(([id, title]) => [`${id}   `, 'S', ` ${title} `, '1939']),
  ]
    .map((cells) => `${cells.join('\t')}\r\n`)
    .join('');
const titlesOf: Partial<Record<(typeof listedSurveys)[number], string>> = {
  CE: listOf([['CES0000000001', 'All employees, thousands, total nonfarm, seasonally adjusted']]),
  LN: listOf([
    ['LNS14000000', '(Seas) Unemployment Rate'],
    ['LNS13327709', '(seas) Total unemployed, plus all marginally attached workers'],
    ['LNS13327709', 'twice'],
    ['LNU00000000', ''],
  ]),
};

const failed = (status: string, message: string) => ({
  reply: { status, responseTime: 0, message: [message], Results: {} },
});

// Data, the catalogue, the unknown series, the daily threshold and the invalid year follow recorded replies;
// surveys follow the documentation, popular series and the invalid key the form that others quote. Not
// recorded: the full list of surveys, a survey without popular series other than as `[null]` in other programs.
const exchanges: Exchange[] = [
  { path: '/surveys', reply: own('surveys') },
  { path: '/timeseries/popular', query: { survey: 'LN' }, reply: own('popular') },
  {
    path: '/timeseries/popular',
    query: { survey: 'BD' },
    reply: { status: 'REQUEST_SUCCEEDED', responseTime: 1, message: [], Results: { series: [null] } },
  },
  { path: '/timeseries/popular', reply: own('popular') },
  ...listedSurveys.map((survey): Exchange => {
    const name = survey.toLowerCase();
    return { path: `/${name}/${name}.series`, base: 'files', reply: titlesOf[survey] ?? listOf([]) };
  }),
  ask('LNS14000000', '2007', '2026', own('LNS14000000-catalog'), true),
  ask('LNS14000000', '1987', '2006', reply('LNS14000000', []), true),
  ask('LNS99999999', '2007', '2026', own('error-unknown-series'), true),
  {
    path: '/timeseries/data/',
    body: { seriesid: ['LNS12000000', 'LNS13327709'], startyear: '2026', endyear: '2026', catalog: true },
    reply: own('titles'),
  },
  {
    path: '/timeseries/data/',
    body: { seriesid: ['LNS12000000'], startyear: '2026', endyear: '2026', catalog: true },
    reply: own('titles'),
  },
];

describeConnector({
  provider: bls,
  exchanges,
  series: { id: 'LNS14000000' },
  unknownSeries: 'LNS99999999',
  seriesPath: ['LN'],
  unknownPath: ['ZZ'],
  keyRefused: failed(
    'REQUEST_NOT_PROCESSED',
    'The key:cafe0000-canary-key-0000-0000feedbeef provided by the User is invalid. Please provide a proper key for the operation to be successful',
  ),
  limitReached: failed(
    'REQUEST_NOT_PROCESSED',
    'Request could not be serviced, as the daily threshold for total number of requests allocated to the user with registration key cafe0000-canary-key-0000-0000feedbeef has been reached.',
  ),
});

describe('bls', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = [], apiKey?: string) => {
    opened = await openConnector(bls, {
      exchanges: [...more, ...exchanges],
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    return opened;
  };
  const requestedYears = ({ upstream }: OpenedConnector): string[] =>
    upstream.calls.map(({ body }) => {
      const { startyear, endyear } = JSON.parse(body) as Record<string, string>;
      return `${startyear}-${endyear}`;
    });

  it('keeps the digits, skips the average of the year and reads a dash as missing', async () => {
    const { ctx } = await open([], 'my-own-key');
    const { label, metadata, data } = await bls.series('LNS14000000', {}, ctx);
    expect(label).toBe('(Seas) Unemployment Rate');
    expect(data).toEqual([
      { date: '2026-02-01', value: '4.40', flag: 'P' },
      { date: '2026-01-01', value: '4.3' },
      { date: '2025-12-01', value: '4.4' },
      { date: '2025-10-01', value: null, flag: '9' },
    ]);
    expect(metadata).toEqual({
      flags: { 9: 'Data unavailable due to the 2025 lapse in appropriations.', P: 'Preliminary.' },
      frequency: 'Monthly',
      units: 'Percent or rate',
      unit: 'Percent',
      unitMultiplier: 1,
      seasonal_adjustment: 'Seasonally Adjusted',
      survey: 'Labor Force Statistics from the Current Population Survey',
      source: 'U.S. Bureau of Labor Statistics',
      upstream_requests: 2,
      notes: 'P: Preliminary. 9: Data unavailable due to the 2025 lapse in appropriations.',
    });
  });

  it('requests ten years at a time without a key, until a span is empty', async () => {
    const id = 'WPS00000000';
    const connector = await open([
      ask(id, '2017', '2026', reply(id, [['2020', 'M01', '3']])),
      ask(id, '2007', '2016', reply(id, [['2010', 'M01', '2']])),
      ask(id, '1997', '2006', reply(id, [], [`No Data Available for Series ${id} Year: 1997`])),
    ]);
    const { data } = await bls.series(id, {}, connector.ctx);
    expect(data.map(({ value }) => value)).toEqual(['3', '2']);
    expect(requestedYears(connector)).toEqual(['2017-2026', '2007-2016', '1997-2006']);
  });

  it('finds a series that ended long ago', async () => {
    const id = 'WPS00000000';
    const connector = await open(
      [
        ask(id, '2007', '2026', reply(id, []), true),
        ask(id, '1987', '2006', reply(id, [['1990', 'M01', '2']]), true),
        ask(id, '1967', '1986', reply(id, []), true),
      ],
      'my-own-key',
    );
    expect((await bls.series(id, {}, connector.ctx)).data).toEqual([{ date: '1990-01-01', value: '2' }]);
    expect(requestedYears(connector)).toEqual(['2007-2026', '1987-2006', '1967-1986']);
  });

  it('previews a series that ended long ago', async () => {
    const id = 'WPS00000000';
    const connector = await open([
      ask(id, '2017', '2026', reply(id, [])),
      ask(id, '2007', '2016', reply(id, [['2010', 'M01', '2']])),
    ]);
    expect((await bls.preview(id, {}, connector.ctx)).data).toEqual([{ date: '2010-01-01', value: '2' }]);
    expect(requestedYears(connector)).toEqual(['2017-2026', '2007-2016']);
  });

  const reduced = (years: string) => [`Year range has been reduced to the system-allowed limit of ${years}.`];

  it('reads fewer years at a time if the service leaves out the others', async () => {
    const id = 'WPS00000000';
    const connector = await open(
      [
        ask(id, '2007', '2026', reply(id, [['2010', 'M01', '2']], reduced('10 years')), true),
        ask(id, '2017', '2026', reply(id, [['2020', 'M01', '3']]), true),
        ask(id, '2007', '2016', reply(id, [['2010', 'M01', '2']]), true),
        ask(id, '1997', '2006', reply(id, []), true),
      ],
      'my-own-key',
    );
    const { data } = await bls.series(id, {}, connector.ctx);
    expect(data.map(({ value }) => value)).toEqual(['3', '2']);
    expect(requestedYears(connector)).toEqual(['2007-2026', '2017-2026', '2007-2016', '1997-2006']);
  });

  it.each(['10 years', '0 years', 'some time'])(
    'refuses years that are left out by a limit of %s',
    async (limit) => {
      const id = 'WPS00000000';
      const { ctx } = await open([ask(id, '2017', '2026', reply(id, [], reduced(limit)))]);
      await expect(bls.series(id, {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
    },
  );

  it('reads a panel until each of its series has rows', async () => {
    const [one, ended] = ['WPS00000001', 'WPS00000002'];
    const span = (startyear: string, endyear: string, rows: readonly Row[], of = one): Exchange => ({
      path: '/timeseries/data/',
      body: { seriesid: [one, ended], startyear, endyear },
      reply: several({ [one]: of === one ? rows : [], [ended]: of === ended ? rows : [] }),
    });
    const connector = await open([
      span('2017', '2026', [['2020', 'M01', '1']]),
      span('2007', '2016', []),
      span('1997', '2006', [['2000', 'M01', '2']], ended),
      span('1987', '1996', []),
    ]);
    const found = await bls.panel?.(`${one}+${ended}`, {}, connector.ctx);
    expect(found?.series.map(({ data }) => data.length)).toEqual([1, 1]);
    expect(requestedYears(connector).at(-1)).toBe('1987-1996');
  });

  const several = (rows: Readonly<Record<string, readonly Row[]>>) => {
    const series = Object.entries(rows).flatMap(([id, own]) => reply(id, own).Results.series);
    // In another order than requested.
    return { ...reply('', []), Results: { series: series.toReversed() } };
  };

  it('reads several series in one request, each to the end of its data', async () => {
    const [one, two] = ['WPS00000001', 'WPS00000002'];
    const body = { seriesid: [one, two], startyear: '2017', endyear: '2026' };
    const connector = await open([
      {
        path: '/timeseries/data/',
        body,
        reply: several({ [one]: [['2020', 'M02', '1.50']], [two]: [['2019', 'M01', '7']] }),
      },
      {
        path: '/timeseries/data/',
        body: { ...body, startyear: '2015', endyear: '2016' },
        reply: several({ [one]: [['2016', 'M12', '0.9']], [two]: [] }),
      },
    ]);
    const found = await bls.panel?.(`${one}+${two}`, { start: '2015' }, connector.ctx);
    expect(found?.series).toEqual([
      {
        codes: [one],
        labels: [one],
        data: [
          { date: '2020-02-01', value: '1.50' },
          { date: '2016-12-01', value: '0.9' },
        ],
      },
      { codes: [two], labels: [two], data: [{ date: '2019-01-01', value: '7' }] },
    ]);
    expect(found?.dimensions).toEqual([{ id: 'series', label: 'Series' }]);
    expect(found?.metadata.upstream_requests).toBe(2);
  });

  const unknownOnes = (ids: readonly string[]) => ids.map((id) => `Series does not exist for Series ${id}`);

  it('returns the series of a panel that exist, and names the others', async () => {
    const [one, unknown, two] = ['WPS00000001', 'WPS00000009', 'WPS00000002'];
    const body = { seriesid: [one, unknown, two], startyear: '2026', endyear: '2026' };
    const rows: Row[] = [['2026', 'M01', '1']];
    const response = {
      ...several({ [one]: rows, [unknown]: [], [two]: rows }),
      message: unknownOnes([unknown]),
    };
    const { ctx } = await open([{ path: '/timeseries/data/', body, reply: response }]);
    const found = await bls.panel?.(`${one}+${unknown}+${two}`, { start: '2026' }, ctx);
    expect(found?.series.map(({ codes }) => codes[0])).toEqual([one, two]);
    expect(found?.missing).toEqual([unknown]);
  });

  it('reports a panel without any known series as not found', async () => {
    const ids = ['WPS00000008', 'WPS00000009'];
    const body = { seriesid: ids, startyear: '2026', endyear: '2026' };
    const empty = several({ WPS00000008: [], WPS00000009: [] });
    const response = { ...empty, message: unknownOnes(ids) };
    const { ctx, upstream } = await open([{ path: '/timeseries/data/', body, reply: response }]);
    await expect(bls.panel?.(ids.join('+'), { start: '2026' }, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
      details: { missing: ids },
    });
    expect(upstream.calls).toHaveLength(1);
  });

  it('names an unknown series of a panel that is alone in its request', async () => {
    const ids = Array.from({ length: 26 }, (_, place) => `WPS000001${String(place).padStart(2, '0')}`);
    const part = (seriesid: readonly string[], more: object = {}): Exchange => ({
      path: '/timeseries/data/',
      body: { seriesid, startyear: '2026', endyear: '2026' },
      reply: { ...several(Object.fromEntries(seriesid.map((id) => [id, []]))), ...more },
    });
    const { ctx } = await open([
      part(ids.slice(0, 25)),
      part(ids.slice(25), { message: unknownOnes(ids.slice(25)) }),
    ]);
    const found = await bls.panel?.(ids.join('+'), { start: '2026' }, ctx);
    expect([found?.series.length, found?.missing]).toEqual([25, ['WPS00000125']]);
  });

  it.each([
    ['25 series at a time without a key', undefined, [25, 5]],
    ['50 series at a time with a key', 'my-own-key', [30]],
  ])('requests %s', async (_name, apiKey, lengths) => {
    const ids = Array.from({ length: 30 }, (_, place) => `WPS000001${String(place).padStart(2, '0')}`);
    const connector = await openConnector(bls, {
      exchanges: [],
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    opened = connector;
    const all = several(Object.fromEntries(ids.map((id) => [id, [['2026', 'M01', '1']]])));
    connector.upstream.answerAll({ reply: all });
    const found = await bls.panel?.(ids.join('+'), { start: '2026' }, connector.ctx);
    expect(found?.series.map(({ codes }) => codes[0])).toEqual(ids);
    expect(connector.upstream.calls.map(({ body }) => JSON.parse(String(body)).seriesid.length)).toEqual(
      lengths,
    );
  });

  it('refuses a panel of more than 100 series, and one with an id of another form', async () => {
    const { ctx, upstream } = await open();
    const many = Array.from({ length: 101 }, (_, place) => `WPS${1000 + place}`).join('+');
    await expect(bls.panel?.(many, {}, ctx)).rejects.toMatchObject({ code: 'panel_too_large' });
    await expect(bls.panel?.('WPS00000001+x', {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    expect(upstream.calls).toEqual([]);
  });

  it('requests only the years of the range, and filters by day', async () => {
    const id = 'WPS00000000';
    const rows: Row[] = [
      ['2020', 'M04', '4'],
      ['2020', 'M03', '3'],
      ['2018', 'M02', '2'],
      ['2018', 'M01', '1'],
    ];
    const connector = await open([ask(id, '2018', '2020', reply(id, rows))]);
    const { data } = await bls.series(id, { start: '2018-02', end: '2020-03' }, connector.ctx);
    expect(data.map(({ date }) => date)).toEqual(['2020-03-01', '2018-02-01']);
    expect(requestedYears(connector)).toEqual(['2018-2020']);
  });

  it('does not request future years', async () => {
    const id = 'WPS00000000';
    const connector = await open([ask(id, '2026', '2026', reply(id, [['2026', 'M01', '1']]))]);
    expect((await bls.series(id, { start: '2027', end: '2030' }, connector.ctx)).data).toEqual([]);
    expect(requestedYears(connector)).toEqual(['2026-2026']);
  });

  it('does not request years before the first survey', async () => {
    const id = 'WPS00000000';
    const connector = await open();
    connector.upstream.answerAll({ reply: reply(id, []) });
    expect((await bls.series(id, {}, connector.ctx)).data).toEqual([]);
    expect(requestedYears(connector).at(-1)).toBe('1913-1916');
    expect(requestedYears(connector)).toHaveLength(12);
  });

  it.each([
    [
      'quarters',
      'Quarterly',
      [
        ['2020', 'Q05', '9'],
        ['2020', 'Q04', '4'],
        ['2020', 'Q01', '1'],
      ],
      ['2020-10-01', '2020-01-01'],
    ],
    [
      'half-years',
      'Semiannual',
      [
        ['2020', 'S03', '9'],
        ['2020', 'S02', '2'],
        ['2020', 'S01', '1'],
      ],
      ['2020-07-01', '2020-01-01'],
    ],
    [
      'years',
      'Annual',
      [
        ['2020', 'A01', '1'],
        ['2019', 'A01', '1'],
      ],
      ['2020-01-01', '2019-01-01'],
    ],
    [
      'months with half-years between them',
      'Monthly',
      [
        ['2020', 'S01', '9'],
        ['2020', 'M02', '2'],
        ['2020', 'M01', '1'],
      ],
      ['2020-02-01', '2020-01-01'],
    ],
    [
      'half-years that became months',
      'Monthly, Semiannual',
      [
        ['2020', 'M13', '9'],
        ['2020', 'S02', '9'],
        ['2020', 'M11', '3'],
        ['2020', 'M01', '2'],
        ['2020', 'S01', '9'],
        ['2019', 'S02', '1'],
        ['2019', 'S01', '1'],
      ],
      ['2020-11-01', '2020-01-01', '2019-07-01', '2019-01-01'],
    ],
  ] satisfies [string, string, Row[], string[]][])('reads %s', async (_name, frequency, rows, dates) => {
    const id = 'XX00000000';
    const { ctx } = await open([ask(id, '2019', '2020', reply(id, rows))]);
    const { data, metadata } = await bls.series(id, { start: '2019', end: '2020' }, ctx);
    expect(metadata.frequency).toBe(frequency);
    expect(data.map(({ date }) => date)).toEqual(dates);
  });

  it.each([
    ['2020', 'M14', '1'],
    ['2020', 'X01', '1'],
    ['20', 'M01', '1'],
  ] satisfies Row[])('refuses a row of %s %s %j', async (...row) => {
    const id = 'XX00000000';
    const { ctx } = await open([ask(id, '2020', '2020', reply(id, [row]))]);
    await expect(bls.series(id, { start: '2020', end: '2020' }, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });

  it.each([
    ['bad years', failed('REQUEST_FAILED_INVALID_PARAMETERS', 'End year is invalid.'), 'invalid'],
    ['too much to do', failed('REQUEST_FAILED_OVER_CAPACITY', 'Try again later.'), 'upstream'],
    ['a failure', failed('REQUEST_FAILED', 'calculations not supported for this survey'), 'upstream'],
    [
      'a malformed id',
      { reply: reply('LAUCN21219003', [], ['Invalid Series for Series LAUCN21219003']) },
      'not_found',
    ],
  ])('recognises %s', async (_name, answer, kind) => {
    const { ctx, upstream } = await open();
    upstream.answerAll(answer);
    await expect(bls.series('LAUCN21219003', {}, ctx)).rejects.toMatchObject({ kind });
  });

  it('recognises the daily limit of callers without a key', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll(
      failed(
        'REQUEST_NOT_PROCESSED',
        'Request could not be serviced, as the daily threshold for total number of requests allocated to the user with registration key  has been reached.',
      ),
    );
    await expect(bls.preview('LNS14000000', {}, ctx)).rejects.toMatchObject({
      kind: 'rate_limited',
      message: 'The rate limit of BLS is reached. The requests of this day are used up.',
      details: { provider: 'bls', limit: 'day' },
    });
  });

  it('sends no request for an invalid id', async () => {
    const { ctx, upstream } = await open();
    for (const id of ['lns14000000', 'LNS1,LNS2', 'X']) {
      await expect(bls.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(upstream.calls).toEqual([]);
  });

  it('lists surveys, and their popular series with the known names', async () => {
    const { ctx } = await open();
    expect(await bls.browse?.([], ctx)).toContainEqual({
      segment: 'BD',
      label: 'Business Employment Dynamics',
      leaf: true,
    });
    expect(await bls.browse?.(['LN'], ctx)).toEqual([]);
    expect(await bls.seriesAt?.(['LN'], { limit: 2, offset: 0 }, ctx)).toEqual({
      items: [
        { id: 'LNS14000000', label: 'Unemployment rate, seasonally adjusted', path: ['LN'] },
        { id: 'LNS12000000', label: 'LNS12000000', path: ['LN'] },
      ],
      total: 3,
    });
    expect(await bls.seriesAt?.(['BD'], { limit: 2, offset: 0 }, ctx)).toEqual({ items: [], total: 0 });
  });

  it('requests the names of all series at once if it has a key', async () => {
    const { ctx, upstream } = await open([], 'my-own-key');
    const page = await bls.seriesAt?.(['LN'], { limit: 200, offset: 0 }, ctx);
    expect(page?.items.map(({ label }) => label)).toEqual([
      'Unemployment rate, seasonally adjusted',
      '(Seas) Employment Level',
      '(seas) Total unemployed, plus all marginally attached workers',
    ]);
    expect(upstream.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('lists series for the index without a request for every survey', async () => {
    const { ctx, upstream } = await open();
    const items = [];
    for await (const item of bls.listAll?.(ctx) ?? []) items.push(item);
    expect(items).toContainEqual({
      id: 'AP',
      label: 'Consumer Price Index - Average Price Data',
      kind: 'folder',
      path: ['AP'],
    });
    expect(items).toContainEqual({
      id: 'LNS13327709',
      label: '(seas) Total unemployed, plus all marginally attached workers',
    });
    expect(items).toContainEqual({ id: 'LNU00000000', label: 'LNU00000000' });
    expect(items).toContainEqual({ id: 'LNS12000000', label: 'LNS12000000' });
    const counted = upstream.calls.filter(({ url }) => !url.startsWith('/~files/'));
    expect(counted).toHaveLength(2);
  });

  it('lists the other surveys if the file of one has no titles', async () => {
    const { ctx } = await open([
      { path: '/ce/ce.series', base: 'files', reply: '<html>Access Denied</html>' },
    ]);
    const passed: string[] = [];
    const skipPart = (part: string): boolean => passed.push(part) > 0;
    const ids: string[] = [];
    for await (const { id } of bls.listAll?.({ ...ctx, skipPart }) ?? []) ids.push(id);
    expect(passed).toEqual(['series of CE']);
    expect(ids).toContain('LNU00000000');
  });

  it('starts 20 years ago without a key or a start', () => {
    const at = (key: 'none' | 'own', params: Params) =>
      bls.defaultStart?.of(params, { key, today: '2026-03-15' });
    expect(at('none', {})).toBe('2007-01-01');
    expect(at('none', { end: '1990-06' })).toBe('1971-01-01');
    expect(at('none', { start: '1913' })).toBeUndefined();
    expect(at('own', {})).toBeUndefined();
  });

  it('reports how many requests a series took', async () => {
    const connector = await open();
    connector.upstream.answerAll({ reply: reply('WPS00000000', []) });
    const { metadata } = await bls.series('WPS00000000', { start: '1913' }, connector.ctx);
    expect(metadata.upstream_requests).toBe(12);
  });

  it('has daily quotas that reset at midnight in New York', () => {
    expect(bls.limits).toMatchObject({
      anonymous: { perDay: 25 },
      keyed: { perDay: 500 },
      resetZone: 'America/New_York',
    });
  });
});
