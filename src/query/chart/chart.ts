/** A saved question as a chart: what its columns are for, and how it is drawn. */
import { dataTypeOf } from '../../model/column-types/column-types.js';
import type { OutputColumn } from '../formats/format.js';
import { badOption } from '../options/option.js';

export const chartKinds = ['line', 'bar', 'scatter'] as const;
export type ChartKind = (typeof chartKinds)[number];

/** `auto` follows the reader's system. */
export const chartThemes = ['auto', 'light', 'dark'] as const;
export type ChartTheme = (typeof chartThemes)[number];

export interface ChartLook {
  readonly kind: ChartKind;
  readonly title: string;
  readonly theme: ChartTheme;
}

/** Places of the columns in a row of the answer. */
export interface ChartRoles {
  readonly axis: 'time' | 'number' | 'names';
  /** Column of the horizontal axis. */
  readonly x: number;
  /** Columns whose values together name a series. */
  readonly names: readonly number[];
  /** Columns of numbers: each is a series, or one for each name. */
  readonly values: readonly number[];
}

const axes = { Date: 'time', Decimal: 'number', String: 'names' } as const;

/** The horizontal axis: the first date, otherwise the first column; of points the first number. */
const axisOf = (types: readonly string[], kind: ChartKind): number => {
  if (kind === 'scatter') return types.indexOf('Decimal');
  return Math.max(0, types.indexOf('Date'));
};

/**
 * Roles follow from the types of the columns, so that a renamed column changes nothing.
 * @throws AppError 400 where nothing can be drawn.
 */
export const chartRoles = (columns: readonly OutputColumn[], kind: ChartKind): ChartRoles => {
  const types = columns.map(({ physical }) => dataTypeOf(physical));
  const x = axisOf(types, kind);
  const others = [...types.keys()].filter((at) => at !== x);
  const values = others.filter((at) => types[at] === 'Decimal');
  if (x < 0 || values.length === 0) {
    const needed = kind === 'scatter' ? 'two columns of numbers' : 'a column of numbers besides the axis';
    throw badOption('chart', `needs ${needed}; choose columns with $select or $apply`);
  }
  // The first column of points says what they are, one by one.
  const names = others.filter((at) => types[at] !== 'Decimal' && !(kind === 'scatter' && at === 0));
  return { axis: axes[types[x] ?? 'String'], x, names, values };
};
