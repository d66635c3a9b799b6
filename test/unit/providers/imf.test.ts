import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { recordedProvider } from '../../support/recorded-provider.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const imf = recordedProvider('imf');

const file = (name: string): string => fixture(`providers/imf/${name}.json`);
const gold = 'IMF.RES,PCPS/G001.PGOLD.USD.M';
const whole = { dimensionAtObservation: 'TIME_PERIOD', attributes: 'dsd', measures: 'all' };
const descendants = { references: 'descendants' };
const available = { mode: 'available', references: 'none' };
const accept = { accept: 'application/json' };
const noFlow = { status: 404, code: 40400, message: 'No such dataflow found: Dataflow=IMF.RES:NOPE(latest)' };

// Flows, the parts of structures, data and the 204 of an unknown flow follow recorded replies. Not recorded:
// structure parts together in one reply, availability (both follow clients of the service), and errors of data
// queries of SDMX 3.0, which follow the recorded one of SDMX 2.1.
const exchanges: Exchange[] = [
  { path: '/structure/dataflow/all/*/+', requestHeaders: accept, reply: file('dataflows') },
  { path: '/structure/dataflow/IMF.RES/PCPS/+', query: descendants, reply: file('structure-PCPS') },
  { path: '/structure/dataflow/IMF.RES/NOPE/+', query: descendants, status: 204, reply: '' },
  {
    path: '/availability/dataflow/IMF.RES/PCPS/+/G001.*.*.*/INDICATOR',
    query: available,
    reply: file('available-INDICATOR'),
  },
  {
    path: '/availability/dataflow/IMF.RES/PCPS/+/G001.PGOLD.USD.*/FREQUENCY',
    query: available,
    reply: file('available-FREQUENCY'),
  },
  {
    path: '/availability/dataflow/IMF.RES/PCPS/+/USA.*.*.*/INDICATOR',
    query: available,
    status: 204,
    reply: '',
  },
  {
    path: '/data/dataflow/IMF.RES/PCPS/+/G001.PGOLD.USD.M',
    query: whole,
    requestHeaders: accept,
    reply: file('data-PGOLD'),
  },
  { path: '/data/dataflow/IMF.RES/PCPS/+/G001.XXX.USD.M', query: whole, reply: file('data-none') },
  { path: '/data/dataflow/IMF.RES/PCPS/+/G001.*.USD.M', query: whole, reply: file('data-two') },
  { path: '/data/dataflow/IMF.RES/NOPE/+/A.B', query: whole, status: 404, reply: noFlow },
  { path: '/data/dataflow/IMF.RES/VOID/+/A.B', query: whole, status: 204, reply: '' },
  {
    path: '/data/dataflow/IMF.RES/PCPS/+/G001.PGOLD.USD.M.X',
    query: whole,
    status: 400,
    reply: { status: 400, code: 40000, message: 'Too many key values' },
  },
];

describeConnector({
  provider: imf,
  exchanges,
  series: { id: gold },
  unknownSeries: 'IMF.RES,PCPS/G001.XXX.USD.M',
  folderPath: ['IMF.RES', 'PCPS', 'G001'],
  seriesPath: ['IMF.RES', 'PCPS', 'G001', 'PGOLD', 'USD'],
  unknownPath: ['IMF.RES', 'NOPE'],
});

describe('imf', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(imf, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('resolves positions to codes, spells out the codes and keeps digits', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await imf.series(gold, {}, ctx);
    expect(label).toBe('World - Gold, US dollars per troy ounce of gold, Unit prices - US dollars - Monthly');
    expect(metadata).toEqual({
      frequency: 'Monthly',
      units: 'Troy ounce',
      unit: 'Troy ounce',
      unitMultiplier: 1,
      source: 'International Monetary Fund',
      dataset: 'Primary Commodity Price System (PCPS)',
      notes: 'Indices of market prices for fuel and non-fuel commodities, and actual market prices.',
    });
    expect(data.toSorted((a, b) => a.date.localeCompare(b.date))).toEqual([
      { date: '2025-01-01', value: '2709.69' },
      { date: '2025-02-01', value: null, flag: 'NP' },
      { date: '2025-03-01', value: '2983.2500' },
      { date: '2025-04-01', value: null },
    ]);
  });

  it('sends the same request for preview and ranges, and filters by the range itself', async () => {
    const { ctx, upstream } = await open();
    await imf.preview(gold, {}, ctx);
    const { data } = await imf.series(gold, { start: '2025-02', end: '2025-03' }, ctx);
    expect(data.map(({ date }) => date).sort()).toEqual(['2025-02-01', '2025-03-01']);
    const downloads = upstream.calls.filter(({ url }) => url.startsWith('/data/'));
    expect(new Set(downloads.map(({ url }) => url)).size).toBe(1);
  });

  it.each([
    ['2025', '2025-01-01'],
    ['2025-Q3', '2025-07-01'],
    ['2025-S2', '2025-07-01'],
    ['2025-M12', '2025-12-01'],
    ['2025-W01', '2024-12-30'],
    ['2025-11-07', '2025-11-07'],
  ])('dates the period %s', async (period, date) => {
    const reply = file('data-PGOLD').replace('2025-M03', period);
    const { ctx } = await open([
      { path: '/data/dataflow/IMF.RES/PCPS/+/G001.PGOLD.USD.M', query: whole, reply },
    ]);
    const { data } = await imf.series(gold, {}, ctx);
    expect(data).toContainEqual({ date, value: '2983.2500' });
  });

  it.each(['IMF.RES,NOPE/A.B', 'IMF.RES,VOID/A.B', `${gold}.X`])('reports %s as not found', async (id) => {
    const { ctx } = await open();
    await expect(imf.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
  });

  it('sends a star for an open position, and refuses several series', async () => {
    const { ctx } = await open();
    await expect(imf.series('IMF.RES,PCPS/G001..USD.M', {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('INDICATOR'),
    });
  });

  it.each(['*', '', 'PGOLD+POILBRE'])('reads all series of the key G001.%s.USD.M', async (part) => {
    const path = `/data/dataflow/IMF.RES/PCPS/+/G001.${part || '*'}.USD.M`;
    const { ctx, upstream } = await open([{ path, query: whole, reply: file('data-two') }]);
    const found = await imf.panel?.(`IMF.RES,PCPS/G001.${part}.USD.M`, {}, ctx);
    expect(found?.dimensions.map(({ id }) => id)).toEqual(['INDICATOR']);
    expect(found?.series.map(({ codes, data }) => [codes, data])).toEqual([
      [['PGOLD'], [{ date: '2025-01-01', value: '2709.69' }]],
      [['POILBRE'], [{ date: '2025-01-01', value: '78.2' }]],
    ]);
    expect(found?.series[0]?.labels).toEqual([expect.stringContaining('Gold')]);
    expect(upstream.calls.filter(({ url }) => url.startsWith('/data/'))).toHaveLength(1);
    await expect(imf.panel?.('IMF.RES,PCPS/G001.PGOLD.USD', {}, ctx)).rejects.toMatchObject({
      message: expect.stringContaining('4 codes'),
    });
  });

  it('refuses a key with several codes as ambiguous', async () => {
    const { ctx } = await open();
    await expect(imf.series('IMF.RES,PCPS/G001.PGOLD+POILBRE.USD.M', {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
    });
  });

  it.each([
    ['a position beyond the codes', '"0:0:0:0"', '"0:7:0:0"'],
    ['a key of another length', '"0:0:0:0"', '"0:0:0"'],
    ['a period that is none', '2025-M03', '2025-M13'],
  ])('refuses %s', async (_name, from, to) => {
    const reply = file('data-PGOLD').replace(from, to);
    expect(reply).not.toBe(file('data-PGOLD'));
    const { ctx } = await open([
      { path: '/data/dataflow/IMF.RES/PCPS/+/G001.PGOLD.USD.M', query: whole, reply },
    ]);
    await expect(imf.series(gold, {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('groups flows by agency', async () => {
    const { ctx } = await open();
    expect(await imf.browse?.([], ctx)).toEqual([
      {
        segment: 'IMF.RES',
        label: 'Research Department',
        children: [
          { segment: 'PCPS', label: 'Primary Commodity Price System (PCPS)' },
          { segment: 'WEO', label: 'World Economic Outlook (WEO)' },
        ],
      },
      {
        segment: 'IMF.STA',
        label: 'Statistics Department',
        children: [{ segment: 'GFS_SOO', label: 'GFS Statement of Operations' }],
      },
    ]);
    expect(await imf.browse?.(['IMF.STA'], ctx)).toEqual([
      { segment: 'GFS_SOO', label: 'GFS Statement of Operations' },
    ]);
    await expect(imf.browse?.(['IMF.NOPE'], ctx)).rejects.toMatchObject({ code: 'path_not_found' });
  });

  it('shows codes that have data in the order of the list; the last dimension lists the series', async () => {
    const { ctx } = await open();
    expect(await imf.browse?.(['IMF.RES', 'PCPS', 'G001'], ctx)).toEqual([
      { segment: 'PGOLD', label: 'Gold, US dollars per troy ounce of gold, Unit prices' },
      { segment: 'POILBRE', label: 'Brent Crude, US dollars per barrel, Unit prices' },
    ]);
    expect(await imf.browse?.(['IMF.RES', 'PCPS', 'USA'], ctx)).toEqual([]);
    const path = ['IMF.RES', 'PCPS', 'G001', 'PGOLD', 'USD'];
    expect(await imf.browse?.(path, ctx)).toEqual([]);
    expect(await imf.seriesAt?.(path, { limit: 1, offset: 1 }, ctx)).toEqual({
      items: [
        {
          id: gold,
          label: 'World - Gold, US dollars per troy ounce of gold, Unit prices - US dollars - Monthly',
          path,
        },
      ],
      total: 2,
    });
    expect(await imf.seriesAt?.(['IMF.RES', 'PCPS'], { limit: 9, offset: 0 }, ctx)).toEqual({
      items: [],
      total: 0,
    });
    for (const codes of [['ZZZ'], ['G001', 'PGOLD', 'USD', 'M']]) {
      await expect(imf.browse?.(['IMF.RES', 'PCPS', ...codes], ctx)).rejects.toMatchObject({
        code: 'path_not_found',
      });
    }
  });

  it('lists every code if availability names only the dimension', async () => {
    const reply = { data: { dataConstraints: [{ cubeRegions: [{ components: [{ id: 'INDICATOR' }] }] }] } };
    const { ctx } = await open([
      { path: '/availability/dataflow/IMF.RES/PCPS/+/G001.*.*.*/INDICATOR', query: available, reply },
    ]);
    expect((await imf.browse?.(['IMF.RES', 'PCPS', 'G001'], ctx))?.map(({ segment }) => segment)).toEqual([
      'PGOLD',
      'POILBRE',
      'PNONE',
    ]);
  });

  it('lists the flows for the index', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of imf.listAll?.(ctx) ?? []) items.push(item);
    expect(items.slice(0, 2)).toEqual([
      {
        id: 'IMF.RES,PCPS',
        label: 'Primary Commodity Price System (PCPS)',
        description: 'Indices of market prices for fuel and non-fuel commodities, and actual market prices.',
        kind: 'folder',
        path: ['IMF.RES', 'PCPS'],
      },
      {
        id: 'IMF.STA,GFS_SOO',
        label: 'GFS Statement of Operations',
        kind: 'folder',
        path: ['IMF.STA', 'GFS_SOO'],
      },
    ]);
  });
});
