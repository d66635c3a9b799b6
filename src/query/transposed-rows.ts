import { Readable } from 'node:stream';
import type { StoredColumn } from '../model/column.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { type Format, formatSettings, formatSpecs } from './formats.js';
import { csvLines, jsonLines, type LineWriter, xmlLines } from './line-sql.js';
import type { DownloadOptions } from './options/options.js';
import type { Plan } from './plan.js';
import { type OutputColumn, plainColumn, requireColumns } from './projection.js';
import type { ReadContext } from './read-context.js';
import {
  datesSql,
  factsOf,
  headersOf,
  layOut,
  partSql,
  projectColumns,
  sizeSql,
  splitValues,
  type TransposeFacts,
  type TransposeLayout,
} from './transpose.js';
import { rowsPerSheet, sheetRowSql } from './xlsx/cell-sql.js';
import { requireCellTexts } from './xlsx/text-length.js';
import { writeWorkbook } from './xlsx/workbook.js';

/** Columns that the other formats hold. */
const columnLimits: Partial<Record<Format, number>> = { xlsx: 16_384 };

const readFacts = async (
  reader: Reader,
  plan: Plan,
  layout: TransposeLayout,
  context: ReadContext,
): Promise<TransposeFacts> => {
  const ask = <T>(sql: string, part: string): Promise<T[]> =>
    reader.facts<T>({
      sql: `${sql} FORMAT JSONEachRow`,
      values: plan.source.values,
      queryId: `${context.queryId}-${part}`,
      signal: context.signal,
    });
  const dates = await ask<{ date: string | null }>(datesSql(plan, layout), 'dates');
  // Too many dates are refused before the larger question is asked.
  factsOf(dates, undefined);
  const [size] = await ask<{ rows: string; most: string }>(sizeSql(plan, layout), 'size');
  return factsOf(dates, size);
};

/** How a format writes its rows; undefined for formats that have columns of their own. */
const linesOf = (format: Format, { decimals, quote }: DownloadOptions): LineWriter | undefined => {
  switch (format) {
    case 'csv':
      return csvLines({ delimiter: ',', quote });
    case 'tsv':
      return csvLines({ delimiter: '\t', quote });
    case 'json':
      return jsonLines(decimals === 'string');
    case 'xlsx':
      return xmlLines;
    default:
      return undefined;
  }
};

/** Bytes without the last few. */
async function* withoutEnd(body: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const chunk of body) {
    const joined = Buffer.concat([held, chunk]);
    const end = Math.max(0, joined.length - length);
    if (end > 0) yield joined.subarray(0, end);
    held = Buffer.from(joined.subarray(end));
  }
}

/** One answer after the other; the first is open already, each later one is opened when it is needed. */
async function* inTurn(
  first: Readable,
  count: number,
  open: (index: number) => Promise<Readable>,
): AsyncGenerator<Buffer> {
  let current = first;
  try {
    for (let index = 0; index < count; index += 1) {
      if (index > 0) current = await open(index);
      yield* current as AsyncIterable<Buffer>;
    }
  } finally {
    current.destroy();
  }
}

async function* framed(
  lines: LineWriter,
  headers: readonly string[],
  rows: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const header = lines.header(headers);
  if (header !== '') yield Buffer.from(header);
  yield* lines.trailing === 0 ? rows : withoutEnd(rows, lines.trailing);
  if (lines.footer !== '') yield Buffer.from(lines.footer);
}

/** Value columns of each query. A format with columns of its own takes all in one. */
const partsOf = (
  layout: TransposeLayout,
  facts: TransposeFacts,
  inOne: boolean,
): readonly (readonly StoredColumn[])[] => {
  if (layout.values.length === 0) return [[layout.date]];
  if (inOne) return [layout.values];
  return splitValues(layout.values, facts.rowsPerColumn * Math.max(1, facts.dates.length));
};

/** What fills the cells of the answer. */
const cellsOf = ({ labels, values }: TransposeLayout, { options }: Plan): OutputColumn[] => [
  ...labels,
  ...values.map((column) => plainColumn(column, options.includeIds)),
];

export const openTransposed = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  const { format, options } = plan;
  const layout = layOut(plan);
  const facts = await readFacts(reader, plan, layout, context);
  const headers = headersOf(layout, facts);
  const limit = columnLimits[format];
  if (limit !== undefined) requireColumns(format, headers.length, limit);
  if (format === 'xlsx') await requireCellTexts(reader, plan, cellsOf(layout, plan), context);
  const quoteDecimals = options.decimals === 'string';
  const lines = linesOf(format, options);
  const parts = partsOf(layout, facts, lines === undefined);
  const formatName = lines === undefined ? formatSpecs[format].clickHouse : 'LineAsString';
  const formatting = formatSettings(format, { soleColumn: false, quoteDecimals });

  const sheetRows = rowsPerSheet(headers.length);
  const rowsBefore = (index: number): number =>
    parts.slice(0, index).reduce((sum, part) => sum + part.length, 0) * facts.rowsPerColumn;

  const open = (index: number): Promise<Readable> => {
    const part = partSql({
      plan,
      layout,
      facts,
      part: parts[index]!,
      project: lines?.line ?? projectColumns,
      keyOf: lines?.keyOf,
      rowNumber: format === 'xlsx' ? sheetRowSql(sheetRows, rowsBefore(index)) : undefined,
      asText: lines === undefined,
    });
    return reader.open({
      sql: `${part.sql}${layout.values.length === 0 ? ' LIMIT 0' : ''}\nFORMAT ${formatName}`,
      values: part.values,
      settings: { ...formatting, ...part.settings },
      queryId: `${context.queryId}-${index}`,
      signal: context.signal,
    });
  };

  const rows = inTurn(await open(0), parts.length, open);
  if (format === 'xlsx') return writeWorkbook(rows, headers, sheetRows);
  const bytes = lines === undefined ? rows : framed(lines, headers, rows);
  return Readable.from(bytes, { objectMode: false, highWaterMark: 128 * 1024 });
};
