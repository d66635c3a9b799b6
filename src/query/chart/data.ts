import { parse } from 'csv-parse/sync';
import { invalid } from '../../lib/errors.js';
import type { ChartKind, ChartRoles } from './chart.js';

export interface Line {
  readonly name: string;
  /** One value per row. Null is drawn as a gap; undefined means no such row, so the line continues. */
  readonly values: readonly (number | null | undefined)[];
}

export interface ChartData {
  readonly axis: ChartRoles['axis'];
  /** Values of the axis column as text. */
  readonly rows: readonly string[];
  /** Positions on the axis, ascending: milliseconds, numbers, or row indexes. */
  readonly places: readonly number[];
  readonly lines: readonly Line[];
}

export const maxPoints = 10_000;
export const maxLines = 24;
/** Size of the largest answer that is drawn, as CSV. */
export const maxChartBytes = 4 * 1024 * 1024;

export const tooManyPoints = (): Error =>
  invalid(
    'too_many_points',
    `The chart has more than ${maxPoints} values. Put rows together with $apply, or choose some with $filter.`,
    { limit: maxPoints },
  );

const tooManyLines = (): Error =>
  invalid(
    'too_many_series',
    `The chart has more than ${maxLines} series. Choose some with $filter, or put them together with $apply.`,
    { limit: maxLines },
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

interface LineCells {
  readonly name: string;
  readonly values: (number | null | undefined)[];
}

/** @param rowIndexOf row of the chart for a record; undefined if the record is not drawn */
const linesOf = (
  records: readonly (readonly string[])[],
  { header, roles, length }: { header: readonly string[]; roles: ChartRoles; length: number },
  rowIndexOf: (record: readonly string[], index: number) => number | undefined,
): Line[] => {
  const { names, values } = roles;
  // By the parts of the name: different parts may be joined to the same name.
  const lines = new Map<string, LineCells>();
  for (const [index, record] of records.entries()) {
    const row = rowIndexOf(record, index);
    if (row === undefined) continue;
    const entity = names.map((name) => record[name] ?? '');
    for (const value of values) {
      const isNamed = values.length > 1 || names.length === 0;
      const parts = isNamed ? [...entity, header[value] ?? ''] : entity;
      const key = JSON.stringify(parts);
      let line = lines.get(key);
      if (line === undefined) {
        if (lines.size === maxLines) throw tooManyLines();
        line = {
          name: nameOf(parts),
          values: new Array<number | null | undefined>(length).fill(undefined),
        };
        lines.set(key, line);
      }
      if (line.values[row] !== undefined) throw repeatedRow(record[roles.x] ?? '', line.name);
      line.values[row] = numberOf(record[value] ?? '');
    }
  }
  return [...lines.values()];
};

/**
 * @param csv the answer, with a header
 * @throws AppError 400 if there are too many values or series
 */
export const chartData = (csv: string, roles: ChartRoles, kind: ChartKind): ChartData => {
  const { axis, x } = roles;
  // The header, the records of a full chart, and one more, which shows that there are too many.
  const to = Math.ceil(maxPoints / roles.values.length) + 2;
  const [header = [], ...records] = parse(csv, { relax_column_count: true, to }) as string[][];
  if (records.length * roles.values.length > maxPoints) throw tooManyPoints();
  const rowOf = (record: readonly string[]): string => record[x] ?? '';
  // In a scatter chart every record is a row, even if two have the same position.
  const isScatter = kind === 'scatter';
  const rows = isScatter ? records.map(rowOf) : [...new Set(records.map(rowOf))];
  const found = rows
    .map((row, index) => ({ row, index, place: placeOf(axis, row, index) }))
    .filter(({ place }) => Number.isFinite(place))
    .sort((a, b) => a.place - b.place);
  const byRow = new Map<string | number, number>(
    found.map(({ row, index }, sortedIndex) => [isScatter ? index : row, sortedIndex]),
  );
  const lines = linesOf(records, { header, roles, length: found.length }, (record, index) =>
    byRow.get(isScatter ? index : rowOf(record)),
  );
  return { axis, rows: found.map(({ row }) => row), places: found.map(({ place }) => place), lines };
};
