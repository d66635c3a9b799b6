import type { Readable } from 'node:stream';
import type { Format } from './formats.js';
import { columnLetters, dateStyle } from './xlsx/cell-sql.js';
import { escapeText, writeWorkbook } from './xlsx/workbook.js';

/** Rows that are at hand, not in ClickHouse, in the same forms as downloads. */
export interface Table {
  readonly columns: readonly ShortColumn[];
  /** Cells as text; null: no value. Decimals with the digits they shall have. */
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface ShortColumn {
  readonly name: string;
  readonly dataType: 'Date' | 'String' | 'Decimal';
}

export type TableFormat = Extract<Format, 'csv' | 'json' | 'xlsx' | 'tsv'>;

const dayMs = 86_400_000;
/** Days from 1899-12-30, Excel's day 0, to 1970-01-01. */
const epochSerial = 25_569;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const delimited = ({ columns, rows }: Table, delimiter: string): string => {
  const cell = (text: string | null, column: number): string =>
    text === null ? '' : columns[column]?.dataType === 'Decimal' ? text : quoted(text);
  const lines = [columns.map(({ name }) => quoted(name)), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `${line.join(delimiter)}\r\n`).join('');
};

/** By hand, so that a decimal is a JSON number with all of its digits. */
const json = ({ columns, rows }: Table): string => {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const cell = (text: string | null, column: number): string => {
    if (text === null) return `${keys[column]}null`;
    return `${keys[column]}${columns[column]?.dataType === 'Decimal' ? text : JSON.stringify(text)}`;
  };
  const objects = rows.map((row) => `{${row.map(cell).join(',')}}`);
  return objects.length === 0 ? '[\n\n]\n' : `[\n${objects.join(',\n')}\n]\n`;
};

/** Digits without sign, point, exponent and outer zeros: equal for equal numbers of one magnitude. */
const significant = (text: string): string =>
  text.replace(/e.*$/i, '').replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '');

/** True when a double, which is what sheets have, is this very number. */
const isExactDouble = (text: string): boolean =>
  Number.isFinite(Number(text)) && significant(String(Number(text))) === significant(text);

const sheetCell = (text: string, dataType: ShortColumn['dataType'], address: string): string => {
  const days = dataType === 'Date' ? Date.parse(`${text}T00:00:00Z`) / dayMs + epochSerial : Number.NaN;
  // Excel counts a 29 February 1900 that never was, and knows no day before that year.
  if (days >= 2) return `<c r="${address}" s="${dateStyle}"><v>${days < 61 ? days - 1 : days}</v></c>`;
  if (dataType === 'Decimal' && isExactDouble(text)) return `<c r="${address}"><v>${text}</v></c>`;
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
};

/** Rows that one sheet holds below its header. */
const rowsOfSheet = 1_048_575;

async function* sheetRows({ columns, rows }: Table): AsyncGenerator<Buffer> {
  for (const [index, row] of rows.entries()) {
    const number = (index % rowsOfSheet) + 2;
    const cells = row.map((text, column) =>
      text === null
        ? ''
        : sheetCell(text, columns[column]?.dataType ?? 'String', `${columnLetters(column)}${number}`),
    );
    yield Buffer.from(`<row r="${number}">${cells.join('')}</row>\n`);
  }
}

/** The table in a format; `Content-Type` and extension are those of `formatSpecs`. */
export const writeTable = (table: Table, format: TableFormat): string | Readable => {
  switch (format) {
    case 'csv':
      return delimited(table, ',');
    case 'tsv':
      return delimited(table, '\t');
    case 'json':
      return json(table);
    case 'xlsx':
      return writeWorkbook(
        sheetRows(table),
        table.columns.map(({ name }) => name),
        rowsOfSheet,
      );
    default:
      return format satisfies never;
  }
};
