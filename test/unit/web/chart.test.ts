import { describe, expect, it } from 'vitest';
import type { Column, DataType } from '../../../web/src/lib/types.js';
import { between, endsOf, inOrder, modelOf, scatterOf } from '../../../web/src/pages/chart/model.js';
import {
  firstQuestion,
  hasSpan,
  readQuestion,
  seriesKey,
  seriesName,
  shownOf,
  spanStep,
} from '../../../web/src/pages/chart/question.js';

const column = (id: number, name: string, dataType: DataType, isEntity: boolean): Column => ({
  id,
  name,
  dataType,
  isEntity,
});
const columns = [
  column(1, 'Day', 'Date', true),
  column(2, 'City', 'String', true),
  column(3, 'Price', 'Decimal', false),
];
const first = firstQuestion({ columns });
const model = modelOf(
  'Day,City,sum of Price\n2020-01-01,A,1\n2021-01-01,A,2.50\n2022-01-01,A,\n2023-01-01,A,4\n',
  first,
  'Date',
);

describe('the span of an axis', () => {
  it('filters the result by the name of the row column there', () => {
    expect(spanStep(first, columns)).toBe('');
    expect(spanStep({ ...first, from: '2021-01-01' }, columns)).toBe('/filter([Day] ge 2021-01-01)');
    expect(spanStep({ ...first, period: 'year', from: '2021-01-01', to: '2022-01-01' }, columns)).toBe(
      '/filter([Day by year] ge 2021-01-01 and [Day by year] le 2022-01-01)',
    );
  });

  it('does not exist for an axis of names or a scatter chart', () => {
    for (const question of [
      { ...first, rows: 'City', from: '2021-01-01' },
      { ...first, kind: 'scatter' as const, from: '2021-01-01' },
    ]) {
      expect(hasSpan(question, columns)).toBe(false);
      expect(spanStep(question, columns)).toBe('');
    }
  });

  it('is read from the address if it is a date or a number', () => {
    const read = (query: string) => readQuestion(new URLSearchParams(query), { columns } as never);
    expect(read('from=2021-01-01&to=2022-01-01')).toMatchObject({ from: '2021-01-01', to: '2022-01-01' });
    expect(read("from=2021-01-01) or ('&to=12")).toMatchObject({ from: undefined, to: undefined });
    expect(read('rows=Price&from=-1.5&to=2021-01-01')).toMatchObject({ from: '-1.5', to: undefined });
  });

  it('limits rows and values alike', () => {
    expect(between(model, undefined, undefined)).toBe(model);
    const part = between(model, '2021-01-01', '2022-01-01');
    expect(part.rows).toEqual(['2021-01-01', '2022-01-01']);
    expect(part.places).toHaveLength(2);
    expect(part.lines[0]).toMatchObject({ texts: ['2.50', ''], numbers: [2.5, null] });
  });

  it.each([
    ['2020-06-01', '2022-06-01', [1, 2]],
    ['1990-01-01', '2050-01-01', [0, 3]],
    ['2030-01-01', undefined, [0, 3]],
    ['2022-01-01', '2021-01-01', [0, 3]],
  ] as const)('from %s to %s is moved to the nearest rows', (from, to, ends) => {
    expect(endsOf(model, from, to)).toEqual(ends);
  });
});

describe('series whose names are joined to the same text', () => {
  const values = [
    ['x · y', 'z'],
    ['x', 'y · z'],
  ];
  const all = values.map((parts) => ({ key: seriesKey(parts), name: seriesName(parts), values: parts }));
  const [one = '', two = ''] = all.map(({ key }) => key);
  const question = { ...first, columns: ['City', 'Street'] };

  it('are two lines, each with its own values and place', () => {
    const csv = 'Day,City,Street,sum of Price\n2020-01-01,x · y,z,1\n2020-01-01,x,y · z,2\n';
    const drawn = modelOf(csv, question, 'Date').lines;
    expect(drawn.map(({ name, texts }) => [name, texts])).toEqual([
      ['x · y · z', ['1']],
      ['x · y · z', ['2']],
    ]);
    const ordered = inOrder(modelOf(csv, question, 'Date'), [two, one]).lines;
    expect(ordered.map(({ texts }) => texts)).toEqual([['2'], ['1']]);
    const measures = [...first.measures, { method: 'count' as const, column: '' }];
    const points = 'Day,City,Street,a,b\n2020-01-01,x · y,z,1,10\n2020-01-01,x,y · z,2,20\n';
    const lines = scatterOf(points, { ...question, measures }).lines;
    expect(lines.map(({ texts }) => texts)).toEqual([
      ['10', undefined],
      [undefined, '20'],
    ]);
  });

  it('are chosen one by one, and both by a link that has their name', () => {
    const shown = (series: readonly string[] | undefined) => shownOf({ ...question, series }, all, 8);
    expect(shown(undefined)).toEqual([one, two]);
    expect(shown([two, 'none'])).toEqual([two]);
    expect(shown(['x · y · z'])).toEqual([one, two]);
  });
});
