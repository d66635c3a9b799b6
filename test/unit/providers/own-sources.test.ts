import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readOwnSources } from '../../../src/providers/own/own-sources.js';
import type { Provider } from '../../../src/providers/provider.js';
import { openConnector } from '../../support/connector.js';
import { expectShortTurns } from '../../support/pauses.js';
import { fixture } from '../../support/replay-upstream.js';
import { describeConnector } from './contract.js';
import { readSample, sampleOf } from './samples.js';

const only = (text: string): Provider => {
  const [provider] = readOwnSources(text, []);
  if (provider === undefined) throw new Error('no record');
  return provider;
};

const mines = `
- kind: csv
  id: minesdata
  name: Mines
  provider: Office of Mines
  description: Monthly output of mines, as files on the web site of the office.
  baseUrl: https://mines.example.org/files/
  delimiter: ';'
  skipLines: 1
  dates: dmy
  decimalComma: true
  missing: ['-']
  series:
    - { id: copper, label: 'Copper, output', path: output/all.csv, date: Month, value: Copper, unit: Thousands of tons, frequency: Monthly }
    - { id: gold, label: 'Gold, output', path: output/all.csv, date: Month, value: Gold }
    - { id: gone, label: 'No longer there', path: output/gone.csv, date: Month, value: Gold }
`;
const file = 'Output of mines\nMonth;Copper;Gold\n01/01/2026;1,50;2\n01/02/2026;-;n/a\n01.03.2026;1.234;\n';
const exchanges = [
  { path: '/output/all.csv', reply: file },
  { path: '/output/gone.csv', status: 404, reply: 'Not found' },
];

describeConnector({
  provider: only(mines),
  exchanges,
  series: { id: 'copper' },
  unknownSeries: 'gone',
});

describe('a source of CSV files', () => {
  it('reads its dates, numbers, missing values and units', async () => {
    const provider = only(mines);
    const opened = await openConnector(provider, { exchanges });
    try {
      const { metadata, data } = await provider.series('copper', {}, opened.ctx);
      expect(metadata).toMatchObject({ unit: 'tons', unitMultiplier: 1_000, frequency: 'Monthly' });
      expect(data).toEqual([
        { date: '2026-01-01', value: '1.50' },
        { date: '2026-02-01', value: null },
        { date: '2026-03-01', value: '1234' },
      ]);
      const gold = await provider.series('gold', { start: '2026-02' }, opened.ctx);
      expect(gold.data).toEqual([
        { date: '2026-02-01', value: null, flag: 'n/a' },
        { date: '2026-03-01', value: null },
      ]);
      await expect(provider.series('silver', {}, opened.ctx)).rejects.toMatchObject({ kind: 'not_found' });
    } finally {
      await opened.close();
    }
  });
});

describe('a decimal comma', () => {
  it.each([
    ['1.234', { value: '1234' }],
    ['1.000', { value: '1000' }],
    ['-12.345.678,90', { value: '-12345678.90' }],
    ['1234,5', { value: '1234.5' }],
    ['+0,50', { value: '0.50' }],
    ['2,5e3', { value: '2.5e3' }],
    ['0.5', { value: null, flag: '0.5' }],
    ['1.2345', { value: null, flag: '1.2345' }],
    ['1234.567', { value: null, flag: '1234.567' }],
    ['1,234,567', { value: null, flag: '1,234,567' }],
    ['1,234.5', { value: null, flag: '1,234.5' }],
  ])('makes %s %j', async (text, expected) => {
    const provider = only(mines);
    const reply = `Output of mines\nMonth;Copper;Gold\n01/01/2026;${text};2\n`;
    const opened = await openConnector(provider, { exchanges: [{ path: '/output/all.csv', reply }] });
    try {
      const { data } = await provider.series('copper', {}, opened.ctx);
      expect(data).toEqual([{ date: '2026-01-01', ...expected }]);
    } finally {
      await opened.close();
    }
  });
});

describe('the width of the records of a CSV file', () => {
  const plain = `
- kind: csv
  id: plaindata
  name: Plain
  provider: Office of Plain Files
  description: Files with a date, a value and a place in each record.
  baseUrl: https://plain.example.org
  series:
    - { id: all, label: All, path: all.csv, date: Date, value: Value }
    - { id: oslo, label: Oslo, path: all.csv, date: Date, value: Value, rows: { Place: Oslo } }
`;
  const provider = only(plain);
  const read = (seriesId: string, text: string) => {
    const reply = { status: 200, header: () => undefined, text };
    const http = { text: async () => reply, json: async () => undefined };
    return provider.series(seriesId, {}, { http, key: 'none', today: '2026-03-15' });
  };

  it.each([
    ['a cell more', 'all', 'Date,Value\n2024-01-01,1,234.5\n', /line 2 must have 2 cells, not 3/],
    ['a cell less', 'all', 'Date,Value\n\n2024-01-01,1\n2024-02-01', /line 4 must have 2 cells, not 1/],
    [
      'a value in an unnamed column more',
      'all',
      'Date,Value,\n2024-01-01,1,234.5,\n',
      /line 2 must have 3 cells, not 4/,
    ],
    [
      'a cell less than the series needs',
      'oslo',
      'Date,Place,Value\n2024-01-01,Oslo\n',
      /line 2 must have 3 cells, not 2/,
    ],
    [
      'shifted cells',
      'oslo',
      'Date,Value,Place\n2024-01-01,1,234.5,Oslo\n',
      /line 2 must have 3 cells, not 4/,
    ],
  ])('must be that of the header: %s is refused', async (_what, seriesId, text, message) => {
    await expect(read(seriesId, text)).rejects.toMatchObject({
      code: 'unexpected_reply',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['at the end of a record', 'all', 'Date,Value\n2024-01-01,1,\n2024-02-01,2, ,\n'],
    ['at the end of the header', 'all', 'Date,Value,,\n2024-01-01,1\n2024-02-01,2,\n'],
    [
      'around the records of a series',
      'oslo',
      'Date,Value,Place\n2024-01-01,1,Oslo\n2024-02-01,2,Oslo\nSource: office\n',
    ],
  ])('may differ by empty cells and notes %s', async (_where, seriesId, text) => {
    expect((await read(seriesId, text)).data).toEqual([
      { date: '2024-01-01', value: '1' },
      { date: '2024-02-01', value: '2' },
    ]);
  });
});

describe('a long file of CSV', () => {
  const rates = `
- kind: csv
  id: ratesdata
  name: Rates
  provider: Office of Rates
  description: Daily rates of many places in one file, a line for each place and day.
  baseUrl: https://rates.example.org
  series:
    - { id: oslo, label: Oslo, path: all.csv, date: Day, value: Rate, rows: { Place: Oslo 🏔 } }
`;
  const days = Array.from({ length: 1_000 }, (_, day) =>
    new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
  );
  const places = ['Oslo 🏔', ...Array.from({ length: 99 }, (_, place) => `Place ${place} 🏔`)];
  const lines = days.flatMap((day, at) => places.map((place) => `${day},${place},${at}.50`));
  const text = ['Day,Place,Rate', ...lines].join('\n');
  const provider = only(rates);
  const reply = { status: 200, header: () => undefined, text };
  const http = { text: async () => reply, json: async () => undefined };
  const read = () => provider.series('oslo', {}, { http, key: 'none', today: '2026-03-15' });

  it('returns the lines of one series, whatever is around them', async () => {
    const { data } = await read();
    expect(data).toEqual(days.map((date, at) => ({ date, value: `${at}.50` })));
  });

  it('is read in short turns of the event loop', async () => {
    await expectShortTurns(read);
  });
});

const gases = `
- kind: jsonstat
  id: gases
  name: Greenhouse gases
  provider: Statistics Finland
  description: Key figures of environmental accounting, from a PxWeb service.
  baseUrl: https://gases.example.org/api
  flags: { p: preliminary }
  series:
    - { id: index, label: Emissions, path: table/data, query: { 'codes[Tiedot]': [a, b], lang: en }, codes: { Tiedot: Khk_yht_index }, unit: 'Index, 1990 = 100', frequency: Annual }
    - { id: intensity, label: Intensity, path: table/data, query: { 'codes[Tiedot]': [a, b], lang: en }, codes: { Tiedot: Khk_yht_las_index } }
    - { id: several, label: No code is chosen, path: table/data, query: { 'codes[Tiedot]': [a, b], lang: en } }
    - { id: gone, label: A code that is gone, path: table/data, query: { 'codes[Tiedot]': [a, b], lang: en }, codes: { Tiedot: none } }
`;
/** A reply of the PxWeb service of Statistics Finland, with the status of one cell. */
const cube = {
  class: 'dataset',
  label: 'Environmental Accounting: Key Figures by Tiedot and Vuosi',
  source: 'Statistics Finland',
  updated: '2012-06-26T06:00:00Z',
  id: ['Tiedot', 'Vuosi'],
  size: [2, 2],
  dimension: {
    Tiedot: {
      label: 'Tiedot',
      category: {
        index: { Khk_yht_index: 0, Khk_yht_las_index: 1 },
        label: {
          Khk_yht_index: 'Greenhouse gas emissions, indexed, year 1990 = 100',
          Khk_yht_las_index: 'Intensity of greenhouse gases, indexed, year 1990 = 100',
        },
      },
    },
    Vuosi: {
      label: 'Vuosi',
      category: { index: { '2010': 0, '2011': 1 }, label: { '2010': '2010', '2011': '2011' } },
    },
  },
  value: [107.4, 96.4, 72.43, 63.38],
  status: { '3': 'p' },
  role: { time: ['Vuosi'] },
  version: '2.0',
  extension: { px: { decimals: 0 } },
};
const cubeExchanges = [
  { path: '/table/data', query: { 'codes[Tiedot]': ['a', 'b'], lang: 'en' }, reply: cube },
];

describeConnector({
  provider: only(gases),
  exchanges: cubeExchanges,
  series: { id: 'index' },
  unknownSeries: 'gone',
});

describe('a source of JSON-stat cubes', () => {
  it('reads the series that its codes select, with the time dimension that the reply names', async () => {
    const provider = only(gases);
    const opened = await openConnector(provider, { exchanges: cubeExchanges });
    try {
      const index = await provider.series('index', { start: '2011' }, opened.ctx);
      expect(index.data).toEqual([{ date: '2011-01-01', value: '96.4' }]);
      expect(index.metadata).toMatchObject({ frequency: 'Annual', last_update: '2012-06-26T06:00:00Z' });
      const { data, metadata } = await provider.series('intensity', {}, opened.ctx);
      expect(data).toEqual([
        { date: '2010-01-01', value: '72.43' },
        { date: '2011-01-01', value: '63.38', flag: 'p' },
      ]);
      expect(metadata.flags).toEqual({ p: 'preliminary' });
      await expect(provider.series('several', {}, opened.ctx)).rejects.toMatchObject({
        code: 'ambiguous_series',
      });
    } finally {
      await opened.close();
    }
  });
});

describe('a record of an SDMX service', () => {
  it('reads what the connector of the same service reads', async () => {
    const sample = sampleOf('norgesbank');
    const own = only(`
- kind: sdmx21
  id: kroner
  name: ${sample.provider.name}
  provider: ${sample.provider.provider}
  description: Exchange rates of the krone, for the test of own sources.
  baseUrl: ${sample.provider.baseUrl}
  popularSeries: [{ id: EXR/B.USD.NOK.SP, label: US dollar }]
  agency: NB
  availability: codelist
  quotedFor: { base: BASE_CUR, quote: QUOTE_CUR, exponent: amount }
`);
    expect(await readSample({ ...sample, provider: own })).toEqual(await readSample(sample));
    expect(own.capabilities).toEqual(sample.provider.capabilities);
  });

  it('may use SDMX 3.0', async () => {
    const sample = sampleOf('imf');
    const own = only(`
- kind: sdmx30
  id: fund
  name: ${sample.provider.name}
  provider: ${sample.provider.provider}
  description: Prices of commodities, for the test of own sources.
  baseUrl: ${sample.provider.baseUrl}
  popularSeries: [{ id: 'IMF.RES,PCPS/G001.PGOLD.USD.M', label: Gold }]
`);
    expect(await readSample({ ...sample, provider: own })).toEqual(await readSample(sample));
  });
});

describe('version 2 of the REST interface', () => {
  // Paths as public clients of https://stats.bis.org/api/v2 use them; replies are those of version 1.
  it('has other paths for flows, structures, codes, keys and data', async () => {
    const [own] = readOwnSources(
      `- kind: sdmx21
  id: bisnew
  name: BIS, version 2
  provider: Bank for International Settlements
  description: Policy rates of central banks by the newer interface.
  baseUrl: https://stats.bis.org/api/v2
  agency: BIS
  rest: 2
  availability: constraint
  csv: { accept: 'application/vnd.sdmx.data+csv;version=1.0.0' }
  popularSeries: [{ id: WS_CBPOL/M.CH, label: Policy rate }]
`,
      [],
    );
    if (own === undefined) throw new Error('no source');
    const bis = (name: string): string => fixture(`providers/bis/${name}`);
    const flow = '/dataflow/BIS/WS_CBPOL';
    const opened = await openConnector(own, {
      exchanges: [
        { path: '/structure/dataflow/BIS/*/+', reply: bis('dataflows.xml') },
        {
          path: `/structure${flow}/+`,
          query: { references: 'descendants' },
          reply: bis('structure-WS_CBPOL.xml'),
        },
        { path: `/availability${flow}/+/M.*/REF_AREA`, reply: bis('available-M.xml') },
        { path: `/availability${flow}/+/*/FREQ`, reply: bis('available-M.xml') },
        {
          path: `/data${flow}/+/M.*`,
          query: { attributes: 'none', measures: 'none' },
          reply: bis('keys-M.xml'),
        },
        { path: `/data${flow}/+/M.CH`, reply: bis('WS_CBPOL-M.CH.csv') },
        { path: `/data${flow}/+/M.*`, reply: bis('WS_CBPOL-M.CH.csv') },
        { path: `/data${flow}/1.0/M.QQ`, status: 404, reply: bis('error-100.xml') },
      ],
    });
    try {
      const { ctx, upstream } = opened;
      expect(await own.browse?.([], ctx)).toContainEqual(expect.objectContaining({ segment: 'WS_CBPOL' }));
      expect((await own.browse?.(['WS_CBPOL', 'M'], ctx))?.length).toBeGreaterThan(0);
      expect(
        (await own.seriesAt?.(['WS_CBPOL', 'M'], { limit: 10, offset: 0 }, ctx))?.items.length,
      ).toBeGreaterThan(0);
      expect((await own.series('WS_CBPOL/M.CH', {}, ctx)).data.length).toBeGreaterThan(0);
      expect((await own.panel?.('WS_CBPOL/M.', {}, ctx))?.series).toHaveLength(1);
      await expect(own.series('BIS,WS_CBPOL,1.0/M.QQ', {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
      expect(upstream.unmatched.filter((question) => !question.includes('/1.0'))).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});

describe('a file of own sources', () => {
  it.each([
    ['a line that is not YAML', `${mines}  ]`, /line \d+/],
    [
      'an unknown member',
      mines.replace('dates: dmy', 'dates: dmy\n  colour: red'),
      /line 11: the record: .*colour/,
    ],
    ['a wrong value', mines.replace('dates: dmy', 'dates: ymd'), /line 10: dates: /],
    [
      'a fault within a list',
      mines.replace('path: output/gone.csv', 'path: /etc'),
      /line 16: series\.2\.path: /,
    ],
    ['an id twice', mines + mines, /line 19: there is a provider 'minesdata' already/],
    [
      'an id of the product',
      mines.replace('minesdata', 'fred'),
      /line 3: there is a provider 'fred' already/,
    ],
    ['no list', 'kind: csv', /line 1/],
  ])('names the line of %s', (_name, text, message) => {
    expect(() => readOwnSources(text, ['fred'])).toThrow(message);
  });

  it.each([
    'https://127.0.0.1/x',
    'https://10.1.2.3',
    'https://169.254.169.254/latest',
    'https://[::1]/x',
    'https://[fd00::1]/x',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://localhost:8080',
    'https://metadata.internal',
    'http://mines.example.org',
  ])('refuses %s unless it is allowed', (url) => {
    const text = mines.replace('https://mines.example.org/files/', url);
    expect(() => only(text)).toThrow(/line 7: .*private or without TLS/);
    expect(only(text.replace('  delimiter', '  allowPrivate: true\n  delimiter')).publicOnly).toBe(false);
    expect(only(text.replace('  delimiter', '  allowPrivate: true\n  delimiter')).baseUrl).toBe(
      url.replace(/\/$/, ''),
    );
  });

  it('accepts families of series for the search, and limits for structures and replies', () => {
    const provider = only(`
- kind: sdmx21
  id: examplebank
  name: Example Bank Data
  provider: Example Bank
  description: Interest and exchange rates of a central bank.
  baseUrl: https://sdmx.example.org/rest
  agency: EB
  availability: codelist
  structureKeepSeconds: 60
  maxReplyMegabytes: 2
  popularSeries:
    - { id: EXR/B.USD.NOK.SP, label: US dollar in kroner }
  patterns:
    - { id: 'CBPOL/M.{}', label: Policy rate, places: 'NO SE' }
    - { id: 'EXR/B.{}.NOK.SP', label: Exchange rate, currencies: 'USD XQQ' }
    - { id: 'PRICE/{}', label: Price, labels: { CU: Copper } }
`);
    expect(provider.validity).toEqual({ structure: 60, list: 60, series: 21_600 });
    expect(provider.maxReplyBytes).toBe(2 * 1024 * 1024);
    expect(provider.patterns).toEqual([
      { id: 'CBPOL/M.{}', label: 'Policy rate', codes: ['NO', 'SE'] },
      {
        id: 'EXR/B.{}.NOK.SP',
        label: 'Exchange rate',
        codes: ['USD', 'XQQ'],
        labels: { USD: 'US Dollar', XQQ: 'XQQ' },
      },
      { id: 'PRICE/{}', label: 'Price', codes: ['CU'], labels: { CU: 'Copper' } },
    ]);
  });

  it('has the examples of its document', () => {
    const document = readFileSync(new URL('../../../docs/own-sources.md', import.meta.url), 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
    expect(readOwnSources(example, []).map(({ slug }) => slug)).toEqual([
      'examplebank',
      'minesdata',
      'cubedata',
    ]);
  });
});
