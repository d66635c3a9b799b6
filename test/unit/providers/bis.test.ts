import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const bis = recordedProvider('bis');

const file = (name: string): string => fixture(`providers/bis/${name}`);
const csv = { accept: 'application/vnd.sdmx.data+csv;version=1.0.0' };

// Flows, attributes, the order of CSV columns and the error document follow recorded replies; structure with
// code lists, availability and keys follow the documentation of the service and of SDMX 2.1.
const exchanges: Exchange[] = [
  { path: '/dataflow/BIS/all/latest', reply: file('dataflows.xml') },
  {
    path: '/dataflow/BIS/WS_CBPOL/latest',
    query: { references: 'descendants' },
    reply: file('structure-WS_CBPOL.xml'),
  },
  {
    path: '/dataflow/BIS/NOPE/latest',
    query: { references: 'descendants' },
    status: 404,
    reply: file('error-100.xml'),
  },
  { path: '/availableconstraint/WS_CBPOL/M./all/REF_AREA', reply: file('available-M.xml') },
  {
    path: '/availableconstraint/WS_CBPOL/all/all/FREQ',
    reply: file('available-M.xml')
      .replace('id="REF_AREA"', 'id="FREQ"')
      .replace(/(<\w+:Value>)CH(?=<)/, '$1M'),
  },
  ...['M.', 'all'].map((key) => ({
    path: `/data/WS_CBPOL/${key}/all`,
    query: { detail: 'serieskeysonly' },
    reply: file('keys-M.xml'),
  })),
  ...[{ lastNObservations: '24' }, {}, { startPeriod: '2025', endPeriod: '2026-01' }].map((query) => ({
    path: '/data/WS_CBPOL/M.CH/all',
    query,
    requestHeaders: csv,
    reply: file('WS_CBPOL-M.CH.csv'),
  })),
  ...[{ lastNObservations: '24' }, {}].flatMap((query) => [
    { path: '/data/WS_CBPOL/M.QQ/all', query, status: 404, reply: file('error-100.xml') },
    { path: '/data/WS_CBPOL/M/all', query, status: 400, reply: file('error-150.xml') },
  ]),
];

describeConnector({
  provider: bis,
  exchanges,
  series: { id: 'WS_CBPOL/M.CH' },
  unknownSeries: 'WS_CBPOL/M.QQ',
  folderPath: ['WS_CBPOL', 'M'],
  seriesPath: ['WS_CBPOL', 'M'],
  unknownPath: ['NOPE'],
});

describe('bis', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (first: readonly Exchange[] = []) => {
    opened = await openConnector(bis, { exchanges: [...first, ...exchanges] });
    return opened;
  };

  it('spells out the unit and keeps digits; M, empty and NaN are missing', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await bis.series('WS_CBPOL/M.CH', {}, ctx);
    expect(label).toBe('Central bank policy rates - Switzerland - Monthly - End of period');
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist' },
      frequency: 'Monthly',
      units: 'Per cent per year',
      unit: 'Per cent per year',
      unitMultiplier: 1,
      source: 'Swiss National Bank',
      notes: 'From 13 June 2019 onwards SNB Policy rate; from 1 Jan 1946 to 31 Dec 1999: discount rate.',
    });
    expect(data).toEqual([
      { date: '2025-11-01', value: '0.250' },
      { date: '2025-12-01', value: '0' },
      { date: '2026-01-01', value: null, flag: 'M' },
      { date: '2026-02-01', value: null, flag: 'M' },
    ]);
  });

  it('passes bounds to the service', async () => {
    const { ctx, upstream } = await open();
    await bis.series('WS_CBPOL/M.CH', { start: '2025', end: '2026-01' }, ctx);
    expect(upstream.unmatched).toEqual([]);
  });

  it('shows the areas that have data, in the order of the list', async () => {
    const { ctx } = await open();
    expect(await bis.browse?.(['WS_CBPOL', 'M'], ctx)).toEqual([
      { segment: 'CH', label: 'Switzerland', leaf: true },
      { segment: 'US', label: 'United States', leaf: true },
      { segment: 'XM', label: 'Euro area', leaf: true },
    ]);
  });

  it('lists the codes of the first of two dimensions', async () => {
    const { ctx } = await open();
    expect(await bis.browse?.(['WS_CBPOL'], ctx)).toEqual([{ segment: 'M', label: 'Monthly' }]);
  });

  it('describes its flows, and series of small ones, for the index', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of bis.listAll?.(ctx) ?? []) items.push(item);
    expect(items[0]).toEqual({
      id: 'WS_CBPOL',
      label: 'Central bank policy rates',
      description: "The interest rate which best captures the monetary authorities' policy intentions.",
      kind: 'folder',
      path: ['WS_CBPOL'],
    });
    expect(items.at(-1)).toEqual({
      id: 'WS_CBPOL/M.CH',
      label: 'Central bank policy rates: Monthly - Switzerland',
      path: ['WS_CBPOL', 'M', 'CH'],
    });
    // Series of the bundled list keep their titles.
    expect(items.map(({ id }) => id)).not.toContain('WS_CBPOL/M.US');
  });

  it('reports a key with too few parts, a semantic error of the service, as an unknown series', async () => {
    const { ctx } = await open();
    await expect(bis.series('WS_CBPOL/M', {}, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
      message: expect.stringContaining('must have 2 codes (FREQ.REF_AREA), not 1'),
    });
  });

  it('names the dimension that lacks a code', async () => {
    const { ctx } = await open();
    await expect(bis.series('WS_CBPOL/M.QQ', {}, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
      message: expect.stringMatching(/'QQ' is no code of REF_AREA/),
      details: { dimension: 'REF_AREA', code: 'QQ' },
    });
  });

  it('reports that a combination of known codes has no data', async () => {
    const { ctx } = await open([
      { path: '/data/WS_CBPOL/M.ZZ/all', status: 404, reply: file('error-100.xml') },
    ]);
    await expect(bis.series('WS_CBPOL/M.ZZ', {}, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
      details: { noData: true },
    });
  });

  it.each([
    ['A', '2024', '2024-01-01'],
    ['H', '2024-S1', '2024-01-01'],
    ['Q', '2024-Q4', '2024-10-01'],
    ['D', '2024-03-28', '2024-03-28'],
  ])('dates frequency %s', async (freq, period, date) => {
    const structure = file('structure-WS_CBPOL.xml');
    opened = await openConnector(bis, {
      exchanges: [
        {
          path: `/data/WS_CBPOL/${freq}.CH/all`,
          reply: file('WS_CBPOL-M.CH.csv')
            .split('\n')
            .slice(0, 2)
            .join('\n')
            .replace(',M,CH,2025-11,', `,${freq},CH,${period},`),
        },
        { path: '/dataflow/BIS/WS_CBPOL/latest', query: { references: 'descendants' }, reply: structure },
      ],
    });
    const { data } = await bis.series(`WS_CBPOL/${freq}.CH`, {}, opened.ctx);
    expect(data).toEqual([{ date, value: '0.250' }]);
  });
});
