import { parseDay } from '../dates.js';
import { ambiguousSeries, malformedSeriesId, seriesNotFound } from '../errors.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Item, Observation, SeriesData, UpstreamHttp } from '../provider.js';
import { boundOf } from '../range.js';
import { requireValue } from '../shape.js';
import { type Unit, unitOfText, unitTimes } from '../units.js';
import { dateColumn, fetchAll, fetchNewest, named, type Row, type Rows } from './rows.js';
import { findTable, type Table } from './tables.js';

const idForm =
  'v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt or v2/accounting/od/avg_interest_rates/avg_interest_rate_amt/security_desc=Treasury Bills';

/** Rows of the newest date, or rows in which a local filter finds some two dozen. */
const manyRows = 1_000;

interface Wanted {
  readonly table: string;
  readonly field: string;
  readonly filters: readonly (readonly [column: string, value: string])[];
}

const word = /^[a-z0-9_]{1,80}$/;

/** `table path/value column/text column=value/…`; a value may contain slashes. */
const readId = (seriesId: string): Wanted => {
  const parts = seriesId.split('/');
  const cut = parts.findIndex((part) => part.includes('='));
  const before = cut === -1 ? parts : parts.slice(0, cut);
  const filters: [string, string][] = [];
  for (const part of cut === -1 ? [] : parts.slice(cut)) {
    const [, column, value] = /^([a-z0-9_]{1,80})=(.+)$/s.exec(part) ?? [];
    const last = filters.at(-1);
    if (column !== undefined && value !== undefined) filters.push([column, value]);
    else if (last !== undefined) last[1] += `/${part}`;
  }
  const field = before.at(-1) ?? '';
  const table = before.slice(0, -1);
  if (table.length < 3 || !before.every((part) => word.test(part)) || !/^v\d$/.test(table[0] ?? '')) {
    throw malformedSeriesId(named, seriesId, idForm);
  }
  return { table: table.join('/'), field, filters };
};

/** Comma, colon and parentheses are syntax of filters, so such a value is filtered locally. */
const mayBeSent = ([, value]: readonly [string, string]): boolean => /^[\w .%&'/-]+$/.test(value);

const filterOf = ({ filters }: Wanted, params: Params): string | undefined => {
  const start = boundOf(params, 'start');
  const end = boundOf(params, 'end');
  const terms = [
    ...(start === undefined ? [] : [`${dateColumn}:gte:${start}`]),
    ...(end === undefined ? [] : [`${dateColumn}:lte:${end}`]),
    ...filters.filter(mayBeSent).map(([column, value]) => `${column}:eq:${value}`),
  ];
  return terms.length === 0 ? undefined : terms.join(',');
};

/** `src_line_nbr` and the parts of the date are numbers but not measures. */
const isMeasure = (column: string, type: string | undefined): boolean =>
  type !== undefined &&
  /^(?:CURRENCY|NUMBER|PERCENTAGE|INTEGER|RATE|SMALL_FRACTION)/.test(
    type.toUpperCase().replaceAll(' ', '_'),
  ) &&
  !/^(?:src_line_nbr|record_.*|.*_line_nbr|print_order_nbr|line_code_nbr|sequence_.*)$/.test(column);

const textColumns = ({ types }: Rows): string[] =>
  Object.keys(types).filter((column) => types[column] === 'STRING');

/** Columns in which rows of one date differ, for an id with too few conditions. */
const checkSingle = (seriesId: string, wanted: Wanted, rows: readonly Row[], reply: Rows): void => {
  const seen = new Map<string | null | undefined, Row>();
  for (const row of rows) {
    const other = seen.get(row[dateColumn]);
    if (other === undefined) seen.set(row[dateColumn], row);
    else if (other[wanted.field] !== row[wanted.field]) {
      const open = textColumns(reply).filter((column) => other[column] !== row[column]);
      const advice =
        open.length === 0
          ? `there are several rows for ${row[dateColumn]}`
          : `add /${open[0]}=… to the id (one of ${open.join(', ')})`;
      throw ambiguousSeries(named, seriesId, advice);
    }
  }
};

const toObservation = (row: Row, field: string): Observation => ({
  date: requireValue(named, 'the date of a row', parseDay(row[dateColumn] ?? '')),
  ...readValue(row[field]),
});

/** The Daily Treasury Statement is in millions of dollars, which its replies do not say. */
const inMillions = /^v\d\/accounting\/dts\//;

/** The Monthly Statement of the Public Debt has it in the label: `Total (in Millions)`, column `total_mil_amt`. */
const multiplierOf = (table: string, field: string, label: string): number =>
  inMillions.test(table) || /_mil(?:_|$)/.test(field) ? 1e6 : (unitOfText(label).unitMultiplier ?? 1);

const unitOf = (table: string, field: string, { types, labels }: Rows): Unit => {
  const type = types[field];
  if (type === 'PERCENTAGE') return { units: 'Percent', unit: 'Percent', unitMultiplier: 1 };
  if (type === undefined || !type.startsWith('CURRENCY')) return { unitMultiplier: 1 };
  return unitTimes('U.S. dollars', multiplierOf(table, field, labels[field] ?? ''));
};

const toSeries = (seriesId: string, wanted: Wanted, reply: Rows): SeriesData => {
  const { field, filters } = wanted;
  const known =
    isMeasure(field, reply.types[field]) && filters.every(([column]) => reply.types[column] !== undefined);
  if (!known) throw seriesNotFound(named, seriesId);
  const rows = reply.rows.filter((row) => filters.every(([column, value]) => row[column] === value));
  checkSingle(seriesId, wanted, rows, reply);
  const table = findTable(wanted.table);
  const label = [reply.labels[field] ?? field, ...filters.map(([, value]) => value)].join(', ');
  return {
    label: `${table?.label ?? wanted.table}: ${label}`,
    metadata: toMetadata({
      frequency: table?.frequency,
      ...unitOf(wanted.table, field, reply),
      source: 'U.S. Department of the Treasury, Bureau of the Fiscal Service',
      data_type: reply.types[field],
      data_format: reply.formats[field],
    }),
    data: rows.map((row) => toObservation(row, field)),
  };
};

export const preview = async (seriesId: string, params: Params, { http }: Context): Promise<SeriesData> => {
  const wanted = readId(seriesId);
  const size = wanted.filters.every(mayBeSent) ? 24 : manyRows;
  const found = toSeries(
    seriesId,
    wanted,
    await fetchNewest(wanted.table, filterOf(wanted, params), size, http),
  );
  if (found.data.length === 0) throw seriesNotFound(named, seriesId);
  return found;
};

export const series = async (seriesId: string, params: Params, { http }: Context): Promise<SeriesData> => {
  const wanted = readId(seriesId);
  const found = toSeries(seriesId, wanted, await fetchAll(wanted.table, filterOf(wanted, params), http));
  if (found.data.length === 0 && params.start === undefined && params.end === undefined) {
    throw seriesNotFound(named, seriesId);
  }
  return found;
};

/**
 * The text columns that distinguish the rows of one date: a single one if it differs in every row (descriptions before codes), otherwise
 * all that differ at all.
 */
const keyColumns = (rows: readonly Row[], columns: readonly string[]): readonly string[] => {
  if (rows.length < 2) return [];
  const distinct = (column: string) => new Set(rows.map((row) => row[column])).size;
  const unique = columns.filter((column) => distinct(column) === rows.length);
  const one = unique.find((column) => column.endsWith('_desc')) ?? unique[0];
  return one === undefined ? columns.filter((column) => distinct(column) > 1) : [one];
};

/** The series of a table: each value column for each row of the newest date. */
export const seriesOf = async (table: Table, http: UpstreamHttp): Promise<readonly Item[]> => {
  const reply = await fetchNewest(table.path, undefined, manyRows, http, 'structure');
  const newest = reply.rows[0]?.[dateColumn];
  const rows = reply.rows.filter((row) => row[dateColumn] === newest);
  const keys = keyColumns(rows, textColumns(reply));
  const fields = Object.keys(reply.types).filter((column) => isMeasure(column, reply.types[column]));
  const items = rows.flatMap((row) =>
    fields.map(
      (field): Item => ({
        id: [table.path, field, ...keys.map((column) => `${column}=${row[column]}`)].join('/'),
        label: [reply.labels[field] ?? field, ...keys.map((column) => row[column])].join(', '),
        description: table.label,
        frequency: table.frequency,
        units: unitOf(table.path, field, reply).units,
        path: [table.path],
      }),
    ),
  );
  // Rows that no text column distinguishes would have the same id.
  return [...new Map(items.map((item) => [item.id, item])).values()];
};
