import { quoteIdentifier } from '../sql-text.js';
import type { ArrayCells, OutputColumn } from './format.js';

/** Selects columns under their headers, for formats whose cells ClickHouse formats. */
export const columnsSql = (columns: readonly OutputColumn[], fromAndTail: string): string => {
  const list = columns.map(({ sql, name }) => `${sql} AS ${quoteIdentifier(name)}`);
  return `SELECT ${list.join(',\n')}\n${fromAndTail}`;
};

/** Selects labels, and each cell of the array as a column, for formats with typed columns. */
export const cellColumns = (labels: readonly OutputColumn[], { sql, names }: ArrayCells): string =>
  [
    ...labels.map((label) => `${label.sql} AS ${quoteIdentifier(label.name)}`),
    ...names.map((name, index) => `${sql}[${index + 1}].1 AS ${quoteIdentifier(name)}`),
  ].join(',\n');
