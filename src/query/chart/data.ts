import { parse } from 'csv-parse/sync';
import { invalid } from '../../lib/errors.js';
import type { ChartKind, ChartRoles } from './chart.js';

export interface Line {
  readonly name: string;
  /** At the places of the rows. Null is drawn as a gap; undefined: there is no such row, so a line goes on. */
  readonly values: readonly (number | null | undefined)[];
}

export interface ChartData {
  readonly axis: ChartRoles['axis'];
  /** The rows as the answer has them. */
  readonly rows: readonly string[];
  /** Places on the axis, ascending: milliseconds, numbers, or the rows counted. */
  readonly places: readonly number[];
  readonly lines: readonly Line[];
}

/** Most values of a chart. */
export const mostPoints = 10_000;
/** Most series of a chart. */
export const mostLines = 24;
/** Longest answer that is drawn, in bytes of CSV. */
export const mostChartBytes = 4 * 1024 * 1024;

export const tooManyPoints = (): Error =>
  invalid(
    'too_many_points',
    `The chart has more than ${mostPoints} values. Put rows together with $apply, or choose some with $filter.`,
    { limit: mostPoints },
  );

const tooManyLines = (): Error =>
  invalid(
    'too_many_series',
    `The chart has more than ${mostLines} series. Choose some with $filter, or put them together with $apply.`,
    { limit: mostLines },
  );

const repeatedRow = (row: string, name: string): Error =>
  invalid(
    'repeated_row',
    `The chart has more than one value at '${row}' for '${name}'. Put them together with $apply, or choose some with $filter.`,
    { row, series: name },
  );

const numberOf = (text: string): number | null => {
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
};

const placeOf = (axis: ChartRoles['axis'], row: string, index: number): number => {
  if (axis === 'names') return index;
  if (axis === 'time') return Date.parse(row);
  return numberOf(row) ?? Number.NaN;
};

const nameOf = (parts: readonly string[]): string => parts.map((part) => part || '–').join(' · ');

type Cells = Map<string, (number | null | undefined)[]>;

/** Values by the name of their series, at the places that `at` gives to records. */
const linesOf = (
  records: readonly (readonly string[])[],
  { header, roles, length }: { header: readonly string[]; roles: ChartRoles; length: number },
  at: (record: readonly string[], index: number) => number | undefined,
): Line[] => {
  const { names, values } = roles;
  const cells: Cells = new Map();
  for (const [index, record] of records.entries()) {
    const place = at(record, index);
    if (place === undefined) continue;
    const entity = names.map((name) => record[name] ?? '');
    for (const value of values) {
      const isNamed = values.length > 1 || names.length === 0;
      const name = nameOf(isNamed ? [...entity, header[value] ?? ''] : entity);
      let line = cells.get(name);
      if (line === undefined) {
        if (cells.size === mostLines) throw tooManyLines();
        line = new Array<number | null | undefined>(length).fill(undefined);
        cells.set(name, line);
      }
      if (line[place] !== undefined) throw repeatedRow(record[roles.x] ?? '', name);
      line[place] = numberOf(record[value] ?? '');
    }
  }
  return [...cells].map(([name, line]) => ({ name, values: line }));
};

/**
 * @param csv The answer: its header, then its rows.
 * @throws AppError 400 for more than a picture can show.
 */
export const chartData = (csv: string, roles: ChartRoles, kind: ChartKind): ChartData => {
  const [header = [], ...records] = parse(csv, { relax_column_count: true }) as string[][];
  const { axis, x } = roles;
  if (records.length * roles.values.length > mostPoints) throw tooManyPoints();
  const rowOf = (record: readonly string[]): string => record[x] ?? '';
  // Points are rows of their own, also where two have the same place.
  const isEach = kind === 'scatter';
  const rows = isEach ? records.map(rowOf) : [...new Set(records.map(rowOf))];
  const found = rows
    .map((row, index) => ({ row, index, place: placeOf(axis, row, index) }))
    .filter(({ place }) => Number.isFinite(place))
    .sort((a, b) => a.place - b.place);
  const byRow = new Map<string | number, number>(
    found.map(({ row, index }, place) => [isEach ? index : row, place]),
  );
  const lines = linesOf(records, { header, roles, length: found.length }, (record, index) =>
    byRow.get(isEach ? index : rowOf(record)),
  );
  return { axis, rows: found.map(({ row }) => row), places: found.map(({ place }) => place), lines };
};
