import type { Readable } from 'node:stream';
import type { DataType } from '../../../model/column.js';
import { isExactDouble } from '../../../model/column-types/double.js';
import type { Table } from '../format.js';
import { columnLetters, dateStyle } from './cell-sql.js';
import { textCell, writeWorkbook } from './workbook.js';

const dayMs = 86_400_000;
/** Days from 1899-12-30, Excel's day 0, to 1970-01-01. */
const epochSerial = 25_569;

const sheetCell = (text: string, dataType: DataType, address: string): string => {
  const days = dataType === 'Date' ? Date.parse(`${text}T00:00:00Z`) / dayMs + epochSerial : Number.NaN;
  // Excel counts 29 February 1900, which did not exist, and has no days before 1900.
  if (days >= 2) return `<c r="${address}" s="${dateStyle}"><v>${days < 61 ? days - 1 : days}</v></c>`;
  // Numbers in sheets are doubles.
  if (dataType === 'Decimal' && isExactDouble(text)) return `<c r="${address}"><v>${text}</v></c>`;
  return textCell(text, address);
};

/** Below the header. */
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

/** Writes rows in memory as a workbook. */
export const tableWorkbook = (table: Table): Readable =>
  writeWorkbook(
    sheetRows(table),
    table.columns.map(({ name }) => name),
    rowsOfSheet,
    table.about,
  );
