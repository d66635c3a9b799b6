import { quoteIdentifier } from '../sql-text.js';
import type { ArrayCells, OutputColumn } from './format.js';

/** Each column as it is stored, under its header: for formats whose cells ClickHouse writes. */
export const columnsSql = (columns: readonly OutputColumn[], fromAndTail: string): string => {
  const list = columns.map(({ sql, name }) => `${sql} AS ${quoteIdentifier(name)}`);
  return `SELECT ${list.join(',\n')}\n${fromAndTail}`;
};

/** Labels and each cell of the array as a column: for formats that have columns of their own. */
export const cellColumns = (labels: readonly OutputColumn[], { sql, names }: ArrayCells): string =>
  [
    ...labels.map((label) => `${label.sql} AS ${quoteIdentifier(label.name)}`),
    ...names.map((name, index) => `${sql}[${index + 1}].1 AS ${quoteIdentifier(name)}`),
  ].join(',\n');
