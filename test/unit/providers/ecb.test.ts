import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const ecb = recordedProvider('ecb');

const file = (name: string): string => fixture(`providers/ecb/${name}`);

// Flows, structure, keys and the columns of CSV follow recorded replies. Not recorded: a whole CSV body, the
// constraint next to the structure (its form follows other services of SDMX 2.1), and the body of a 404.
const exchanges: Exchange[] = [
  { path: '/dataflow/ECB/all/latest', reply: file('dataflows.xml') },
  { path: '/dataflow/ECB/EXR/latest', query: { references: 'all' }, reply: file('structure-EXR.xml') },
  { path: '/dataflow/ECB/NOPE/latest', query: { references: 'all' }, status: 404, reply: 'Not found' },
  {
    path: '/data/EXR/M....',
    query: { detail: 'serieskeysonly' },
    requestHeaders: { accept: 'application/vnd.sdmx.genericdata+xml;version=2.1' },
    reply: file('keys-M.xml'),
  },
  ...[
    { lastNObservations: '24' },
    {},
    { startPeriod: '2026-02-18' },
    { startPeriod: '2026-02', endPeriod: '2026' },
  ].map((query) => ({
    path: '/data/EXR/D.USD.EUR.SP00.A',
    query: { ...query, format: 'csvdata' },
    reply: file('EXR-D.USD.EUR.SP00.A.csv'),
  })),
  ...[{ lastNObservations: '24' }, {}].map((query) => ({
    path: '/data/EXR/D.XYZ.EUR.SP00.A',
    query: { ...query, format: 'csvdata' },
    status: 404,
    reply: '<html><body><h1>No results found.</h1></body></html>',
  })),
];

describeConnector({
  provider: ecb,
  exchanges,
  series: { id: 'EXR/D.USD.EUR.SP00.A' },
  unknownSeries: 'EXR/D.XYZ.EUR.SP00.A',
  folderPath: ['EXR'],
  seriesPath: ['EXR', 'M'],
  unknownPath: ['NOPE'],
});

describe('ecb', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async () => {
    opened = await openConnector(ecb, { exchanges });
    return opened;
  };

  it('reads title, notes and values from one reply, with digits kept and gaps as null', async () => {
    const { ctx, upstream } = await open();
    const { label, metadata, data } = await ecb.series('EXR/D.USD.EUR.SP00.A', {}, ctx);
    expect(label).toBe('US dollar/Euro ECB reference exchange rate');
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist', P: 'Provisional value' },
      frequency: 'Daily',
      units: 'USD per EUR',
      unit: 'USD per EUR',
      unitMultiplier: 1,
      source: 'European Central Bank',
      notes: 'ECB reference exchange rate, US dollar/Euro, 2:15 pm (C.E.T.)',
    });
    expect(data).toEqual([
      { date: '2026-02-17', value: '1.1850' },
      { date: '2026-02-18', value: '1.18' },
      { date: '2026-02-19', value: null, flag: 'M' },
      { date: '2026-02-20', value: null, flag: 'M' },
      { date: '2026-02-23', value: '1.1790', flag: 'P' },
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('requests the newest 24 values for a preview, and passes bounds to the service', async () => {
    const { ctx, upstream } = await open();
    await ecb.preview('EXR/D.USD.EUR.SP00.A', {}, ctx);
    await ecb.series('EXR/D.USD.EUR.SP00.A', { start: '2026-02-18' }, ctx);
    await ecb.series('EXR/D.USD.EUR.SP00.A', { start: '2026-02', end: '2026' }, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it.each([
    ['2024', '2024-01-01'],
    ['2024-S2', '2024-07-01'],
    ['2024-Q3', '2024-07-01'],
    ['2024-11', '2024-11-01'],
    ['2024-W01', '2024-01-01'],
    ['2025-W01', '2024-12-30'],
    ['2024-02-29', '2024-02-29'],
  ])('dates the period %s as %s', async (period, date) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: `KEY,FREQ,TIME_PERIOD,OBS_VALUE,TITLE\nX.A,A,${period},1.0,T\n` });
    const { data } = await ecb.series('X/A', {}, ctx);
    expect(data).toEqual([{ date, value: '1.0' }]);
  });

  it('lists the dimensions of a flow, with only the codes that have data', async () => {
    const { ctx } = await open();
    expect(await ecb.browse?.([], ctx)).toEqual([
      { segment: 'AME', label: 'AMECO' },
      { segment: 'BKN', label: 'Banknotes statistics' },
      { segment: 'EXR', label: 'Exchange Rates' },
    ]);
    expect(await ecb.browse?.(['EXR'], ctx)).toEqual([
      { segment: 'A', label: 'Annual' },
      { segment: 'D', label: 'Daily' },
      { segment: 'M', label: 'Monthly' },
    ]);
    expect(await ecb.browse?.(['EXR', 'M', 'USD', 'EUR', 'SP00'], ctx)).toEqual([
      { segment: 'A', label: 'Average', leaf: true },
      { segment: 'E', label: 'End-of-period', leaf: true },
    ]);
  });

  it('pages the series of a path in a stable order', async () => {
    const { ctx } = await open();
    const page = await ecb.seriesAt?.(['EXR', 'M'], { limit: 2, offset: 1 }, ctx);
    expect(page).toEqual({
      items: [
        {
          id: 'EXR/M.AUD.EUR.SP00.E',
          label: 'Monthly - Australian dollar - Euro - Spot - End-of-period',
          path: ['EXR', 'M', 'AUD', 'EUR', 'SP00', 'E'],
        },
        {
          id: 'EXR/M.USD.EUR.SP00.A',
          label: 'US dollar/Euro',
          path: ['EXR', 'M', 'USD', 'EUR', 'SP00', 'A'],
        },
      ],
      total: 4,
    });
  });

  it('lists the flows for the index', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of ecb.listAll?.(ctx) ?? []) items.push(item);
    expect(items[2]).toEqual({ id: 'EXR', label: 'Exchange Rates', kind: 'folder', path: ['EXR'] });
  });

  it('rejects a row with too many cells', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: file('EXR-D.USD.EUR.SP00.A.csv').replace('1.1850', '1,185') });
    await expect(ecb.series('EXR/D.USD.EUR.SP00.A', {}, ctx)).rejects.toMatchObject({
      code: 'unexpected_reply',
    });
  });
});
