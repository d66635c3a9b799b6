import { afterEach, describe, expect, it } from 'vitest';
import { readCsvTable, readXmlData } from '../../../../src/providers/sdmx21/data.js';
import type { Sdmx21Record } from '../../../../src/providers/sdmx21/record.js';
import { createSdmx21 } from '../../../../src/providers/sdmx21/sdmx21.js';
import { readAvailability, readStructure } from '../../../../src/providers/sdmx21/structure.js';
import { parseXml } from '../../../../src/providers/xml.js';
import { type OpenedConnector, openConnector } from '../../../support/connector.js';
import { expectShortTurns } from '../../../support/pauses.js';
import { type Exchange, fixture } from '../../../support/replay-upstream.js';
import { describeConnector } from '../contract.js';

const file = (name: string): string => fixture(`providers/sdmx21/${name}`);

const record: Sdmx21Record = {
  slug: 'xbank',
  name: 'X Bank Data',
  provider: 'X Bank',
  description: 'Policy rates and exchange rates of a central bank that does not exist.',
  popularSeries: [{ id: 'RATES/M.CH', label: 'Policy rate of Switzerland' }],
  seriesIdPlaceholder: 'RATES/M.CH',
  baseUrl: 'https://sdmx.xbank.example/rest',
  limits: { anonymous: { perSecond: 2 }, maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 20_000,
  agency: 'XB',
  flowRef: 'id',
  csv: { query: { format: 'csvdata' } },
  availability: 'constraint',
};
const xbank = createSdmx21(record);

// Forms follow recorded replies of ECB, BIS, Norges Bank and OECD; the bank itself is made up.
const noResults =
  '<mes:Error xmlns:mes="m" xmlns:com="c"><mes:ErrorMessage code="100"><com:Text>No data</com:Text></mes:ErrorMessage></mes:Error>';
const exchanges: Exchange[] = [
  { path: '/dataflow/XB/all/latest', reply: file('dataflows.xml') },
  { path: '/dataflow/XB/RATES/latest', query: { references: 'descendants' }, reply: file('structure.xml') },
  { path: '/dataflow/XB/NOPE/latest', query: { references: 'descendants' }, status: 404, reply: noResults },
  { path: '/availableconstraint/RATES/M./all/AREA', reply: file('availability.xml') },
  { path: '/data/RATES/M.', query: { detail: 'serieskeysonly' }, reply: file('keys.xml') },
  { path: '/availableconstraint/RATES/Q./all/AREA', status: 404, reply: noResults },
  { path: '/data/RATES/Q.', query: { detail: 'serieskeysonly' }, status: 404, reply: noResults },
  ...[{ lastNObservations: '24' }, {}, { startPeriod: '2026' }].map((query) => ({
    path: '/data/RATES/M.CH',
    query: { ...query, format: 'csvdata' },
    reply: file('rates.csv'),
  })),
  ...[{ lastNObservations: '24' }, {}].map((query) => ({
    path: '/data/RATES/M.NOPE',
    query: { ...query, format: 'csvdata' },
    status: 404,
    reply: noResults,
  })),
];

describeConnector({
  provider: xbank,
  exchanges,
  series: { id: 'RATES/M.CH' },
  unknownSeries: 'RATES/M.NOPE',
  folderPath: ['RATES', 'M'],
  seriesPath: ['RATES', 'M'],
  unknownPath: ['NOPE'],
});

describe('an SDMX 2.1 service', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (provider = xbank) => {
    opened = await openConnector(provider, { exchanges });
    return opened;
  };

  it('reads a large panel in short turns of the event loop', async () => {
    const { ctx } = await open();
    const months = Array.from({ length: 100 }, (_, at) => `${2000 + Math.floor(at / 12)}-M${(at % 12) + 1}`);
    const lines = Array.from({ length: 1_500 }, (_, area) =>
      months.map((month, at) => `XB:RATES(1.0),M,A${area},${month},${at}.50,A`),
    ).flat();
    const text = ['DATAFLOW,FREQ,AREA,TIME_PERIOD,OBS_VALUE,OBS_STATUS', ...lines].join('\n');
    const structure = await ctx.http.text({
      path: ['dataflow', 'XB', 'RATES', 'latest'],
      query: { references: 'descendants' },
    });
    const http: typeof ctx.http = {
      text: async ({ path }) => (path[0] === 'data' ? { ...structure, text } : structure),
      json: ctx.http.json,
    };
    const read = async () => xbank.panel?.('RATES/M.', {}, { ...ctx, http });
    const found = await read();
    expect(found?.series).toHaveLength(1_500);
    expect(found?.series[1_499]?.data[99]).toEqual({ date: '2008-04-01', value: '99.50' });
    await expectShortTurns(read);
  });

  it('spells out codes if the service sends no title', async () => {
    const { ctx } = await open();
    const { label, metadata, data } = await xbank.series('RATES/M.CH', {}, ctx);
    expect(label).toBe('Monthly - Switzerland');
    expect(metadata).toEqual({
      flags: { M: 'Missing value; data cannot exist' },
      frequency: 'Monthly',
      units: 'Per cent per year',
      unit: 'Per cent per year',
      unitMultiplier: 1,
      source: 'X Bank',
    });
    expect(data).toContainEqual({ date: '2025-12-01', value: '0.50' });
    expect(data).toContainEqual({ date: '2026-01-01', value: null, flag: 'M' });
  });

  it.each([
    ['is no XML', 200, 'Maintenance'],
    ['fails', 503, ''],
  ])('returns the values with their codes if the structure %s', async (_case, status, reply) => {
    const structure = { path: '/dataflow/XB/RATES/latest', query: { references: 'descendants' } };
    opened = await openConnector(xbank, { exchanges: [{ ...structure, status, reply }, ...exchanges] });
    const passed: string[] = [];
    const ctx = { ...opened.ctx, skipPart: (part: string) => passed.push(part) > 0 };
    const { label, metadata, data } = await xbank.series('RATES/M.CH', {}, ctx);
    expect(label).toBe('M - CH');
    expect(metadata.labels_note).toMatch(/names of the codes/);
    expect(data).toContainEqual({ date: '2025-12-01', value: '0.50' });
    expect(passed).toEqual(['structure']);
    // Without the structure nothing works, so the error reaches the caller.
    await expect(xbank.series('RATES/M.CH', {}, opened.ctx)).rejects.toMatchObject({ kind: 'upstream' });
  });

  it('omits a unit whose code has no label', async () => {
    const coded = createSdmx21({ ...record, codedUnits: true });
    const structure = { path: '/dataflow/XB/RATES/latest', query: { references: 'descendants' } };
    opened = await openConnector(coded, {
      exchanges: [{ ...structure, reply: 'Maintenance' }, ...exchanges],
    });
    const { metadata } = await coded.series('RATES/M.CH', {}, { ...opened.ctx, skipPart: () => true });
    expect([metadata.unit, metadata.units]).toEqual([undefined, undefined]);
  });

  it('lists flows, then the codes of each dimension that have data', async () => {
    const { ctx } = await open();
    expect(await xbank.browse?.([], ctx)).toEqual([
      { segment: 'RATES', label: 'Policy rates' },
      { segment: 'EXR', label: 'Exchange rates' },
    ]);
    expect(await xbank.browse?.(['RATES', 'M'], ctx)).toEqual([
      { segment: 'CH', label: 'Switzerland', leaf: true },
      { segment: 'NO', label: 'Norge', leaf: true },
    ]);
    expect(await xbank.browse?.(['RATES', 'M', 'CH'], ctx)).toEqual([]);
  });

  it('reports a code that is not in the list as not found', async () => {
    const { ctx } = await open();
    await expect(xbank.browse?.(['RATES', 'Z'], ctx)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(xbank.browse?.(['RATES', 'M', 'CH', 'M'], ctx)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('lists the series below a path', async () => {
    const { ctx } = await open();
    expect(await xbank.seriesAt?.(['RATES', 'M'], { limit: 1, offset: 1 }, ctx)).toEqual({
      items: [{ id: 'RATES/M.NO', label: 'Monthly - Norge', path: ['RATES', 'M', 'NO'] }],
      total: 2,
    });
  });

  it('names the open dimensions of an id of several series', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: `${file('rates.csv')}XB:RATES(1.0),M,NO,2026-02,4.00,A,368,0\n` });
    await expect(xbank.series('RATES/M.', {}, ctx)).rejects.toMatchObject({
      code: 'ambiguous_series',
      message: expect.stringContaining('AREA'),
    });
  });

  it('filters by the range itself if the service does not', async () => {
    const cutting = createSdmx21({ ...record, cutsRange: true });
    const { ctx } = await open(cutting);
    const { data } = await cutting.series('RATES/M.CH', { start: '2026' }, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2026-02-01', '2026-01-01']);
  });

  it('returns no rows for a range without data, and not found for a series without any', async () => {
    const none = (key: string, query: Record<string, string>): Exchange => ({
      path: `/data/RATES/${key}`,
      query: { ...query, format: 'csvdata' },
      status: 404,
      reply: noResults,
    });
    const range = { startPeriod: '2031' };
    const last = { lastNObservations: '1' };
    const known = {
      path: '/data/RATES/M.CH',
      query: { ...last, format: 'csvdata' },
      reply: file('rates.csv'),
    };
    opened = await openConnector(xbank, {
      exchanges: [none('M.CH', range), known, none('M.NOPE', range), none('M.NOPE', last), ...exchanges],
    });
    const { ctx } = opened;
    const { label, metadata } = await xbank.series('RATES/M.CH', {}, ctx);
    expect(await xbank.series('RATES/M.CH', { start: '2031' }, ctx)).toEqual({ label, metadata, data: [] });
    await expect(xbank.series('RATES/M.NOPE', { start: '2031' }, ctx)).rejects.toMatchObject({
      code: 'series_not_found',
    });
  });

  it('returns an empty page for a path whose combination of codes has no data', async () => {
    const { ctx, upstream } = await open();
    const page = await xbank.seriesAt?.(['RATES', 'Q'], { limit: 10, offset: 0 }, ctx);
    expect(page).toEqual({ items: [], total: 0 });
    expect(await xbank.browse?.(['RATES', 'Q'], ctx)).toEqual([]);
    expect(upstream.unmatched).toEqual([]);
  });

  it('does not read a page as a list without series', async () => {
    const page = '<html><body>Maintenance</body></html>';
    const keys = { path: '/data/RATES/M.', query: { detail: 'serieskeysonly' }, reply: page };
    opened = await openConnector(xbank, { exchanges: [keys, ...exchanges] });
    await expect(
      xbank.seriesAt?.(['RATES', 'M'], { limit: 10, offset: 0 }, opened.ctx),
    ).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('does not make ids from keys that lack a dimension', async () => {
    const keys = { path: '/data/RATES/M.', query: { detail: 'serieskeysonly' } };
    const key = '<g:SeriesKey><g:Value id="FREQ" value="M"/></g:SeriesKey>';
    const reply = `<m:GenericData xmlns:m="m" xmlns:g="g"><m:DataSet><g:Series>${key}</g:Series></m:DataSet></m:GenericData>`;
    opened = await openConnector(xbank, { exchanges: [{ ...keys, reply }, ...exchanges] });
    await expect(
      xbank.seriesAt?.(['RATES', 'M'], { limit: 10, offset: 0 }, opened.ctx),
    ).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('sends the same request for preview and ranges if the record says wholeSeries', async () => {
    const whole = createSdmx21({ ...record, wholeSeries: true });
    const { ctx, upstream } = await open(whole);
    await whole.preview('RATES/M.CH', {}, ctx);
    const { data } = await whole.series('RATES/M.CH', { end: '2025' }, ctx);
    expect(data.map(({ date }) => date)).toEqual(['2025-12-01']);
    const downloads = upstream.calls.filter(({ url }) => url.startsWith('/data/'));
    expect(new Set(downloads.map(({ url }) => url)).size).toBe(1);
  });

  it('recognises a footer that announces the data as a file for later', async () => {
    const { ctx, upstream } = await open();
    upstream.answerAll({
      reply:
        '<m:GenericData xmlns:m="m"><f:Footer xmlns:f="f">\n<f:Message code="413" severity="Infomation"><c:Text xmlns:c="c">Due to the large query</c:Text></f:Message></f:Footer></m:GenericData>',
    });
    await expect(xbank.series('RATES/M.CH', {}, ctx)).rejects.toMatchObject({ code: 'upstream_too_large' });
  });

  it.each([
    [413, '', 'upstream_too_large'],
    [500, noResults.replace('100', '130'), 'upstream_too_large'],
    [400, noResults.replace('100', '150'), 'series_not_found'],
    [503, noResults.replace('100', '503'), 'upstream_failed'],
    [200, 'a,b\n1,2\n', 'unexpected_reply'],
  ])('recognises status %i with %s', async (status, reply, code) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ status, reply });
    await expect(xbank.series('RATES/M.CH', {}, ctx)).rejects.toMatchObject({ code });
  });
});

describe('the parts of the SDMX reader', () => {
  const refuse = (): Error => new Error('too many rows');
  const linesOf = (count: number): string =>
    Array.from({ length: count }, (_, at) => `M,CH,2024-01,${at},A,a note 🏔`).join('\n');
  const csvOf = (lines: string): string => `FREQ,REF_AREA,TIME_PERIOD,OBS_VALUE,OBS_STATUS,COMMENT\n${lines}`;

  it('reads only the columns of CSV that are used', async () => {
    const { columns, rows } = await readCsvTable(xbank, csvOf(linesOf(60_000)), refuse);
    expect(columns).toContain('COMMENT');
    expect(rows).toHaveLength(60_000);
    expect(rows.at(-1)).toEqual({
      FREQ: 'M',
      REF_AREA: 'CH',
      TIME_PERIOD: '2024-01',
      OBS_VALUE: '59999',
      OBS_STATUS: 'A',
    });
  });

  it('stops reading CSV at the first row that is too many', async () => {
    const text = csvOf(`${linesOf(250_000)}\n${linesOf(1)}\n"a quote that does not end`);
    await expect(readCsvTable(xbank, text, refuse)).rejects.toThrow('too many rows');
  });

  it('refuses a row of another width, and names its line', async () => {
    const text = csvOf(`${linesOf(2)}\nM,CH,2024-0`);
    await expect(readCsvTable(xbank, text, refuse)).rejects.toMatchObject({
      code: 'unexpected_reply',
      message: expect.stringContaining('line 4 must have 6 cells, not 3'),
    });
  });

  it('reads CSV with labels by its codes', async () => {
    const { columns, rows } = await readCsvTable(xbank, file('labels.csv'), refuse);
    expect(columns.slice(3)).toEqual(['AREA', 'FREQ', 'TIME_PERIOD', 'OBS_VALUE', 'OBS_STATUS']);
    expect(rows[1]).toMatchObject({ AREA: 'CH', FREQ: 'A', TIME_PERIOD: '2020', OBS_VALUE: '1' });
  });

  it('reads generic and structure-specific observations alike', () => {
    const generic =
      '<g:D xmlns:g="g"><g:DataSet><g:Attributes><g:Value id="U" value="9"/></g:Attributes><g:Series><g:SeriesKey><g:Value id="F" value="M"/></g:SeriesKey><g:Obs><g:ObsDimension value="2025-12"/><g:ObsValue value="0.10"/><g:Attributes><g:Value id="OBS_STATUS" value="A"/></g:Attributes></g:Obs></g:Series></g:DataSet></g:D>';
    const specific =
      '<g:D xmlns:g="g"><g:DataSet><Series F="M" U="9"><Obs TIME_PERIOD="2025-12" OBS_VALUE="0.10" OBS_STATUS="A"/></Series></g:DataSet></g:D>';
    const [one] = readXmlData(parseXml(generic));
    const [other] = readXmlData(parseXml(specific));
    expect(one?.key).toEqual({ F: 'M' });
    expect(one?.attributes).toEqual({ U: '9' });
    expect(other?.key.F).toBe('M');
    expect(other?.observations).toEqual(one?.observations);
    expect(one?.observations).toEqual([
      { period: '2025-12', value: '0.10', attributes: { OBS_STATUS: 'A' } },
    ]);
  });

  it('uses the referenced version of a code list, and the list of the concept if there is no other', () => {
    const list = (version: string, code: string): string =>
      `<s:Codelist id="GEO" agencyID="E" version="${version}"><s:Code id="${code}"/></s:Codelist>`;
    const dimension = (id: string, own: string): string =>
      `<s:Dimension id="${id}"><s:ConceptIdentity><Ref id="${id}" maintainableParentID="CS" agencyID="E"/></s:ConceptIdentity>${own}</s:Dimension>`;
    const ref = (version: string): string =>
      `<s:Enumeration><Ref id="GEO" agencyID="E" version="${version}"/></s:Enumeration>`;
    const structure = readStructure(
      parseXml(
        `<m:S xmlns:m="m" xmlns:s="s">${list('13.0', 'OLD')}${list('13.1', 'NEW')}
        <s:ConceptScheme id="CS" agencyID="E"><s:Concept id="b"><s:CoreRepresentation>${ref('13.1')}</s:CoreRepresentation></s:Concept></s:ConceptScheme>
        <s:DataStructure><s:DataStructureComponents><s:DimensionList>
        ${dimension('a', `<s:LocalRepresentation>${ref('13.1')}</s:LocalRepresentation>`)}${dimension('b', '')}${dimension('c', `<s:LocalRepresentation>${ref('14.0')}</s:LocalRepresentation>`)}${dimension('d', '')}
        </s:DimensionList></s:DataStructureComponents></s:DataStructure></m:S>`,
      ),
    );
    expect(structure?.dimensions.map(({ id, codes }) => [id, ...codes.keys()])).toEqual([
      ['a', 'NEW'],
      ['b', 'NEW'],
      ['c', 'OLD'],
      ['d'],
    ]);
  });

  it('refuses a document type and text that is not well-formed', () => {
    expect(() => parseXml('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')).toThrow(SyntaxError);
    expect(() => parseXml('<a><b></a>')).toThrow();
    expect(() => parseXml('')).toThrow();
  });
});

describe('the availability of codes', () => {
  const region = (codes: Readonly<Record<string, string>>, include = 'true'): string => {
    const values = Object.entries(codes).map(
      ([id, code]) => `<c:KeyValue id="${id}"><c:Value>${code}</c:Value></c:KeyValue>`,
    );
    return `<s:CubeRegion include="${include}">${values.join('')}</s:CubeRegion>`;
  };
  const constraint = (type: string, ...regions: string[]): string =>
    `<s:ContentConstraint type="${type}">${regions.join('')}</s:ContentConstraint>`;
  const read = (...constraints: string[]) =>
    Object.fromEntries(
      readAvailability(
        parseXml(`<m:Structure xmlns:m="m" xmlns:s="s" xmlns:c="c">${constraints.join('')}</m:Structure>`),
      ),
    );

  it('unites the regions of a constraint', () => {
    const daily = region({ FREQ: 'D', CURRENCY: 'USD' });
    const monthly = region({ FREQ: 'M', CURRENCY: 'USD' });
    const not = region({ FREQ: 'A' }, 'false');
    expect(read(constraint('Allowed', daily, monthly, not))).toEqual({ FREQ: ['D', 'M'], CURRENCY: ['USD'] });
  });

  it('prefers codes that have data to those that may have', () => {
    const actual = constraint('Actual', region({ FREQ: 'D' }));
    const allowed = constraint('Allowed', region({ FREQ: 'A', CURRENCY: 'JPY' }));
    expect(read(actual, allowed)).toEqual({ FREQ: ['D'] });
    expect(read(allowed, actual)).toEqual({ FREQ: ['D'] });
    expect(read(constraint('Actual'), allowed)).toEqual({ FREQ: ['A'], CURRENCY: ['JPY'] });
  });
});

describe('the magnitude of values', () => {
  const ask = async (first: string, second: string) => {
    const reply = `KEY,FREQ,AREA,TIME_PERIOD,OBS_VALUE,UNIT,UNIT_MULT\nRATES.M.CH,M,CH,2026-01,1,CHF,${first}\nRATES.M.CH,M,CH,2026-02,2,CHF,${second}\n`;
    const opened = await openConnector(xbank, {
      exchanges: [{ path: '/data/RATES/M.CH', query: { format: 'csvdata' }, reply }, ...exchanges],
    });
    try {
      return (await xbank.series('RATES/M.CH', {}, opened.ctx)).metadata.unitMultiplier;
    } finally {
      await opened.close();
    }
  };

  it('is that of all rows that have one', async () => {
    expect(await ask('3', '3.0')).toBe(1_000);
    expect(await ask('', '3')).toBe(1_000);
    await expect(ask('0', '3')).rejects.toMatchObject({ code: 'unexpected_reply' });
    await expect(ask('3', '0')).rejects.toMatchObject({ code: 'unexpected_reply' });
  });
});
