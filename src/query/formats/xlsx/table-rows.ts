import type { Readable } from 'node:stream';
import type { DataType } from '../../../model/column.js';
import type { Table } from '../format.js';
import { columnLetters, dateStyle } from './cell-sql.js';
import { escapeText, writeWorkbook } from './workbook.js';

const dayMs = 86_400_000;
/** Days from 1899-12-30, Excel's day 0, to 1970-01-01. */
const epochSerial = 25_569;

/** Digits without sign, point, exponent and outer zeros: equal for equal numbers of one magnitude. */
const significant = (text: string): string =>
  text.replace(/e.*$/i, '').replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '');

/** True when a double, which is what sheets have, is this very number. */
const isExactDouble = (text: string): boolean =>
  Number.isFinite(Number(text)) && significant(String(Number(text))) === significant(text);

const sheetCell = (text: string, dataType: DataType, address: string): string => {
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

/** A workbook of rows that are at hand. */
export const tableWorkbook = (table: Table): Readable =>
  writeWorkbook(
    sheetRows(table),
    table.columns.map(({ name }) => name),
    rowsOfSheet,
    table.about,
  );
