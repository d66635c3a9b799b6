import { afterEach, describe, expect, it } from 'vitest';
import { eurostat } from '../../../src/providers/eurostat/eurostat.js';
import { families } from '../../../src/providers/eurostat/families.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { expectShortTurns } from '../../support/pauses.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';

const file = (name: string): string => fixture(`providers/eurostat/${name}`);

const structure = (dataset: string): Pick<Exchange, 'path' | 'query'> => ({
  path: `/sdmx/2.1/dataflow/ESTAT/${dataset}/1.0`,
  query: { references: 'descendants', detail: 'referencepartial' },
});

const cells = (geo: string, coicop = 'CP00', more = {}): Pick<Exchange, 'path' | 'query'> => ({
  path: '/statistics/1.0/data/prc_hicp_manr',
  query: { format: 'JSON', lang: 'EN', freq: 'M', unit: 'RCH_A', coicop, geo, ...more },
});

const newest = { lastTimePeriod: '24' };
const noResults = { error: [{ status: 404, id: 100, label: 'ERR_NOT_FOUND_4: no results' }] };

// The cube, the table of contents, the structure document, the 413 fault and the asynchronous notice follow
// recorded replies. The list of errors and partial code lists follow clients of the service, not recordings.
const exchanges: Exchange[] = [
  // The structure of a dataset in the same form, under the names of those that are listed with their places.
  ...[...new Set(families.map(({ id }) => id.split('/')[0] ?? ''))].map((dataset) => ({
    ...structure(dataset),
    reply: file('dataflow-prc_hicp_manr.xml').replaceAll('CP00', 'TOTAL'),
  })),
  { path: '/catalogue/toc/txt', query: { lang: 'en' }, reply: file('toc.tsv') },
  { ...structure('prc_hicp_manr'), reply: file('dataflow-prc_hicp_manr.xml') },
  { ...structure('nope'), status: 404, reply: noResults },
  { ...cells('DE', 'CP00', newest), reply: file('manr-DE.json') },
  { ...cells('DE'), reply: file('manr-DE.json') },
  { ...cells('EL', 'CP00', newest), reply: file('manr-EL-newest.json') },
  { ...cells('EL'), reply: file('manr-EL.json') },
  { ...cells('US', 'CP00', newest), reply: file('manr-US.json') },
  { ...cells('US'), reply: file('manr-US.json') },
];

describeConnector({
  provider: eurostat,
  exchanges,
  series: { id: 'prc_hicp_manr/M.RCH_A.CP00.DE' },
  unknownSeries: 'prc_hicp_manr/M.RCH_A.CP00.US',
  folderPath: ['data', 'economy', 'prc', 'prc_hicp_manr'],
  seriesPath: ['data', 'economy', 'prc', 'prc_hicp_manr', 'M', 'RCH_A', 'CP00'],
  unknownPath: ['data', 'nope'],
});

describe('eurostat', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(eurostat, { exchanges: [...more, ...exchanges] });
    return opened;
  };

  it('reads a sparse cube with its digits; an absent position is a missing value', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx);
    expect(label).toBe(
      'HICP - monthly data (annual rate of change) (1997-2025): Monthly - Annual rate of change - All-items HICP - Germany',
    );
    expect(metadata).toEqual({
      frequency: 'Monthly',
      units: 'Annual rate of change',
      unit: 'Annual rate of change',
      unitMultiplier: 1,
      source: 'Eurostat',
      notes:
        'The Harmonised Index of Consumer Prices (HICP) measures price changes & inflation. Replaced by prc_hicp_minr',
      last_update: '2026-02-06T23:00:00+0100',
    });
    expect(data).toEqual([
      { date: '2025-09-01', value: '2.40' },
      { date: '2025-10-01', value: '2.3' },
      { date: '2025-11-01', value: null },
      { date: '2025-12-01', value: '2.0' },
    ]);
  });

  it('filters by the range itself', async () => {
    const { ctx } = await open();
    const bounds = { start: '2025-10', end: '2025-11-30' };
    const { data } = await eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', bounds, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2025-10-01', '2025-11-01']);
  });

  it('previews a series that ended long ago by its own newest values', async () => {
    const { ctx } = await open();
    const { data } = await eurostat.preview('prc_hicp_manr/M.RCH_A.CP00.EL', {}, ctx);
    expect(data[0]).toEqual({ date: '2014-05-01', value: '-2.10' });
  });

  it.each([
    'prc_hicp_manr/M.RCH_A.CP00.GR',
    'prc_hicp_manr/M.RCH_A.CP00',
    'prc_hicp_manr/M.RCH_A.CP00.DE.X',
    'nope/M.DE',
  ])('sends no data request for %s', async (id) => {
    const { ctx, upstream } = await open();
    await expect(eurostat.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    expect(upstream.calls.filter(({ url }) => url.startsWith('/statistics'))).toEqual([]);
  });

  it.each([
    ['2025', '2025-01-01'],
    ['2025-S2', '2025-07-01'],
    ['2025-Q2', '2025-04-01'],
    ['2025-W02', '2025-01-06'],
    ['2025-05-28', '2025-05-28'],
  ])('dates the period %s', async (period, date) => {
    const reply = file('manr-DE.json').replaceAll('"2025-09"', `"${period}"`);
    const { ctx } = await open([{ ...cells('DE'), reply }]);
    const { data } = await eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx);
    expect(data[0]).toEqual({ date, value: '2.40' });
  });

  it('drops an empty cell whose date has a value with another frequency', async () => {
    const reply = file('manr-DE.json').replaceAll('"2025-11"', '"2025-Q4"');
    const { ctx } = await open([{ ...cells('DE'), reply }]);
    const { data } = await eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2025-09-01', '2025-10-01', '2025-12-01']);
  });

  const fault = (code: number, text: string): string =>
    `<S:Fault xmlns:S="http://schemas.xmlsoap.org/soap/envelope/">\n<faultcode>${code}</faultcode>\n<faultstring>${text}</faultstring>\n</S:Fault>`;

  it.each([
    [
      'a fault with 413',
      413,
      fault(413, 'EXTRACTION_TOO_BIG: estimated 420709314 rows'),
      'upstream_too_large',
    ],
    ['413 without a body', 413, '', 'upstream_too_large'],
    [
      'the asynchronous notice inside 200',
      200,
      {
        warning: {
          status: 413,
          label: 'ASYNCHRONOUS_RESPONSE. Your request will be treated asynchronously.',
        },
      },
      'upstream_too_large',
    ],
    ['no results', 404, noResults, 'series_not_found'],
    [
      'no results inside 200',
      200,
      { error: [{ status: 400, id: 100, label: 'ERR_NOT_FOUND_4' }] },
      'series_not_found',
    ],
    [
      'a code that the dataset lacks',
      400,
      { error: [{ status: 400, id: 150, label: 'INVALID_QUERY_DIMENSION_VALUE: geo' }] },
      'series_not_found',
    ],
    [
      'another refusal',
      400,
      { error: [{ status: 400, label: 'INVALID_LANGUAGE' }] },
      'upstream_refused_request',
    ],
    ['an error of the server', 500, { error: [{ status: 500, label: 'ERR_INTERNAL' }] }, 'upstream_failed'],
    ['a list in place of the cube', 200, [], 'unexpected_reply'],
  ])('recognises %s', async (_name, status, reply, code) => {
    const { ctx } = await open([{ ...cells('DE'), status, reply }]);
    await expect(eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx)).rejects.toMatchObject({ code });
  });

  it('refuses a cube of several series', async () => {
    const reply = file('manr-DE.json')
      .replace('"index": {"DE": 0}', '"index": {"DE": 0, "FR": 1}')
      .replace('[1, 1, 1, 1, 4]', '[1, 1, 1, 2, 4]');
    const { ctx } = await open([{ ...cells('DE'), reply }]);
    await expect(eurostat.series('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
    });
  });

  it.each([
    ['DE+FR+US', ['DE', 'FR', 'US']],
    ['', undefined],
    ['*', undefined],
  ])('reads all series of the key M.RCH_A.CP00.%s from one cube', async (part, geo) => {
    const { geo: _, ...others } = cells('').query ?? {};
    const query = { ...others, ...(geo === undefined ? {} : { geo }) };
    const { ctx, upstream } = await open([{ ...cells(''), query, reply: file('manr-three.json') }]);
    const found = await eurostat.panel?.(`prc_hicp_manr/M.RCH_A.CP00.${part}`, { start: '2025-11' }, ctx);
    // The recorded cube has no value of the United States.
    expect(found?.series).toEqual([
      {
        codes: ['DE'],
        labels: ['Germany'],
        data: [
          { date: '2025-11-01', value: '2.6' },
          { date: '2025-12-01', value: '2.0' },
        ],
      },
      {
        codes: ['FR'],
        labels: ['France'],
        data: [
          { date: '2025-11-01', value: '0.8' },
          { date: '2025-12-01', value: '0.7' },
        ],
      },
    ]);
    expect(found?.dimensions.map(({ id }) => id)).toEqual(['geo']);
    expect(found?.metadata).toMatchObject({ unit: 'Annual rate of change', frequency: 'Monthly' });
    expect(upstream.calls.filter(({ url }) => url.startsWith('/statistics'))).toHaveLength(1);
  });

  it('names the unknown code of a panel, and refuses a cube that is too large', async () => {
    const large = JSON.parse(file('manr-three.json')) as {
      size: number[];
      dimension: Record<string, { category: object }>;
    };
    const many = {
      category: {
        index: Object.fromEntries(Array.from({ length: 400 }, (_, place) => [`X${place}`, place])),
      },
    };
    const reply = {
      ...large,
      size: [1, 1, 400, 400, 12],
      dimension: { ...large.dimension, coicop: many, geo: many },
    };
    const { ctx, upstream } = await open([{ ...cells('DE'), reply: { ...reply, value: [{}] } }]);
    await expect(eurostat.panel?.('prc_hicp_manr/M.RCH_A.CP00.DE+GR', {}, ctx)).rejects.toMatchObject({
      details: { dimension: 'geo', code: 'GR' },
    });
    expect(upstream.calls.filter(({ url }) => url.startsWith('/statistics'))).toEqual([]);
    await expect(eurostat.panel?.('prc_hicp_manr/M.RCH_A.CP00.DE', {}, ctx)).rejects.toMatchObject({
      code: 'panel_too_large',
    });
  });

  it('reads a large cube in short turns of the event loop', async () => {
    const three = JSON.parse(file('manr-three.json')) as {
      dimension: Record<string, { category: { index: Record<string, number> } }>;
    };
    const many = (length: number) => ({
      category: { index: Object.fromEntries(Array.from({ length }, (_, place) => [`X${place}`, place])) },
    });
    const payload = {
      ...three,
      size: [1, 1, 800, 100, Object.keys(three.dimension.time?.category.index ?? {}).length],
      dimension: { ...three.dimension, coicop: many(800), geo: many(100) },
      value: Array.from({ length: 40_000 }, (_, at) => at),
    };
    const { ctx } = await open();
    let structure: ReturnType<typeof ctx.http.text> | undefined;
    const http: typeof ctx.http = {
      text: (request) => {
        structure ??= ctx.http.text(request);
        return structure;
      },
      json: async () => payload,
    };
    const read = async () => eurostat.panel?.('prc_hicp_manr/M.RCH_A..', {}, { ...ctx, http });
    const { codes, data } = (await read())?.series[0] ?? {};
    expect(codes).toEqual(['X0', 'X0']);
    expect(data?.[1]?.value).toBe('1');
    await expectShortTurns(read);
  });

  it.each(['M.RCH_A.CP00.', 'M.*.CP00.DE', 'M.RCH_A.CP00.DE+FR'])(
    'says that %s is more than one series',
    async (key) => {
      const { ctx } = await open();
      await expect(eurostat.series(`prc_hicp_manr/${key}`, {}, ctx)).rejects.toMatchObject({
        code: 'ambiguous_series',
      });
    },
  );

  it('reads the last update of the dataset from a cube of one period', async () => {
    const { ctx, upstream } = await open([
      { ...cells('DE', 'CP00', { lastTimePeriod: '1' }), reply: file('manr-EL-newest.json') },
      {
        ...cells('FR', 'CP00', { lastTimePeriod: '1' }),
        reply: file('manr-DE.json').replace('"updated"', '"u"'),
      },
    ]);
    const lastUpdateOf = (geo: string) => eurostat.lastUpdate?.(`prc_hicp_manr/M.RCH_A.CP00.${geo}`, {}, ctx);
    expect(await lastUpdateOf('DE')).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    expect(await lastUpdateOf('FR')).toBeUndefined();
    expect(upstream.calls.filter(({ url }) => url.startsWith('/statistics'))).toHaveLength(2);
  });

  it('reads the tree from the indentation, three levels at a time', async () => {
    const { ctx } = await open();
    expect(await eurostat.browse?.(['data', 'economy'], ctx)).toEqual([
      {
        segment: 'prc',
        label: 'Prices',
        children: [
          { segment: 'prc_hicp_manr', label: 'HICP - monthly data (annual rate of change) (1997-2025)' },
        ],
      },
      {
        segment: 'bop',
        label: 'Balance of payments, again',
        children: [{ segment: 'ei_bpm6ca_q', label: 'Current account - quarterly data' }],
      },
    ]);
    const [root] = (await eurostat.browse?.([], ctx)) ?? [];
    expect(root?.children?.[0]?.children?.[0]).toEqual({
      segment: 'euroind',
      label: 'European and national indicators for short-term analysis',
    });
  });

  it('lists the dimensions of a dataset; the last one lists the series', async () => {
    const { ctx } = await open();
    const dataset = ['data', 'economy', 'prc', 'prc_hicp_manr'];
    expect(await eurostat.browse?.(dataset, ctx)).toEqual([{ segment: 'M', label: 'Monthly' }]);
    expect(await eurostat.browse?.([...dataset, 'M', 'RCH_A'], ctx)).toEqual([
      { segment: 'CP00', label: 'All-items HICP', leaf: true },
      { segment: 'CP01', label: 'Food and non-alcoholic beverages', leaf: true },
    ]);
    expect(await eurostat.browse?.([...dataset, 'M', 'RCH_A', 'CP00'], ctx)).toEqual([]);
    const page = await eurostat.seriesAt?.([...dataset, 'M', 'RCH_A', 'CP00'], { limit: 1, offset: 1 }, ctx);
    expect(page).toEqual({
      items: [
        {
          id: 'prc_hicp_manr/M.RCH_A.CP00.EL',
          label: 'Monthly - Annual rate of change - All-items HICP - Greece',
          path: [...dataset, 'M', 'RCH_A', 'CP00'],
        },
      ],
      total: 4,
    });
    expect(await eurostat.seriesAt?.(dataset, { limit: 10, offset: 0 }, ctx)).toEqual({
      items: [],
      total: 0,
    });
    for (const codes of [['Q'], ['M', 'RCH_A', 'CP00', 'DE']]) {
      await expect(eurostat.browse?.([...dataset, ...codes], ctx)).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
  });

  it('lists every dataset once, at its first place', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of eurostat.listAll?.(ctx) ?? []) items.push(item);
    const folders = items.filter(({ kind }) => kind === 'folder');
    expect(folders.map(({ id }) => id)).toEqual(['ei_bpm6ca_q', 'ei_bpm6fa_q', 'prc_hicp_manr']);
    expect(items[0]).toEqual({
      id: 'ei_bpm6ca_q',
      label: 'Current account - quarterly data',
      kind: 'folder',
      path: ['data', 'general', 'euroind', 'ei_bp', 'ei_bpm6ca_q'],
    });
    expect(items[1]?.label).toBe('Financial account - "quarterly" data');
  });

  it('lists the families of series with the places that their datasets have', async () => {
    const { ctx } = await open();
    const items = [];
    for await (const item of eurostat.listAll?.(ctx) ?? []) items.push(item);
    // Other datasets do not have the dimensions of this reply, so they list nothing.
    expect(items.filter(({ kind }) => kind === undefined)).toEqual([
      { id: 'prc_hicp_minr/M.RCH_A.TOTAL.DE', label: 'HICP inflation, all items, monthly, Germany' },
      { id: 'prc_hicp_minr/M.RCH_A.TOTAL.EL', label: 'HICP inflation, all items, monthly, Greece' },
      { id: 'prc_hicp_minr/M.RCH_A.TOTAL.FR', label: 'HICP inflation, all items, monthly, France' },
      { id: 'prc_hicp_minr/M.RCH_A.TOTAL.US', label: 'HICP inflation, all items, monthly, United States' },
    ]);
  });

  it.each(['<html></html>', '"title"\t"code"\t"type"\n"        Too deep"\t"x"\t"folder"'])(
    'refuses a table of contents that is none: %j',
    async (reply) => {
      const { ctx } = await open([{ path: '/catalogue/toc/txt', query: { lang: 'en' }, reply }]);
      await expect(eurostat.browse?.([], ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
    },
  );
});
