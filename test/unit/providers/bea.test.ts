import { afterEach, describe, expect, it } from 'vitest';
import { bea } from '../../../src/providers/bea/bea.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { canaryKey, describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/bea/${name}.json`);

const ask = (query: Record<string, string>, reply: unknown): Exchange => ({
  path: '/',
  query: { ResultFormat: 'JSON', ...query },
  reply,
});
const values = (codes: Readonly<Record<string, string>>) => ({
  BEAAPI: {
    Request: { RequestParam: [] },
    Results: { ParamValue: Object.entries(codes).map(([Key, Desc]) => ({ Key, Desc })) },
  },
});
const tables = (datasetname: string, reply: unknown) =>
  ask({ method: 'GetParameterValues', datasetname, ParameterName: 'TableName' }, reply);
const codes = (datasetname: string, ParameterName: string, list: Readonly<Record<string, string>>) =>
  ask({ method: 'GetParameterValues', datasetname, ParameterName }, values(list));
const filtered = (TargetParameter: string, reply: unknown) =>
  ask(
    { method: 'GetParameterValuesFiltered', datasetname: 'Regional', TableName: 'SAGDP2N', TargetParameter },
    reply,
  );
const nipa = (TableName: string, Frequency: string, Year: string, reply: unknown) =>
  ask({ method: 'GetData', datasetname: 'NIPA', TableName, Frequency, Year }, reply);
const regional = (Year: string, reply: unknown) =>
  ask(
    {
      method: 'GetData',
      datasetname: 'Regional',
      TableName: 'SAGDP2N',
      LineCode: '1',
      GeoFips: '01000',
      Year,
    },
    reply,
  );
const error = (APIErrorDescription: string, APIErrorCode = '1') => ({
  BEAAPI: {
    Request: { RequestParam: [{ ParameterName: 'USERID', ParameterValue: canaryKey }] },
    Results: { Error: { APIErrorCode, APIErrorDescription } },
  },
});

const recent = '2019,2020,2021,2022,2023,2024,2025,2026';

// Regional data and the error about the key follow recorded replies; tables, lines, rows of NIPA and the other
// places of an error follow other programs. Not recorded: `Notes`, lists of lines and areas, marks
// for missing values, errors about limits, years and codes.
const exchanges: Exchange[] = [
  tables('NIPA', own('tables-NIPA')),
  tables(
    'NIUnderlyingDetail',
    values({ U20405: 'Table 2.4.5U. Personal Consumption Expenditures (A) (Q) (M)' }),
  ),
  tables('FixedAssets', values({ FAAt101: 'Table 1.1. Current-Cost Net Stock of Fixed Assets (A)' })),
  tables('Regional', values({ SAGDP2N: 'Gross domestic product (GDP) by state' })),
  filtered('LineCode', values({ '1': '[SAGDP2N] Gross Domestic Product (GDP): All industry total' })),
  filtered('GeoFips', values({ '00000': 'United States', '01000': 'Alabama', '02000': 'Alaska' })),
  nipa('T10105', 'Q', recent, own('T10105-Q')),
  nipa('T10105', 'Q', 'ALL', own('T10105-Q')),
  regional('ALL', own('SAGDP2N-1-01000')),
  codes('GDPbyIndustry', 'TableID', { '1': 'Value Added by Industry (A) (Q)' }),
  codes('GDPbyIndustry', 'Industry', { '11': 'Agriculture, forestry, fishing, and hunting (A,Q)' }),
  codes('ITA', 'Indicator', { BalGds: 'Balance on goods' }),
  codes('ITA', 'AreaOrCountry', { AllCountries: 'All countries', China: 'China' }),
  codes('IIP', 'TypeOfInvestment', { FinAssets: 'U.S. assets' }),
  codes('IIP', 'Component', { Pos: 'Position' }),
];

describeConnector({
  provider: bea,
  exchanges,
  series: { id: 'NIPA/T10105/Q/1' },
  unknownSeries: 'NIPA/T99999/Q/1',
  folderPath: ['NIPA'],
  seriesPath: ['NIPA', 'T10105', 'Q'],
  unknownPath: ['NIPA', 'T99999'],
  keyRefused: { reply: error('Invalid Request - Invalid API UserId.') },
  limitReached: { reply: error('The request limit per minute was exceeded.') },
});

// Rows follow what public clients in Rust, R and Python read of these datasets; nothing was recorded.
describe('bea: datasets of two parameters', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const read = async (id: string, query: Record<string, string>, reply: unknown) => {
    const data = ask({ method: 'GetData', Year: 'ALL', ...query }, reply);
    opened = await openConnector(bea, { exchanges: [data, ...exchanges], apiKey: canaryKey });
    return bea.series(id, {}, opened.ctx);
  };

  it('reads year and quarter of GDP by industry, and the unit in its note', async () => {
    const query = { datasetname: 'GDPbyIndustry', TableID: '1', Industry: '11', Frequency: 'Q' };
    const found = await read('GDPbyIndustry/1/Q/11', query, own('GDPbyIndustry-1-Q-11'));
    expect(found).toMatchObject({
      label: 'Value Added by Industry (A) (Q), Agriculture, forestry, fishing, and hunting (A,Q)',
      metadata: { frequency: 'Quarterly', unit: 'dollars', unitMultiplier: 1_000_000_000 },
      data: [
        { date: '2023-07-01', value: '1110.25' },
        { date: '2023-10-01', value: null },
      ],
    });
  });

  it('reads international transactions, also a single row without brackets', async () => {
    const query = { datasetname: 'ITA', Indicator: 'BalGds', AreaOrCountry: 'China', Frequency: 'QSA' };
    const found = await read('ITA/BalGds/QSA/China', query, own('ITA-BalGds-QSA-China'));
    expect(found).toMatchObject({
      label: 'Balance on goods, China',
      metadata: { frequency: 'Quarterly', unitMultiplier: 1_000_000 },
      data: [{ date: '2025-10-01', value: '-52345' }],
    });
  });

  it('reads the investment position, also without `Results`; an empty value is missing', async () => {
    const query = { datasetname: 'IIP', TypeOfInvestment: 'FinAssets', Component: 'Pos', Frequency: 'A' };
    const reply = JSON.parse(own('IIP-FinAssets-A-Pos')) as { BEAAPI: { Results: object } };
    const expected = {
      label: 'U.S. assets, Position',
      data: [
        { date: '2024-01-01', value: '35894302' },
        { date: '2025-01-01', value: null },
      ],
    };
    expect(await read('IIP/FinAssets/A/Pos', query, reply)).toMatchObject(expected);
    await opened?.close();
    expect(await read('IIP/FinAssets/A/Pos', query, { BEAAPI: reply.BEAAPI.Results })).toMatchObject(
      expected,
    );
  });

  it('sends no data request for a code that is not listed, and lists the series of a code', async () => {
    opened = await openConnector(bea, { exchanges, apiKey: canaryKey });
    const { ctx, upstream } = opened;
    await expect(bea.series('ITA/BalGds/QSA/Atlantis', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(bea.series('ITA/Nothing/QSA/China', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(bea.series('ITA/BalGds/M/China', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstream.unmatched).toEqual([]);
    const page = await bea.seriesAt?.(['ITA', 'BalGds', 'QSA'], { limit: 10, offset: 0 }, ctx);
    expect(page?.items.map(({ id }) => id)).toEqual(['ITA/BalGds/QSA/AllCountries', 'ITA/BalGds/QSA/China']);
  });
});

describe('bea', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(bea, { exchanges: [...more, ...exchanges], apiKey: canaryKey });
    return opened;
  };
  /** Rows of the first line of T20600, by month. */
  const monthly = (...rows: readonly Readonly<Record<string, unknown>>[]) =>
    nipa('T20600', 'M', 'ALL', {
      BEAAPI: {
        Results: {
          Data: rows.map((row) => ({
            LineNumber: '1',
            LineDescription: 'Personal income',
            TimePeriod: '2026M01',
            CL_UNIT: 'Level',
            UNIT_MULT: '6',
            DataValue: '1',
            ...row,
          })),
        },
      },
    });

  it('refuses values of several magnitudes', async () => {
    const { ctx } = await open([monthly({}, { TimePeriod: '2026M02', UNIT_MULT: '9' })]);
    await expect(bea.series('NIPA/T20600/M/1', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('removes the commas from numbers and has the unit in the metadata', async () => {
    const { ctx } = await open();
    expect(await bea.series('NIPA/T10105/Q/1', {}, ctx)).toEqual({
      label: 'Gross domestic product, Table 1.1.5. Gross Domestic Product',
      metadata: {
        frequency: 'Quarterly',
        units: 'Millions of Current Dollars',
        unit: 'Current Dollars',
        unitMultiplier: 1_000_000,
        source: 'U.S. Bureau of Economic Analysis',
        notes: 'Table 1.1.5. Gross Domestic Product - LastRevised: February 26, 2026',
        produced: '2026-03-10T11:02:17.113',
        series_code: 'A191RC',
      },
      data: [
        { date: '2025-07-01', value: '30485729' },
        { date: '2025-10-01', value: '31204118' },
      ],
    });
  });

  it('reads the series of a region', async () => {
    const { ctx } = await open();
    const found = await bea.series('Regional/SAGDP2N/1/01000', {}, ctx);
    expect(found.label).toBe('Gross domestic product (GDP) by state: All industry total, Alabama');
    expect(found.metadata).toMatchObject({
      frequency: 'Annual',
      units: 'Millions of current dollars',
      unit: 'current dollars',
      unitMultiplier: 1_000_000,
    });
    expect(found.data).toEqual([
      { date: '2017-01-01', value: '216616' },
      { date: '2018-01-01', value: null },
      { date: '2019-01-01', value: '234526.5' },
    ]);
  });

  it.each(['(NA)', '(D)', '(NM)', '(L)', '...', '…', '---', ''])('reads %j as missing', async (DataValue) => {
    const { ctx } = await open([monthly({ DataValue })]);
    expect((await bea.series('NIPA/T20600/M/1', {}, ctx)).data).toEqual([
      { date: '2026-01-01', value: null },
    ]);
  });

  it.each([['a period of another form', { TimePeriod: '2026M13' }]])('refuses %s', async (_name, row) => {
    const { ctx } = await open([monthly(row)]);
    await expect(bea.series('NIPA/T20600/M/1', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it.each([
    [
      { METRIC_NAME: 'Current Dollars', CL_UNIT: 'Level', UNIT_MULT: '9' },
      'Billions of Current Dollars',
      'Current Dollars',
      1e9,
    ],
    [
      { METRIC_NAME: 'Fisher Quantity Index', CL_UNIT: 'Percent change, annual rate', UNIT_MULT: '0' },
      'Fisher Quantity Index, Percent change, annual rate',
      'Fisher Quantity Index, Percent change, annual rate',
      1,
    ],
    [{ CL_UNIT: 'Thousands of persons', UNIT_MULT: 3 }, 'Thousands of persons', 'persons', 1000],
    [{ CL_UNIT: 'Dollars', UNIT_MULT: '2' }, 'Hundreds of Dollars', 'Dollars', 100],
    [{ CL_UNIT: 'Index', UNIT_MULT: null }, 'Index', 'Index', 1],
    [{ CL_UNIT: 'Dollars', UNIT_MULT: 'x' }, 'Dollars', 'Dollars', undefined],
  ])('describes the units of %j', async (row, units, unit, unitMultiplier) => {
    const { ctx } = await open([monthly(row)]);
    const { metadata } = await bea.series('NIPA/T20600/M/1', {}, ctx);
    expect(metadata).toMatchObject({ units, unit, frequency: 'Monthly' });
    expect(metadata.unitMultiplier).toBe(unitMultiplier);
  });

  it('requests only the years of a range, and filters by day', async () => {
    const { ctx, upstream } = await open([nipa('T10105', 'Q', '2024,2025', own('T10105-Q'))]);
    const { data } = await bea.series('NIPA/T10105/Q/1', { start: '2024-02', end: '2025-09-30' }, ctx);
    expect(data).toEqual([{ date: '2025-07-01', value: '30485729' }]);
    expect(upstream.unmatched).toEqual([]);
  });

  it('sends no data request for a table that does not exist, since errors lock the key out', async () => {
    const { ctx, upstream } = await open();
    for (const id of ['NIPA/T99999/Q/1', 'NIPA/T10105/M/1', 'NIPA/T20600/Q/1']) {
      await expect(bea.series(id, {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
    }
    for (const id of [
      'ITA/x/Q/1',
      'NIPA/T10105/Q',
      'NIPA/T10105/Q/1/2',
      'Regional/SAGDP2N/ALL/STATE',
      'toString/a/b/c',
    ]) {
      await expect(bea.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(upstream.calls.map(({ url }) => url).filter((url) => url.includes('GetData'))).toEqual([]);
  });

  it('reports an unknown line of a table as not found', async () => {
    const { ctx } = await open();
    await expect(bea.series('NIPA/T10105/Q/99', {}, ctx)).rejects.toMatchObject({ code: 'series_not_found' });
  });

  it('accepts results as a list of one', async () => {
    const reply = JSON.parse(own('T10105-Q'));
    reply.BEAAPI.Results = [reply.BEAAPI.Results];
    const { ctx } = await open([nipa('T10105', 'Q', 'ALL', reply)]);
    expect((await bea.series('NIPA/T10105/Q/1', {}, ctx)).data).toHaveLength(2);
  });

  const inUserId = { APIErrorCode: '1', APIErrorDescription: 'Invalid Request - Invalid API UserId.' };
  it.each([
    ['an error above the results', { BEAAPI: { Request: { RequestParam: [] }, Error: inUserId } }, 'invalid'],
    [
      'an error in a list of results',
      { BEAAPI: { Results: [{ Data: [] }, { Error: inUserId }] } },
      'invalid',
    ],
    ['a key that is not active', error('This UserId is not active.', '4'), 'invalid'],
    ['a year without data', error('The Year requested is not available.', '204'), 'invalid'],
    ['a code without data', error('The Table requested is not available.', '201'), 'not_found'],
    ['an error of its own', error('Unknown error.', '101'), 'upstream'],
  ])('recognises %s', async (_name, reply, kind) => {
    const { ctx } = await open([regional('ALL', reply)]);
    const failure = bea.series('Regional/SAGDP2N/1/01000', {}, ctx);
    await expect(failure).rejects.toMatchObject({ kind });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining(canaryKey) });
  });

  it('lists datasets, then tables, frequencies and lines', async () => {
    const { ctx } = await open();
    expect((await bea.browse?.([], ctx))?.map(({ segment }) => segment)).toEqual([
      'NIPA',
      'NIUnderlyingDetail',
      'FixedAssets',
      'Regional',
      'GDPbyIndustry',
      'ITA',
      'IIP',
    ]);
    expect(await bea.browse?.(['NIPA', 'T10105'], ctx)).toEqual([
      { segment: 'A', label: 'Annual', leaf: true },
      { segment: 'Q', label: 'Quarterly', leaf: true },
    ]);
    expect((await bea.browse?.(['NIPA', 'T10200'], ctx))?.map(({ segment }) => segment)).toEqual([
      'A',
      'Q',
      'M',
    ]);
    expect(await bea.seriesAt?.(['NIPA', 'T10105', 'Q'], { limit: 1, offset: 1 }, ctx)).toEqual({
      items: [
        {
          id: 'NIPA/T10105/Q/2',
          label: 'Personal consumption expenditures',
          description: 'Table 1.1.5. Gross Domestic Product (A) (Q)',
          frequency: 'Quarterly',
          units: 'Millions of Current Dollars',
          path: ['NIPA', 'T10105', 'Q'],
        },
      ],
      total: 2,
    });
    for (const path of [[], ['NIPA'], ['NIPA', 'T10105']]) {
      expect(await bea.seriesAt?.(path, { limit: 1, offset: 0 }, ctx)).toEqual({ items: [], total: 0 });
    }
  });

  it('lists regional tables, then lines and areas', async () => {
    const { ctx } = await open();
    const line = ['Regional', 'SAGDP2N', '1'];
    expect(await bea.browse?.(line.slice(0, 2), ctx)).toEqual([
      { segment: '1', label: '[SAGDP2N] Gross Domestic Product (GDP): All industry total', leaf: true },
    ]);
    expect(await bea.browse?.(line, ctx)).toEqual([]);
    expect(await bea.seriesAt?.(line, { limit: 1, offset: 1 }, ctx)).toEqual({
      items: [
        {
          id: 'Regional/SAGDP2N/1/01000',
          label: 'Alabama',
          description: '[SAGDP2N] Gross Domestic Product (GDP): All industry total',
          path: line,
        },
      ],
      total: 3,
    });
  });

  it.each([
    [['InputOutput']],
    [['toString']],
    [['NIPA', 'T20600', 'Q']],
    [['Regional', 'SAGDP2N', '2']],
    [['NIPA', 'T10105', 'Q', '1']],
  ])('rejects the unknown folder %j', async (path) => {
    const { ctx } = await open();
    await expect(bea.browse?.(path, ctx)).rejects.toMatchObject({ code: 'path_not_found' });
  });

  it('does not send a frequency to fixed assets', async () => {
    const years = Array.from({ length: 26 }, (_year, index) => 2001 + index).join(',');
    const { ctx, upstream } = await open([
      ask(
        { method: 'GetData', datasetname: 'FixedAssets', TableName: 'FAAt101', Year: years },
        own('SAGDP2N-1-01000').replaceAll('"GeoFips":"01000"', '"LineNumber":"1"'),
      ),
    ]);
    const { data } = await bea.preview('FixedAssets/FAAt101/A/1', {}, ctx);
    expect(data).toHaveLength(3);
    expect(upstream.unmatched).toEqual([]);
  });

  it('does not return the request that every reply echoes', async () => {
    const echo = own('T10105-Q').replaceAll('REDACTED', canaryKey);
    const { ctx } = await open([nipa('T10105', 'Q', 'ALL', echo)]);
    const found = await bea.series('NIPA/T10105/Q/1', {}, ctx);
    expect(JSON.stringify(found)).not.toContain(canaryKey);
  });

  it('has limits below those that lock the key out', () => {
    expect(bea.limits.keyed).toEqual({ perMinute: 100 });
    expect(bea.limits.errorsPerMinute).toBeLessThan(30);
    expect(bea.limits.anonymous).toBeUndefined();
  });
});
