import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../src/model/column.js';
import { type ChartKind, chartRoles } from '../../../src/query/chart/chart.js';
import { chartData, maxLines, maxPoints } from '../../../src/query/chart/data.js';
import { bandScale, numberScale, shortNumber, timeScale } from '../../../src/query/chart/scale.js';
import { chartColors, chartPolicy } from '../../../src/query/chart/style.js';
import { chartPage, chartSvg } from '../../../src/query/chart/svg.js';
import { escaped, shortened } from '../../../src/query/chart/text.js';

type Columns = readonly (readonly [name: string, physical: PhysicalType])[];

const columnsOf = (columns: Columns) => columns.map(([name, physical]) => ({ name, sql: name, physical }));

const time: Columns = [
  ['Country', 's'],
  ['Date', 'd'],
  ['GDP', 'n38_2'],
];

const dataOf = (csv: string, columns: Columns = time, kind: ChartKind = 'line') =>
  chartData(csv, chartRoles(columnsOf(columns), kind), kind);

const draw = (csv: string, columns: Columns = time, kind: ChartKind = 'line', title = 'Title'): string =>
  chartSvg(dataOf(csv, columns, kind), { kind, title, theme: 'auto' });

/** Texts and element names, read by a strict XML parser. */
const read = (svg: string) => {
  const texts: string[] = [];
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => names.push(name));
  parser.on('text', (text) => text.trim() !== '' && texts.push(text));
  parser.write(svg).close();
  return { texts, names };
};

const pathsOf = (svg: string, look: string): string[] =>
  [...svg.matchAll(new RegExp(`<path class="${look}" d="([^"]*)"`, 'g'))].map(([, path = '']) => path);

describe('the columns of a chart', () => {
  it.each<[string, Columns, ChartKind, object]>([
    [
      'the first date is the axis, texts name the series',
      time,
      'line',
      { axis: 'time', x: 1, names: [0], values: [2] },
    ],
    [
      'without a date the first column is the axis',
      [
        ['Country', 's'],
        ['A', 'f'],
        ['B', 'f'],
      ],
      'bar',
      { axis: 'names', x: 0, names: [], values: [1, 2] },
    ],
    [
      'numbers may be the axis',
      [
        ['Age', 'f'],
        ['Size', 'f'],
      ],
      'line',
      { axis: 'number', x: 0, names: [], values: [1] },
    ],
    [
      'of points the first number is the axis, and their own name is not drawn',
      [
        ['City', 's'],
        ['Kind', 's'],
        ['X', 'f'],
        ['Y', 'f'],
      ],
      'scatter',
      { axis: 'number', x: 2, names: [1], values: [3] },
    ],
  ])('%s', (_name, columns, kind, roles) => {
    expect(chartRoles(columnsOf(columns), kind)).toEqual(roles);
  });

  it('are rejected if nothing can be drawn', () => {
    expect(() => chartRoles(columnsOf([['Country', 's']]), 'bar')).toThrow('needs a column of numbers');
    expect(() => chartRoles(columnsOf([['A', 'f']]), 'line')).toThrow('needs a column of numbers');
    expect(() => chartRoles(columnsOf([...time]), 'scatter')).toThrow('two columns of numbers');
    expect(() => chartRoles([], 'line')).toThrow('needs');
  });
});

describe('the data of a chart', () => {
  it('is sorted by the axis, with a gap for an empty cell but not for a missing row', () => {
    const csv = 'Country,Date,GDP\nB,2024-03-01,3\nA,1931-07-14,1\nA,2024-02-01,\nA,2024-03-01,5\nA,,7\n';
    expect(dataOf(csv)).toEqual({
      axis: 'time',
      rows: ['1931-07-14', '2024-02-01', '2024-03-01'],
      places: ['1931-07-14', '2024-02-01', '2024-03-01'].map(Date.parse),
      lines: [
        { name: 'B', values: [undefined, undefined, 3] },
        { name: 'A', values: [1, null, 5] },
      ],
    });
  });

  it('keeps two series apart whose names are joined to the same text', () => {
    const twoNames: Columns = [
      ['A', 's'],
      ['B', 's'],
      ['Date', 'd'],
      ['V', 'f'],
    ];
    const csv = 'A,B,Date,V\nx · y,z,2024-01-01,1\nx,y · z,2024-01-01,2\n,z,2024-01-01,3\n–,z,2024-01-01,4\n';
    expect(dataOf(csv, twoNames).lines).toEqual([
      { name: 'x · y · z', values: [1] },
      { name: 'x · y · z', values: [2] },
      { name: '– · z', values: [3] },
      { name: '– · z', values: [4] },
    ]);
  });

  it('is rejected if two rows share a position, or if there is too much of it', () => {
    expect(() => dataOf('Country,Date,GDP\nA,2024-01-01,1\nA,2024-01-01,2\n')).toThrow(
      "more than one value at '2024-01-01' for 'A'",
    );
    const series = Array.from({ length: maxLines + 1 }, (_, at) => `C${at},2024-01-01,1\n`).join('');
    expect(() => dataOf(`Country,Date,GDP\n${series}`)).toThrow(`more than ${maxLines} series`);
    const rows = Array.from({ length: maxPoints + 1 }, (_, at) => `${at},1\n`).join('');
    const numbers: Columns = [
      ['N', 'f'],
      ['V', 'f'],
    ];
    expect(() => dataOf(`N,V\n${rows}`, numbers)).toThrow(`more than ${maxPoints} values`);
    // Rows after the limit are not parsed: the unclosed quote at the end is not an error.
    expect(() => dataOf(`N,V\n${rows}${rows}"`, numbers)).toThrow(`more than ${maxPoints} values`);
  });

  it('has a point for each row, also at equal positions', () => {
    const points: Columns = [
      ['X', 'f'],
      ['Y', 'f'],
    ];
    const { places, lines } = dataOf('X,Y\n2,1\n1,5\n2,3\n,9\n', points, 'scatter');
    expect([places, lines]).toEqual([[1, 2, 2], [{ name: 'Y', values: [5, 1, 3] }]]);
  });
});

describe('an axis', () => {
  it.each<[string, number, number, string[]]>([
    ['years', Date.parse('1931-01-01'), Date.parse('2024-01-01'), ['1940', '1960', '1980', '2000', '2020']],
    [
      'months',
      Date.parse('2024-01-15'),
      Date.parse('2024-05-15'),
      ['Feb 2024', 'Mar 2024', 'Apr 2024', 'May 2024'],
    ],
    [
      'days',
      Date.parse('2024-02-28'),
      Date.parse('2024-03-02'),
      ['28 Feb 2024', '29 Feb 2024', '1 Mar 2024', '2 Mar 2024'],
    ],
    ['centuries', Date.parse('0001-01-01'), Date.parse('2000-01-01'), ['500', '1000', '1500', '2000']],
  ])('of time has whole %s', (_name, low, high, labels) => {
    const { ticks, place } = timeScale([low, high], 7);
    expect(ticks.map(({ label }) => label)).toEqual(labels);
    expect([place(low), place(high)]).toEqual([0, 1]);
  });

  it.each<[number, number]>([
    [0, 1],
    [-1.7e308, 1.7e308],
    [5e-324, 1e-323],
    [7, 7],
    [0, 0],
    [1e15, 1e15 + 0.125],
    [-3, -1],
    [123_456, 123_456_789],
  ])('of numbers from %d to %d has few ticks, and includes all values', (low, high) => {
    const { ticks, place } = numberScale([low, high], { toSteps: true, maxTicks: 6 });
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(13);
    for (const value of [low, high]) {
      expect(place(value)).toBeGreaterThanOrEqual(0);
      expect(place(value)).toBeLessThanOrEqual(1);
    }
  });

  it('of many names labels only some of them', () => {
    const names = Array.from({ length: 100 }, (_, at) => `n${at}`);
    expect(bandScale(names, 8).ticks.map(({ label }) => label)).toEqual([
      'n0',
      'n13',
      'n26',
      'n39',
      'n52',
      'n65',
      'n78',
      'n91',
    ]);
  });

  it('abbreviates numbers', () => {
    expect([0, 0.1 + 0.2, 99_999.5, 1_234_567, -2.5e9, 1e-9, 2e20].map(shortNumber)).toEqual([
      '0',
      '0.3',
      '99999.5',
      '1.2346M',
      '-2.5B',
      '1.00e-9',
      '2.00e20',
    ]);
  });
});

describe('the picture', () => {
  const hostile = `<script>alert(1)</script>&"'\u0000\u000b\ud800]]>`;

  it('escapes texts, and drops characters that XML forbids', () => {
    const country = hostile.replaceAll('"', '""');
    const csv = `Country,Date,GDP\n"${country}",2024-01-01,1\nB,2024-01-01,2\n`;
    const { texts, names } = read(draw(csv, time, 'line', hostile));
    expect([...new Set(names)].sort()).toEqual(['desc', 'path', 'rect', 'style', 'svg', 'text', 'title']);
    expect(texts).toContain(`<script>alert(1)</script>&"'\ufffd\ufffd\ufffd]]>`);
    expect(texts).toContain('<script>alert(1)</s…');
    expect(escaped(`a'b"c<d>&`)).toBe('a&#39;b&quot;c&lt;d&gt;&amp;');
    expect(shortened('a😀b😀c', 4)).toBe('a😀b…');
  });

  it('draws lines with gaps, single values as dots, bars from zero, and points', () => {
    const svg = draw('Country,Date,GDP\nA,2024-01-01,1\nA,2024-01-02,2\nA,2024-01-03,\nA,2024-01-04,4\n');
    expect([pathsOf(svg, 'line l0').length, pathsOf(svg, 'dots l0').length]).toEqual([1, 1]);
    expect(pathsOf(svg, 'line l0')[0]?.match(/[ML]/g)?.join('')).toBe('ML');
    const names: Columns = [
      ['Country', 's'],
      ['GDP', 'f'],
    ];
    const bars = draw('Country,GDP\nA,5\nB,-5\nC,\n', names, 'bar');
    expect(pathsOf(bars, 'f0')[0]?.match(/z/g)).toHaveLength(2);
    const points: Columns = [
      ['X', 'f'],
      ['Y', 'f'],
    ];
    expect(pathsOf(draw('X,Y\n1,1\n2,2\n', points, 'scatter'), 'dots l0')[0]?.match(/h0/g)).toHaveLength(2);
  });

  it('keeps the extremes of many values, with a limited number of points', () => {
    const rows = Array.from({ length: 9_000 }, (_, at) => `${at},${at === 4_444 ? 1_000 : Math.sin(at)}\n`);
    const numbers: Columns = [
      ['N', 'f'],
      ['V', 'f'],
    ];
    const [path = ''] = pathsOf(draw(`N,V\n${rows.join('')}`, numbers), 'line l0');
    const heights = path
      .split(/[ML]/)
      .slice(1)
      .map((place) => Number(place.split(' ')[1]));
    expect(heights.length).toBeLessThan(6_000);
    expect(Math.min(...heights)).toBeLessThan(60);
  });

  it('shows a message if there are no rows', () => {
    expect(read(draw('Country,Date,GDP\n')).texts).toContain('No rows');
  });

  it('is allowed only its own style by its security policy, alone and in a page', () => {
    for (const theme of ['auto', 'light', 'dark'] as const) {
      const svg = chartSvg(dataOf('Country,Date,GDP\nA,2024-01-01,1\n'), { kind: 'line', title: 'T', theme });
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(svg) ?? [];
      const digest = createHash('sha256').update(style).digest('base64');
      expect(chartPolicy(theme)).toBe(`default-src 'none'; style-src 'sha256-${digest}'`);
      expect(chartPage(svg, { kind: 'line', title: '<T>', theme })).toContain('<title>&lt;T&gt;</title>');
      expect(svg).not.toMatch(/ style=| on\w+=|href/);
    }
  });

  it('uses the colours of the web app', () => {
    const tokens = readFileSync(new URL('../../../web/src/styles/tokens.css', import.meta.url), 'utf8');
    const both = (name: string) =>
      new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens)?.slice(1);
    const { light, dark } = chartColors;
    expect(both('surface')).toEqual([light.paper, dark.paper]);
    expect(both('ink')).toEqual([light.ink, dark.ink]);
    expect(both('ink-soft')).toEqual([light.soft, dark.soft]);
    expect(both('line')).toEqual([light.line, dark.line]);
    for (const [at, color] of light.series.entries())
      expect(both(`series-${at + 1}`)).toEqual([color, dark.series[at]]);
  });
});
