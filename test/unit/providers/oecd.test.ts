import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const oecd = recordedProvider('oecd');

const file = (name: string): string => fixture(`providers/oecd/${name}`);
const kei = 'OECD.SDD.STES,DSD_KEI@DF_KEI,4.0';
const gilts = `${kei}/GBR.M.IRLT....`;

// CSV with rows in no order and the form of constraints follow recorded replies. Not recorded: structure,
// flows (forms of SDMX 2.1), keys, and errors, of which the texts are documented.
const exchanges: Exchange[] = [
  {
    path: '/dataflow/all/all/latest',
    requestHeaders: { accept: 'application/vnd.sdmx.structure+xml;version=2.1' },
    reply: file('dataflows.xml'),
  },
  {
    path: '/dataflow/OECD.SDD.STES/DSD_KEI@DF_KEI/4.0',
    query: { references: 'descendants' },
    reply: file('structure-KEI.xml'),
  },
  {
    path: '/dataflow/OECD.SDD.STES/NOPE/1.0',
    query: { references: 'descendants' },
    status: 404,
    reply: 'Could not find Dataflow OECD.SDD.STES:NOPE(1.0)',
  },
  { path: `/availableconstraint/${kei}/all/all/REF_AREA`, reply: file('available.xml') },
  { path: `/data/${kei}/GBR.M.....`, query: { detail: 'serieskeysonly' }, reply: file('keys-GBR.M.xml') },
  {
    path: `/data/${gilts}`,
    query: { dimensionAtObservation: 'TIME_PERIOD' },
    requestHeaders: { accept: 'application/vnd.sdmx.data+csv; charset=utf-8' },
    reply: file('KEI-GBR.M.IRLT.csv'),
  },
  {
    path: `/data/${kei}/GBR.M.NOPE....`,
    query: { dimensionAtObservation: 'TIME_PERIOD' },
    status: 404,
    reply: 'NoRecordsFound',
  },
];

describeConnector({
  provider: oecd,
  exchanges,
  series: { id: gilts },
  unknownSeries: `${kei}/GBR.M.NOPE....`,
  folderPath: [kei],
  seriesPath: [kei, 'GBR', 'M'],
  unknownPath: ['OECD.SDD.STES,NOPE,1.0'],
});

const unpinned = 'OECD.SDD.STES,DSD_KEI@DF_KEI';

describe('oecd', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(oecd, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('names flows without a version, and reads series with one and without', async () => {
    const { ctx } = await open([
      {
        path: '/dataflow/OECD.SDD.STES/DSD_KEI@DF_KEI/latest',
        query: { references: 'descendants' },
        reply: file('structure-KEI.xml'),
      },
      {
        path: `/data/${unpinned}/GBR.M.IRLT....`,
        query: { dimensionAtObservation: 'TIME_PERIOD' },
        reply: file('KEI-GBR.M.IRLT.csv'),
      },
    ]);
    const segments = (await oecd.browse?.([], ctx))?.map(({ segment }) => segment);
    expect(segments).toContain(unpinned);
    expect(segments?.every((segment) => segment.split(',').length === 2)).toBe(true);
    const newest = await oecd.series(`${unpinned}/GBR.M.IRLT....`, {}, ctx);
    expect(newest).toEqual(await oecd.series(gilts, {}, ctx));
  });

  it('allows sixty downloads an hour and does not count structure calls', () => {
    expect(oecd.limits.anonymous?.perHour).toBe(60);
    expect(oecd.validity.structure).toBeGreaterThanOrEqual(7 * 86_400);
  });

  it('spells out the key and reads rows in any order', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await oecd.series(gilts, {}, ctx);
    expect(label).toBe('United Kingdom - Monthly - Long-term interest rates - Percent per annum');
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist', O: 'Missing value' },
      frequency: 'Monthly',
      units: 'Percent per annum',
      unit: 'Percent per annum',
      unitMultiplier: 1,
      source: 'Organisation for Economic Co-operation and Development',
    });
    expect(data.toSorted((a, b) => a.date.localeCompare(b.date))).toEqual([
      { date: '2023-01-01', value: '3.5110' },
      { date: '2023-02-01', value: '3.5553' },
      { date: '2023-03-01', value: '3.5638' },
      { date: '2023-04-01', value: null, flag: 'O' },
      { date: '2023-12-01', value: null, flag: 'M' },
      { date: '2024-01-01', value: '3.9319' },
    ]);
  });

  it('reads the time of the last load of a flow without a download', async () => {
    const { ctx, upstream } = await open([
      {
        path: '/contentconstraint/OECD.DAF/CR_A_DSD_DEBT_TRANS_COLL@DF_MICRO',
        reply: file('actualconstraint-DF_MICRO.xml'),
      },
    ]);
    const found = await oecd.lastUpdate?.('OECD.DAF,DSD_DEBT_TRANS_COLL@DF_MICRO/A.B', {}, ctx);
    expect(found).toBe('2023-10-16T14:33:16.13Z');
    expect(upstream.calls).toHaveLength(1);
  });

  it('filters by the range itself, at both ends', async () => {
    const { ctx } = await open();
    const { data } = await oecd.series(gilts, { start: '2023-02', end: '2023' }, ctx);
    expect(data.map(({ date }) => date).sort()).toEqual([
      '2023-02-01',
      '2023-03-01',
      '2023-04-01',
      '2023-12-01',
    ]);
  });

  it('sends the same request for every range, so that one download serves all', async () => {
    const { ctx, upstream } = await open();
    await oecd.preview(gilts, {}, ctx);
    await oecd.series(gilts, { start: '2024' }, ctx);
    await oecd.series(gilts, {}, ctx);
    const downloads = upstream.calls.filter(({ url }) => url.startsWith('/data/'));
    expect(downloads).toHaveLength(3);
    expect(new Set(downloads.map(({ url }) => url)).size).toBe(1);
  });

  it('reads CSV of the second generation, with labels next to the codes', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({
      reply: [
        'STRUCTURE,STRUCTURE_ID,ACTION,REF_AREA: Reference area,FREQ: Frequency,TITLE: Title,TIME_PERIOD: Time period,OBS_VALUE',
        'DATAFLOW,OECD.SDD.TPS:DSD_PRICES@DF_PRICES_ALL(1.0),I,GBR: United Kingdom,A: Annual,CPI,2021,2.5',
        'DATAFLOW,OECD.SDD.TPS:DSD_PRICES@DF_PRICES_ALL(1.0),I,GBR: United Kingdom,A: Annual,CPI,2020,1.0',
      ].join('\n'),
    });
    const { metadata, data } = await oecd.series(gilts, {}, ctx);
    expect(metadata.frequency).toBe('Annual');
    expect(data).toEqual([
      { date: '2021-01-01', value: '2.5' },
      { date: '2020-01-01', value: '1.0' },
    ]);
  });

  it('refuses an id of several series, and names the open dimension', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({
      reply: `${file('KEI-GBR.M.IRLT.csv')}OECD.SDD.STES:DSD_KEI@DF_KEI(4.0),GBR,M,PRVM,IX,C,Y,_Z,2023-01,101,A,0,4,\n`,
    });
    await expect(oecd.series(`${kei}/GBR.M.....`, {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('MEASURE'),
    });
  });

  it.each([
    [404, 'NoResultsFound', 'series_not_found'],
    [413, 'The request exceeds the maximum number of observations', 'upstream_too_large'],
    [429, '', 'upstream_rate_limited'],
  ])('recognises status %i', async (status, reply, code) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ status, reply });
    await expect(oecd.series(gilts, {}, ctx)).rejects.toMatchObject({ code });
  });

  it.each([
    ['2024', '2024-01-01'],
    ['2024-Q2', '2024-04-01'],
    ['2024-S2', '2024-07-01'],
  ])('dates the period %s', async (period, date) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: `DATAFLOW,FREQ,TIME_PERIOD,OBS_VALUE,TITLE\nF,X,${period},1.50,T\n` });
    expect((await oecd.series(gilts, {}, ctx)).data).toEqual([{ date, value: '1.50' }]);
  });

  it('names a flow by agency and id, and lists its series with paths', async () => {
    const { ctx } = await open();
    expect((await oecd.browse?.([], ctx))?.[0]).toEqual({
      segment: unpinned,
      label: 'Key short-term economic indicators',
    });
    expect(await oecd.browse?.([kei], ctx)).toEqual([
      { segment: 'GBR', label: 'United Kingdom' },
      { segment: 'USA', label: 'United States' },
    ]);
    const page = await oecd.seriesAt?.([kei, 'GBR', 'M'], { limit: 1, offset: 0 }, ctx);
    expect(page).toEqual({
      items: [
        {
          id: `${kei}/GBR.M.IRLT.PA._Z._Z._Z`,
          label: 'United Kingdom - Monthly - Long-term interest rates - Percent per annum',
          path: [kei, 'GBR', 'M', 'IRLT', 'PA', '_Z', '_Z', '_Z'],
        },
      ],
      total: 2,
    });
  });
});
