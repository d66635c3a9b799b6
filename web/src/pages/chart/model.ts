import { readCsv } from '../../lib/csv.js';
import type { DataType } from '../../lib/types.js';
import { measureName, type Question, seriesKey, seriesName, seriesWidth } from './question.js';

interface Line {
  /** Unlike the name, different for each line. */
  readonly key: string;
  readonly name: string;
  /** Index of its colour. */
  readonly color: number;
  /** Original text of each row's value; empty for null, undefined if there is no such row. */
  readonly texts: readonly (string | undefined)[];
  /** Numbers to draw. At undefined the line continues, at null it has a gap. */
  readonly numbers: readonly (number | null | undefined)[];
}

/** Data of a chart, with the exact text of each value. */
export interface Model {
  readonly axis: 'time' | 'number' | 'names';
  /** Label of the axis. */
  readonly title: string;
  readonly rows: readonly string[];
  /** Positions on the axis: seconds, numbers, or row indexes. */
  readonly places: readonly number[];
  readonly lines: readonly Line[];
  /** True if the result has more rows than were requested. */
  readonly isCut: boolean;
}

export const maxRows = 50_000;

/** Undefined if there is no such row, null if its value is not a number. */
export const numberOf = (text: string | undefined): number | null | undefined => {
  if (text === undefined) return undefined;
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
};

const secondsOf = (text: string): number =>
  Date.parse(text.length > 10 ? `${text.replace(' ', 'T')}Z` : text) / 1_000;

const axisOf = (type: DataType | undefined): Model['axis'] =>
  type === 'Date' ? 'time' : type === 'Decimal' ? 'number' : 'names';

const placeOf = (axis: Model['axis'], row: string, index: number): number => {
  if (axis === 'names') return index;
  return row === '' ? Number.NaN : axis === 'time' ? secondsOf(row) : Number(row);
};

/** One line per measure and combination of values in the columns. */
export const modelOf = (csv: string, question: Question, type: DataType | undefined): Model => {
  const [header = [], ...records] = readCsv(csv);
  const axis = axisOf(type);
  const width = seriesWidth(question);
  const found = [...new Set(records.map((record) => record[0] ?? ''))]
    .map((row, index) => ({ row, place: placeOf(axis, row, index) }))
    .filter(({ place }) => Number.isFinite(place))
    .sort((a, b) => a.place - b.place);
  const indexOf = new Map(found.map(({ row }, index) => [row, index]));
  const lines = new Map<string, { readonly name: string; readonly texts: (string | undefined)[] }>();
  const names = question.measures.map(measureName);
  for (const record of records) {
    const index = indexOf.get(record[0] ?? '');
    if (index === undefined) continue;
    const entity = record.slice(1, 1 + width);
    for (const [order, name] of names.entries()) {
      const parts = names.length > 1 || width === 0 ? [...entity, name] : entity;
      const key = seriesKey(parts);
      const line = lines.get(key) ?? {
        name: seriesName(parts),
        texts: new Array<string | undefined>(found.length).fill(undefined),
      };
      line.texts[index] = record[1 + width + order] ?? '';
      lines.set(key, line);
    }
  }
  return {
    axis,
    title: header[0] ?? '',
    rows: found.map(({ row }) => row),
    places: found.map(({ place }) => place),
    lines: [...lines].map(([key, { name, texts }], color) => ({
      key,
      name,
      color,
      texts,
      numbers: texts.map(numberOf),
    })),
    isCut: records.length >= maxRows,
  };
};

/** Points of two measures; the first is the horizontal axis. */
export const scatterOf = (csv: string, question: Question): Model => {
  const [header = [], ...records] = readCsv(csv);
  const width = seriesWidth(question);
  const [x, y] = [1 + width, question.measures.length > 1 ? 2 + width : 1 + width];
  const points = records
    .map((record) => ({
      key: seriesKey(record.slice(1, 1 + width)),
      name: seriesName(record.slice(1, 1 + width)) || (header[y] ?? ''),
      row: record[x] ?? '',
      text: record[y] ?? '',
    }))
    .filter(({ row, text }) => row !== '' && text !== '' && Number.isFinite(Number(row)))
    .sort((a, b) => Number(a.row) - Number(b.row));
  const names = new Map(points.map(({ key, name }) => [key, name]));
  return {
    axis: 'number',
    title: header[x] ?? '',
    rows: points.map(({ row }) => row),
    places: points.map(({ row }) => Number(row)),
    lines: [...names].map(([key, name], color) => {
      const texts = points.map((point) => (point.key === key ? point.text : undefined));
      return { key, name, color, texts, numbers: texts.map(numberOf) };
    }),
    isCut: records.length >= maxRows,
  };
};

/** Sorts and colours the lines by the order of the chosen series. */
export const inOrder = (model: Model, chosen: readonly string[]): Model => {
  const order = new Map(chosen.map((key, at) => [key, at]));
  const colorOf = ({ key, color }: Line): number => order.get(key) ?? color;
  const lines = model.lines.map((line) => ({ ...line, color: colorOf(line) }));
  return { ...model, lines: lines.sort((a, b) => a.color - b.color) };
};

/** Indexes of the first and last row of a span. If its ends are not rows, as in an old link, the nearest rows inside. */
export const endsOf = (
  { axis, places }: Model,
  from: string | undefined,
  to: string | undefined,
): readonly [first: number, last: number] => {
  const end = places.length - 1;
  const low = from === undefined ? Number.NaN : placeOf(axis, from, 0);
  const high = to === undefined ? Number.NaN : placeOf(axis, to, 0);
  const first = Number.isNaN(low) ? 0 : places.findIndex((place) => place >= low);
  const last = Number.isNaN(high) ? end : places.findLastIndex((place) => place <= high);
  // Shows everything rather than an empty chart.
  return first === -1 || last === -1 || first > last ? [0, end] : [first, last];
};

export const between = (model: Model, from: string | undefined, to: string | undefined): Model => {
  const [first, last] = endsOf(model, from, to);
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(first, last + 1);
  if (first === 0 && last === model.rows.length - 1) return model;
  return {
    ...model,
    rows: cut(model.rows),
    places: cut(model.places),
    lines: model.lines.map((line) => ({ ...line, texts: cut(line.texts), numbers: cut(line.numbers) })),
  };
};
