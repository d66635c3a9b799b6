import { arrow, parquet } from './columnar/columnar.js';
import { csv, tsv } from './delimited/delimited.js';
import type { FormatRecord, TableFrame } from './format.js';
import { json } from './json/json.js';
import { xlsx } from './xlsx/xlsx.js';

const records = { csv, json, xlsx, tsv, parquet, arrow };

export type Format = keyof typeof records;

export const formats: Readonly<Record<Format, FormatRecord>> = records;

/** In the order of documents and messages. */
export const formatNames = Object.keys(records) as readonly Format[];

/** Formats that can write rows in memory. */
type TableFormat = {
  [F in Format]: (typeof records)[F] extends FormatRecord<TableFrame> ? F : never;
}[Format];

const isTableFormat = (format: Format): format is TableFormat => 'table' in records[format].frame;

export const tableFormats = formatNames.filter(isTableFormat);

/** Writes a table with the same bytes as a download. */
export const writeTable = (table: Parameters<TableFrame['table']>[0], format: TableFormat) =>
  records[format].frame.table(table);
