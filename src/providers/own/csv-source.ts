import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Options, parse } from 'csv-parse';
import { parseDay, parsePeriod } from '../dates.js';
import { seriesNotFound, unexpectedReply } from '../errors.js';
import { legendOf, withFlag } from '../flags.js';
import { toMetadata } from '../metadata.js';
import { parseDecimal, readValue } from '../numbers.js';
import type { Observation, Provider } from '../provider.js';
import { filled, requireValue } from '../shape.js';
import { unitOfPrice } from '../units.js';
import { type Base, createListedSource } from './listed-source.js';
import type { CsvRecord } from './record.js';

type CsvSeries = CsvRecord['series'][number];

const dateOf = (written: string, order: CsvRecord['dates']): string | undefined => {
  if (order === 'iso') return parsePeriod(written);
  const [, first = '', second = '', year = ''] =
    /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(written.trim()) ?? [];
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  return parseDay(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
};

/** With a decimal comma a point only groups thousands: `1.234,5`. Another one (`1.23`) is not a number. */
const parseCommaDecimal = (text: string): string | undefined => {
  const plain = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(text) ? text.replaceAll('.', '') : text;
  return plain.includes('.') ? undefined : parseDecimal(plain.replace(',', '.'));
};

/** Bytes parsed per turn of the event loop. */
const pieceLength = 65_536;

/** Splits into bytes and not characters, since a piece may end within a surrogate pair. */
const piecesOf = async function* (text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) {
    yield bytes.subarray(at, at + pieceLength);
    await nextTurn();
  }
};

/** A file may be as large as a reply, so it is neither parsed in one turn nor stored as cells. */
const readLines = async function* (base: Base, text: string, options: Options): AsyncGenerator<string[]> {
  try {
    yield* Readable.from(piecesOf(text)).pipe(parse(options)) as AsyncIterable<string[]>;
  } catch {
    throw unexpectedReply(base, 'it is not CSV');
  }
};

/** Positions of the columns of a series, by their names in the header of the file. */
const columnsOf = (base: Base, series: CsvSeries, head: readonly string[]) => {
  const names = head.map((name) => name.trim());
  const columnOf = (name: string): number => {
    const column = names.indexOf(name);
    if (column < 0) throw unexpectedReply(base, `no column '${name}'`);
    return column;
  };
  return {
    date: columnOf(series.date),
    value: columnOf(series.value),
    flag: series.flag === undefined ? undefined : columnOf(series.flag),
    wanted: Object.entries(series.rows).map(([name, cell]) => [columnOf(name), cell] as const),
  };
};

const readRows = async (
  base: Base,
  record: CsvRecord,
  series: CsvSeries,
  text: string,
): Promise<Observation[]> => {
  const lines = readLines(base, text, {
    bom: true,
    delimiter: record.delimiter,
    from_line: record.skipLines + 1,
    skip_empty_lines: true,
    relax_column_count: true,
  });
  const readDecimal = record.decimalComma ? parseCommaDecimal : parseDecimal;
  const own: Observation[] = [];
  let columns: ReturnType<typeof columnsOf> | undefined;
  for await (const cells of lines) {
    if (columns === undefined) {
      columns = columnsOf(base, series, cells);
      continue;
    }
    const { date, value, flag, wanted } = columns;
    if (!wanted.every(([column, cell]) => cells[column]?.trim() === cell)) continue;
    own.push({
      date: requireValue(base, `a date in column '${series.date}'`, dateOf(cells[date] ?? '', record.dates)),
      ...withFlag(
        readValue(cells[value], record.missing, readDecimal),
        flag === undefined ? undefined : filled(cells[flag]),
      ),
    });
  }
  if (columns === undefined) throw unexpectedReply(base, `no column '${series.date}'`);
  if (own.length === 0 && columns.wanted.length > 0) throw seriesNotFound(base, series.id);
  return own;
};

/** A source whose series are columns of CSV files at fixed addresses. */
export const createCsvSource = (base: Base, record: CsvRecord): Provider =>
  createListedSource(base, record.series, async (series, { http }) => {
    const { text } = await http.text({
      path: series.path.split('/'),
      query: series.query,
      // Several series are columns of one file, and the range is selected here.
      keep: 'series',
    });
    const data = await readRows(base, record, series, text);
    return {
      label: series.label,
      metadata: toMetadata({
        frequency: series.frequency,
        ...unitOfPrice(series.unit),
        source: record.provider,
        notes: series.description,
        flags: legendOf(data, record.flags),
      }),
      data,
    };
  });
