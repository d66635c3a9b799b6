import { parse } from 'csv-parse/sync';
import { parseDay, parsePeriod } from '../dates.js';
import { seriesNotFound, unexpectedReply } from '../errors.js';
import { legendOf, withFlag } from '../flags.js';
import { toMetadata } from '../metadata.js';
import { parseDecimal, readValue } from '../numbers.js';
import type { Observation, Provider } from '../provider.js';
import { requireValue } from '../shape.js';
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

const decimalOf =
  (decimalComma: boolean) =>
  (text: string): string | undefined =>
    parseDecimal(decimalComma ? text.replace(/^([+-]?\d+),(\d+)$/, '$1.$2') : text);

const readRows = (base: Base, record: CsvRecord, series: CsvSeries, text: string): Observation[] => {
  let rows: string[][];
  try {
    rows = parse(text, {
      bom: true,
      delimiter: record.delimiter,
      from_line: record.skipLines + 1,
      skip_empty_lines: true,
      relax_column_count: true,
    });
  } catch {
    throw unexpectedReply(base, 'it is not CSV');
  }
  const [head = [], ...body] = rows;
  const names = head.map((name) => name.trim());
  const columnOf = (name: string): number => {
    const column = names.indexOf(name);
    if (column < 0) throw unexpectedReply(base, `no column '${name}'`);
    return column;
  };
  const [date, value] = [columnOf(series.date), columnOf(series.value)];
  const flag = series.flag === undefined ? undefined : columnOf(series.flag);
  const wanted = Object.entries(series.rows).map(([name, cell]) => [columnOf(name), cell] as const);
  const own = body.filter((cells) => wanted.every(([column, cell]) => cells[column]?.trim() === cell));
  if (own.length === 0 && wanted.length > 0) throw seriesNotFound(base, series.id);
  return own.map((cells) => ({
    date: requireValue(base, `a date in column '${series.date}'`, dateOf(cells[date] ?? '', record.dates)),
    ...withFlag(
      readValue(cells[value], record.missing, decimalOf(record.decimalComma)),
      flag === undefined ? undefined : cells[flag]?.trim() || undefined,
    ),
  }));
};

/** A source whose series are columns of CSV files at fixed addresses. */
export const createCsvSource = (base: Base, record: CsvRecord): Provider =>
  createListedSource(base, record.series, async (series, { http }) => {
    const { text } = await http.text({
      path: series.path.split('/'),
      ...(series.query === undefined ? {} : { query: series.query }),
      // Several series are columns of one file, and a range is cut here.
      keep: 'series',
    });
    const data = readRows(base, record, series, text);
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
