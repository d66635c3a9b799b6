import { readCsv, requireWidth } from '../csv.js';
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

/** Positions of the columns of a series, by their names in the header of the file. */
const columnsOf = (base: Base, series: CsvSeries, header: readonly string[]) => {
  const names = header.map((name) => name.trim());
  const columnOf = (name: string): number => {
    const column = names.indexOf(name);
    if (column < 0) throw unexpectedReply(base, `no column '${name}'`);
    return column;
  };
  return {
    header,
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
  const found = readCsv(base, text, { delimiter: record.delimiter, from_line: record.skipLines + 1 });
  const readDecimal = record.decimalComma ? parseCommaDecimal : parseDecimal;
  const own: Observation[] = [];
  let columns: ReturnType<typeof columnsOf> | undefined;
  for await (const one of found) {
    const { cells } = one;
    if (columns === undefined) {
      columns = columnsOf(base, series, cells);
      continue;
    }
    const { header, date, value, flag, wanted } = columns;
    const isOwn = wanted.every(([column, cell]) => cells[column]?.trim() === cell);
    // In a longer record cells are shifted, so it may be one of the series.
    if (!isOwn && cells.length <= header.length) continue;
    requireWidth(base, header, one);
    if (!isOwn) continue;
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
