import { describe, expect, it } from 'vitest';
import type { SeriesData } from '../../../../src/providers/provider.js';
import { readCsvTable, readXmlData, toTable } from '../../../../src/providers/sdmx21/data.js';
import { hasUnknownUnit, toSeriesData } from '../../../../src/providers/sdmx21/series.js';
import { parseXml } from '../../../../src/providers/xml.js';
import { readSample, sampleOf } from '../samples.js';

type Attributes = Readonly<Record<string, string>>;

/** Attributes of a data set, of its only series, and of each observation: in January, in February … */
interface Given {
  readonly dataSet?: Attributes;
  readonly series?: Attributes;
  readonly rows: readonly Attributes[];
}

const periods = ['2025-01', '2025-02', '2025-03'];

const values = (given: Attributes = {}): string =>
  Object.entries(given)
    .map(([id, value]) => `<g:Value id="${id}" value="${value}"/>`)
    .join('');
const attributesOf = (given: Attributes = {}): string => `<g:Attributes>${values(given)}</g:Attributes>`;

const generic = ({ dataSet, series, rows }: Given): string => {
  const observations = rows.map(
    (row, at) =>
      `<g:Obs><g:ObsDimension value="${periods[at]}"/><g:ObsValue value="${at}"/>${attributesOf(row)}</g:Obs>`,
  );
  const key = values({ FREQ: 'M', REF_AREA: '524', COMMODITY: '7000', TRANSACTION: '01' });
  return `<m:GenericData xmlns:m="m" xmlns:g="g"><m:DataSet>${attributesOf(dataSet)}<g:Series><g:SeriesKey>${key}</g:SeriesKey>
    ${attributesOf(series)}${observations.join('')}</g:Series></m:DataSet></m:GenericData>`;
};

const written = (given: Attributes = {}): string =>
  Object.entries(given)
    .map(([id, value]) => ` ${id}="${value}"`)
    .join('');

const specific = ({ dataSet, series, rows }: Given): string => {
  const observations = rows.map(
    (row, at) => `<Obs TIME_PERIOD="${periods[at]}" OBS_VALUE="${at}"${written(row)}/>`,
  );
  return `<m:StructureSpecificData xmlns:m="m"><m:DataSet${written(dataSet)}><Series FREQ="M"${written(series)}>
    ${observations.join('')}</Series></m:DataSet></m:StructureSpecificData>`;
};

const ids = ['UNIT', 'UNIT_MULT'];
/** Attributes as positions, as the IMF sends them. */
const json = ({ dataSet, series, rows }: Given): string => {
  const all = [...new Set([dataSet, series, ...rows].flatMap((one) => Object.values(one ?? {})))];
  const parts = ids.map((id) => ({ id, values: all.map((code) => ({ id: code })) }));
  const cells = (given: Attributes = {}) =>
    ids.map((id) => (given[id] === undefined ? null : all.indexOf(given[id])));
  const key = { COUNTRY: 'G001', INDICATOR: 'PGOLD', DATA_TRANSFORMATION: 'USD', FREQUENCY: 'M' };
  return JSON.stringify({
    data: {
      dataSets: [
        {
          attributes: cells(dataSet),
          series: {
            '0:0:0:0': {
              attributes: cells(series),
              observations: Object.fromEntries(rows.map((row, at) => [at, [String(at), ...cells(row)]])),
            },
          },
        },
      ],
      structures: [
        {
          dimensions: {
            series: Object.entries(key).map(([id, code]) => ({ id, values: [{ id: code }] })),
            observation: [{ id: 'TIME_PERIOD', values: periods.map((value) => ({ value })) }],
          },
          attributes: { dataSet: parts, series: parts, observation: parts },
        },
      ],
    },
  });
};

const csv = (rows: readonly string[]): string =>
  `KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,UNIT,UNIT_MULT,TITLE\n${rows
    .map((row) => `EXR.M.USD.EUR.SP00.A,M,USD,EUR,SP00,A,${row}\n`)
    .join('')}`;

const provider = { slug: 'x', name: 'X Statistics', provider: 'X Office', seriesIdPlaceholder: 'F/M.CH' };

const forms: readonly (readonly [form: string, read: (given: Given) => Promise<SeriesData>])[] = [
  ['generic XML', (given) => readSample(sampleOf('undata'), () => generic(given))],
  [
    'structure-specific XML',
    async (given) =>
      toSeriesData(provider, toTable(readXmlData(parseXml(specific(given)))), (_id, code) =>
        code === 'EUR' ? 'Euro' : undefined,
      ),
  ],
  ['SDMX-JSON', (given) => readSample(sampleOf('imf'), () => json(given))],
];

const euro = expect.stringMatching(/^(?:Euro|EUR)$/);

describe.each(forms)('the unit of a series in %s', (_form, read) => {
  const refused = { code: 'unexpected_reply', message: expect.stringContaining('several magnitudes') };

  it('is that of its observations', async () => {
    const row = { UNIT: 'EUR', UNIT_MULT: '6' };
    const { metadata, data } = await read({ rows: [row, row] });
    expect(metadata).toMatchObject({ unit: euro, unitMultiplier: 1e6 });
    expect(data.map(({ value }) => value)).toEqual(['0', '1']);
  });

  it('is that of the newest observation that has one', async () => {
    const { metadata } = await read({
      rows: [{ UNIT: 'USD' }, { UNIT: 'EUR', UNIT_MULT: '6' }, {}],
    });
    expect(metadata).toMatchObject({ unit: euro, unitMultiplier: 1e6 });
  });

  it('is that of the data set if nothing else has one', async () => {
    const dataSet = { UNIT: 'EUR', UNIT_MULT: '6' };
    expect((await read({ dataSet, rows: [{}, {}] })).metadata).toMatchObject({
      unit: euro,
      unitMultiplier: 1e6,
    });
    const found = await read({ dataSet, series: { UNIT_MULT: '3' }, rows: [{}] });
    expect(found.metadata).toMatchObject({ unit: euro, unitMultiplier: 1e3 });
  });

  it('is that of the observations rather than that of the series', async () => {
    const series = { UNIT: 'USD', UNIT_MULT: '3' };
    const row = { UNIT: 'EUR', UNIT_MULT: '6' };
    expect((await read({ series, rows: [row, row] })).metadata).toMatchObject({
      unit: euro,
      unitMultiplier: 1e6,
    });
    expect((await read({ series, rows: [{}, {}] })).metadata).toMatchObject({ unitMultiplier: 1e3 });
  });

  it('has one magnitude', async () => {
    await expect(read({ rows: [{ UNIT_MULT: '6' }, { UNIT_MULT: '3' }] })).rejects.toMatchObject(refused);
    await expect(read({ series: { UNIT_MULT: '6' }, rows: [{}, { UNIT_MULT: '3' }] })).rejects.toMatchObject(
      refused,
    );
  });
});

describe('the unit of a series in SDMX-CSV', () => {
  const read = async (...rows: string[]) => (await readSample(sampleOf('ecb'), () => csv(rows))).metadata;

  it('is known if the last row is a missing value without attributes', async () => {
    expect(await read('2025-01,1,EUR,6,Loans', '2025-02,2,EUR,6,Loans', '2025-03,,,,')).toMatchObject({
      unit: 'Euro',
      unitMultiplier: 1e6,
    });
  });

  it('is that of the newest row that has one, in any order of the rows', async () => {
    expect(await read('2025-03,,,,Loans', '2025-02,2,EUR,6,Loans', '2025-01,1,USD,,Loans')).toMatchObject({
      unit: 'Euro',
      unitMultiplier: 1e6,
    });
  });

  it('needs the structure if any row has a code without words', async () => {
    const unknown = async (...rows: string[]) =>
      hasUnknownUnit(
        { ...provider, unitWords: { PC: 'Percent' } },
        await readCsvTable(provider, csv(rows), () => new Error('too many rows')),
      );
    expect(await unknown('2025-01,1,,,', '2025-02,2,PC,0,')).toBe(false);
    expect(await unknown('2025-01,1,,,', '2025-02,2,XX,0,')).toBe(true);
  });
});
