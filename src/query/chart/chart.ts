/** Chart of a saved question: the roles of its columns, and its look. */
import { dataTypeOf } from '../../model/column-types/column-types.js';
import type { OutputColumn } from '../formats/format.js';
import { badOption } from '../options/option.js';

export const chartKinds = ['line', 'bar', 'scatter'] as const;
export type ChartKind = (typeof chartKinds)[number];

/** `auto` follows the system setting of the reader. */
export const chartThemes = ['auto', 'light', 'dark'] as const;
export type ChartTheme = (typeof chartThemes)[number];

export interface ChartLook {
  readonly kind: ChartKind;
  readonly title: string;
  readonly theme: ChartTheme;
}

/** Columns by role, as indexes into a row of the answer. */
export interface ChartRoles {
  readonly axis: 'time' | 'number' | 'names';
  /** Column of the horizontal axis. */
  readonly x: number;
  /** Columns whose combined values name a series. */
  readonly names: readonly number[];
  /** Number columns. Each adds a series, or one per name. */
  readonly values: readonly number[];
}

const axes = { Date: 'time', Decimal: 'number', String: 'names' } as const;

/** The first date column, otherwise the first column; for scatter charts the first number column. */
const axisOf = (types: readonly string[], kind: ChartKind): number => {
  if (kind === 'scatter') return types.indexOf('Decimal');
  return Math.max(0, types.indexOf('Date'));
};

/**
 * Roles depend on column types only, so renaming a column changes nothing.
 * @throws AppError 400 if there is nothing to draw
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
  // In a scatter chart the first column names each point, not a series.
  const names = others.filter((at) => types[at] !== 'Decimal' && !(kind === 'scatter' && at === 0));
  return { axis: axes[types[x] ?? 'String'], x, names, values };
};
