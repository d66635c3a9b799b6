import { afterEach, describe, expect, it } from 'vitest';
import { dbnomics } from '../../../src/providers/dbnomics/dbnomics.js';
import { ageOf, originalOf } from '../../../src/providers/dbnomics/originals.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const file = (name: string): string => fixture(`providers/dbnomics/${name}.json`);
const chelem = 'CHELEM-TRADE-CHEL';
const cement = `CEPII/${chelem}/AES.AES.CAT.BA`;
const whole = { observations: '1', metadata: '1', limit: '2' };
const listed = (limit: string, offset: string) => ({ observations: '0', metadata: '0', limit, offset });
const meta = { args: {}, version: '22.1.17' };

// Series and the 404 follow recorded replies. Providers, category trees, datasets, search and `errors` inside 200
// follow the documentation of the service and clients of it; they were not recorded.
const exchanges: Exchange[] = [
  { path: '/providers', reply: file('providers') },
  { path: '/providers/CEPII', reply: file('provider-CEPII') },
  { path: '/providers/AMECO', reply: file('provider-AMECO') },
  {
    path: '/providers/NOPE',
    status: 404,
    reply: { _meta: meta, message: "Could not find storage directory for provider 'NOPE'" },
  },
  { path: '/datasets/AMECO', query: { limit: '500', offset: '0' }, reply: file('datasets-AMECO-1') },
  { path: '/datasets/AMECO', query: { limit: '500', offset: '2' }, reply: file('datasets-AMECO-2') },
  { path: `/series/CEPII/${chelem}`, query: listed('200', '0'), reply: file('series-list') },
  { path: `/series/CEPII/${chelem}`, query: listed('1', '0'), reply: file('series-list') },
  { path: `/series/CEPII/${chelem}`, query: listed('2', '4'), reply: file('series-list') },
  { path: `/series/CEPII/${chelem}`, query: listed('1000', '0'), reply: file('series-list') },
  {
    path: '/series/CEPII/NOPE',
    query: listed('1', '0'),
    status: 404,
    reply: { _meta: meta, message: "Dataset 'NOPE' of provider 'CEPII' not found" },
  },
  { path: `/series/${cement}`, query: whole, reply: file('series-AES') },
  {
    path: `/series/CEPII/${chelem}/NOPE`,
    query: whole,
    status: 404,
    reply: { _meta: meta, message: "Series 'NOPE' not found" },
  },
  { path: '/search', query: { q: 'trade', limit: '100' }, reply: file('search') },
];

const deepTree = (levels: number): string =>
  `{"provider":{"code":"DEEP"},"category_tree":[${'{"children":['.repeat(levels)}${']}'.repeat(levels)}]}`;

describe('a category tree that is nested too deeply', () => {
  it('is unexpected', async () => {
    const deep: Exchange = { path: '/providers/DEEP', reply: deepTree(100_000) };
    const opened = await openConnector(dbnomics, { exchanges: [deep] });
    try {
      await expect(dbnomics.browse?.(['DEEP'], opened.ctx)).rejects.toMatchObject({
        kind: 'upstream',
        code: 'unexpected_reply',
      });
    } finally {
      await opened.close();
    }
  });
});

describeConnector({
  provider: dbnomics,
  exchanges,
  series: { id: cement },
  unknownSeries: `CEPII/${chelem}/NOPE`,
  folderPath: ['CEPII'],
  seriesPath: ['CEPII', 'CHELEM', chelem],
  unknownPath: ['NOPE'],
  query: 'trade',
});

describe('dbnomics', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(dbnomics, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('reads values with their digits; NA and null are missing', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await dbnomics.series(cement, {}, ctx);
    expect(label).toBe(
      'Exports from South-East Asia to South-East Asia - Category - BA - Cement, million US dollars',
    );
    expect(metadata).toEqual({
      frequency: 'Annual',
      units: 'Million US dollars',
      unit: 'US dollars',
      unitMultiplier: 1_000_000,
      seasonal_adjustment: 'Not seasonally adjusted',
      source: "Centre d'études prospectives et d'informations internationales",
      dataset: 'CHELEM - International Trade (CHELEM sectoral classification)',
      notes: 'Bilateral flows of goods since 1967.',
      terms_of_use: 'http://www.cepii.fr/CEPII/fr/mentions_legales.asp',
      copied_at: '2023-06-08T14:45:21.851Z',
      copy_note: expect.stringContaining('1010 days old'),
    });
    expect(data).toEqual([
      { date: '1967-01-01', value: '4.4180715600' },
      { date: '1968-01-01', value: null },
      { date: '1969-01-01', value: '5.4290137388' },
      { date: '1970-01-01', value: null },
    ]);
  });

  it('filters by the range itself', async () => {
    const { ctx } = await open();
    const { data } = await dbnomics.series(cement, { start: '1968', end: '1969-06' }, ctx);
    expect(data.map(({ date }) => date)).toEqual(['1968-01-01', '1969-01-01']);
  });

  it.each([
    ['weekly', '2024-W05', '2024-01-29'],
    ['quarterly', '2024-Q2', '2024-04-01'],
    ['daily', '2024-02-29', '2024-02-29'],
    ['bi-annual', '2024-S2', '2024-07-01'],
  ])('uses the first day that the service has for %s periods', async (frequency, period, date) => {
    const reply = file('series-AES')
      .replace('"1967"', `"${period}"`)
      .replace('"1967-01-01"', `"${date}"`)
      .replace('"annual"', `"${frequency}"`);
    const { ctx } = await open([{ path: `/series/${cement}`, query: whole, reply }]);
    expect((await dbnomics.series(cement, {}, ctx)).data[0]?.date).toBe(date);
  });

  it.each([
    ['a day that is none', '"1967-01-01"', '"1967"'],
    ['more values than days', '"1970-01-01"\n', '"1970-01-01", "1971-01-01"\n'],
  ])('refuses %s', async (_name, from, to) => {
    const reply = file('series-AES').replace(from, to);
    expect(reply).not.toBe(file('series-AES'));
    const { ctx } = await open([{ path: `/series/${cement}`, query: whole, reply }]);
    await expect(dbnomics.series(cement, {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it.each([
    [
      'a bad id inside 200',
      200,
      {
        _meta: meta,
        errors: [{ message: "Series 'x' not found" }],
        series: { docs: [], num_found: 0, limit: 2, offset: 0 },
      },
      'series_not_found',
    ],
    [
      'another error inside 200',
      200,
      { _meta: meta, errors: [{ message: 'Index is being rebuilt' }], series: { docs: [], num_found: 0 } },
      'upstream_failed',
    ],
    [
      'a mask without hits',
      200,
      { _meta: meta, errors: null, series: { docs: [], num_found: 0 } },
      'series_not_found',
    ],
    [
      'a high limit',
      400,
      { _meta: meta, message: 'must not be larger than 1000' },
      'upstream_refused_request',
    ],
    ['a page of the proxy', 502, '<html>Bad Gateway</html>', 'upstream_failed'],
    [
      'an unknown provider',
      404,
      { _meta: meta, message: "Could not find storage directory for provider 'PWT'" },
      'series_not_found',
    ],
  ])('recognises %s', async (_name, status, reply, code) => {
    const { ctx } = await open([{ path: `/series/${cement}`, query: whole, status, reply }]);
    await expect(dbnomics.series(cement, {}, ctx)).rejects.toMatchObject({ code });
  });

  it('refuses a mask of several series', async () => {
    const reply = file('series-AES').replace('"num_found": 1', '"num_found": 71');
    const { ctx } = await open([{ path: `/series/CEPII/${chelem}/AES.AES..BA`, query: whole, reply }]);
    await expect(dbnomics.series(`CEPII/${chelem}/AES.AES..BA`, {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
    });
  });

  it.each(['CEPII/x', 'CEPII', 'a/b/c,d/e/f'])('sends no request for %s', async (id) => {
    const { ctx, upstream } = await open();
    await expect(dbnomics.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstream.calls).toEqual([]);
  });

  it('shows the categories of a provider; one without a code has its name as path', async () => {
    const { ctx } = await open();
    expect(await dbnomics.browse?.(['CEPII'], ctx)).toEqual([
      {
        segment: 'CHELEM',
        label: 'CHELEM',
        children: [
          {
            segment: chelem,
            label: 'CHELEM - International Trade (CHELEM sectoral classification)',
            leaf: true,
          },
          {
            segment: 'Other / balance',
            label: 'Other / balance',
            children: [{ segment: 'CHELEM-BAL', label: 'CHELEM - Balance of payments', leaf: true }],
          },
        ],
      },
      { segment: 'EMPTY', label: 'Nothing yet', children: [] },
    ]);
    expect(await dbnomics.browse?.(['CEPII', 'CHELEM', 'Other / balance'], ctx)).toEqual([
      { segment: 'CHELEM-BAL', label: 'CHELEM - Balance of payments', leaf: true },
    ]);
  });

  it('lists all pages of datasets if a provider has no tree', async () => {
    const { ctx } = await open();
    expect((await dbnomics.browse?.(['AMECO'], ctx))?.map(({ segment }) => segment)).toEqual([
      'ZUTN',
      'UBLGE',
      'XNE',
    ]);
  });

  it.each([
    ['CEPII', 'NOPE'],
    ['CEPII', 'CHELEM', 'NOPE'],
    ['CEPII', 'CHELEM', chelem, 'AES.AES.CAT.BA'],
  ])('rejects the unknown path %s/%s', async (...path) => {
    const { ctx } = await open();
    await expect(dbnomics.browse?.(path, ctx)).rejects.toMatchObject({ code: 'path_not_found' });
  });

  it('pages the series of a dataset through the service, at its place and below its provider', async () => {
    const { ctx } = await open();
    for (const path of [
      ['CEPII', 'CHELEM', chelem],
      ['CEPII', chelem],
    ]) {
      const page = await dbnomics.seriesAt?.(path, { limit: 2, offset: 4 }, ctx);
      expect(page?.total).toBe(7_419_264);
      expect(page?.items[1]).toEqual({
        id: `CEPII/${chelem}/AMN.AES.CAT.BA`,
        label: 'Exports from North America to South-East Asia - BA - Cement',
        path,
        frequency: 'annual',
      });
    }
    await dbnomics.seriesAt?.(['CEPII', 'CHELEM', chelem], { limit: 5_000, offset: 0 }, ctx);
    expect(await dbnomics.seriesAt?.(['CEPII'], { limit: 2, offset: 0 }, ctx)).toEqual({
      items: [],
      total: 0,
    });
  });

  it('finds datasets, each with a path that can be opened', async () => {
    const { ctx } = await open();
    expect(await dbnomics.search?.('trade', ctx)).toEqual([
      {
        id: `CEPII/${chelem}`,
        label: 'CHELEM - International Trade (CHELEM sectoral classification)',
        description: 'Bilateral flows of goods since 1967.',
        kind: 'folder',
        path: ['CEPII', chelem],
      },
      {
        id: 'AMECO/XNE',
        label: 'ECU-EUR exchange rates',
        description: 'Annual macro-economic database of the European Commission',
        kind: 'folder',
        path: ['AMECO', 'XNE'],
      },
    ]);
    expect(await dbnomics.browse?.(['CEPII', chelem], ctx)).toEqual([]);
  });
});

describe('copies', () => {
  it.each([
    [
      'Eurostat/une_rt_m/M.SA.TOTAL.PC_ACT.T.EA20',
      { provider: 'eurostat', series_id: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.EA20' },
    ],
    ['ECB/EXR/D.USD.EUR.SP00.A', { provider: 'ecb', series_id: 'EXR/D.USD.EUR.SP00.A' }],
    ['WB/WDI/A-NY.GDP.MKTP.CD-USA', { provider: 'worldbank', series_id: 'NY.GDP.MKTP.CD', country: 'USA' }],
    ['IMF/WEO:latest/USA.NGDP_RPCH.pcent_change', { provider: 'imf' }],
    ['INSEE/IPC-2015/A.1', undefined],
  ])('of %s name their original', (id, original) => {
    expect(originalOf(id)).toEqual(original);
  });

  it('are not suggested if the original is available', () => {
    expect(dbnomics.popularSeries.filter(({ id }) => originalOf(id) !== undefined)).toEqual([]);
  });

  it('are reported as old after 90 days', () => {
    expect(ageOf('2026-03-01T00:00:00Z', '2026-03-15')).toEqual({ copied_at: '2026-03-01T00:00:00Z' });
    expect(ageOf('2025-12-01T00:00:00Z', '2026-03-15').copy_note).toContain('104 days');
    expect(ageOf(undefined, '2026-03-15')).toEqual({});
  });
});
