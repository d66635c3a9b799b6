import type { FormatRecord, TableFrame, TransposedSelect } from '../format.js';
import {
  columnLetters,
  nullableCellXml,
  rowsPerSheet,
  rowsPerSheetOf,
  sheetRowSql,
  sheetSql,
} from './cell-sql.js';
import { tableWorkbook } from './table-rows.js';
import { maxCharacters, textLength } from './text-length.js';
import { writeWorkbook } from './workbook.js';

/** ClickHouse writes each row as a line of XML; `workbook.ts` adds the rest. */
const clickHouse = 'LineAsString';

const settings = { output_format_parallel_formatting: 1 };

const transposed: TransposedSelect = {
  project(labels, { sql, physical }) {
    const cells = labels.map((label, index) =>
      nullableCellXml(label.sql, label.physical, `'${columnLetters(index)}', m`),
    );
    const rest = `arrayStringConcat(arrayMap((k, x) -> ${nullableCellXml('x.1', physical, 'k, m')}, {keys:Array(String)}, ${sql}))`;
    return `concat('<row r="', m, '">', ${cells.join(', ')}, ${rest}, '</row>')`;
  },
  keyOf: (_, index) => columnLetters(index),
  rowNumber: (columns, before) => sheetRowSql(rowsPerSheet(columns, columns), before),
  inOneQuery: false,
  clickHouse,
  settings,
};

export const xlsx: FormatRecord<TableFrame> = {
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  clickHouse,
  compressible: false,
  linked: false,
  readFromEnd: false,
  reproducible: true,
  describes: true,
  maxColumns: 16_384,
  maxNameLength: maxCharacters,
  takes: [],
  check: textLength,
  select: {
    rows: (columns, fromAndTail) => ({
      sql: `${sheetSql(columns, fromAndTail)}\nFORMAT ${clickHouse}`,
      settings,
    }),
    transposed: () => transposed,
  },
  frame: {
    rows: (bytes, columns, about) =>
      writeWorkbook(
        bytes as AsyncIterable<Buffer>,
        columns.map(({ name }) => name),
        rowsPerSheetOf(columns),
        about,
      ),
    transposed: (bytes, names, _appearance, about) =>
      writeWorkbook(bytes, names, rowsPerSheet(names.length, names.length), about),
    table: tableWorkbook,
  },
};
