import type { PhysicalType } from '../model/column.js';
import type { OutputColumn } from './projection.js';
import { cellText, headerText, type Quoting } from './quoting.js';
import { quoteText } from './sql-text.js';
import { columnLetters, nullableCellXml } from './xlsx/cell-sql.js';

/**
 * Rows as lines of text that ClickHouse puts together. Used where a row has thousands of cells that come from
 * one array: as columns of a SELECT they would cost seconds of analysis.
 */
export interface LineWriter {
  /** Lines before the first row. */
  header(names: readonly string[]): string;
  /** Expression of a line, without its line end. `array` holds tuples of one nullable value of the type. */
  line(labels: readonly OutputColumn[], array: ArrayCells): string;
  /** What follows the last row. */
  readonly footer: string;
  /** Bytes at the end of every line that the last one must not have, line end included. */
  readonly trailing: number;
  /** What the line needs to know of each cell of the array, as the parameter `keys`. */
  readonly keyOf?: (name: string, index: number) => string;
}

export interface ArrayCells {
  readonly sql: string;
  readonly physical: PhysicalType;
  /** Headers of the cells. */
  readonly names: readonly string[];
}

export const csvLines = (quoting: Quoting): LineWriter => {
  const { delimiter } = quoting;
  const separator = delimiter === ',' ? "','" : "'\\t'";
  return {
    header: (names) => `${names.map((name) => headerText(name, quoting)).join(delimiter)}\r\n`,
    line(labels, { sql, physical }) {
      const cells = labels.map((label) => cellText(label.sql, label.physical, quoting));
      const rest = `arrayStringConcat(arrayMap(x -> ${cellText('x.1', physical, quoting)}, ${sql}), ${separator})`;
      return `concat(${[...cells, rest].join(`, ${separator}, `)}, '\\r')`;
    },
    footer: '',
    trailing: 0,
  };
};

const jsonCell = (sql: string, physical: PhysicalType, quoteDecimals: boolean): string => {
  if (physical === 's') return `ifNull(toJSONString(${sql}), 'null')`;
  const quoted = physical === 'd' || physical === 't' || quoteDecimals;
  return quoted ? `ifNull(concat('"', toString(${sql}), '"'), 'null')` : `ifNull(toString(${sql}), 'null')`;
};

export const jsonLines = (quoteDecimals: boolean): LineWriter => ({
  header: () => '[\n',
  line(labels, { sql, physical }) {
    const cells = labels.map(
      (label) =>
        `concat(${quoteText(`${JSON.stringify(label.name)}:`)}, ${jsonCell(label.sql, label.physical, quoteDecimals)})`,
    );
    const rest = `arrayStringConcat(arrayMap((k, x) -> concat(k, ${jsonCell('x.1', physical, quoteDecimals)}), {keys:Array(String)}, ${sql}), ',')`;
    return `concat('{', ${cells.join(", ',', ")}, if(empty(${sql}), '', ','), ${rest}, '},')`;
  },
  footer: '\n]\n',
  trailing: ',\n'.length,
  keyOf: (name) => `${JSON.stringify(name)}:`,
});

/** Rows of a sheet; what stands around them is the workbook's. Needs the number of the row as `m`. */
export const xmlLines: LineWriter = {
  header: () => '',
  line(labels, { sql, physical }) {
    const cells = labels.map((label, index) =>
      nullableCellXml(label.sql, label.physical, `'${columnLetters(index)}', m`),
    );
    const rest = `arrayStringConcat(arrayMap((k, x) -> ${nullableCellXml('x.1', physical, 'k, m')}, {keys:Array(String)}, ${sql}))`;
    return `concat('<row r="', m, '">', ${cells.join(', ')}, ${rest}, '</row>')`;
  },
  footer: '',
  trailing: 0,
  keyOf: (_, index) => columnLetters(index),
};
