import { parsePeriod } from '../dates.js';
import {
  ambiguousSeries,
  malformedSeriesId,
  refusedRequest,
  seriesNotFound,
  unexpectedReply,
} from '../errors.js';
import { allPages } from '../listing.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Observation, SeriesData, UpstreamRequest } from '../provider.js';
import { boundOf, withinBounds } from '../range.js';
import { capitalised, readShape, requireValue, written } from '../shape.js';
import { hourRules, perDay } from './hours.js';
import { dataReply, type Node, named, type Row } from './reply.js';
import { fetchNode, isLocal, isRoute } from './routes.js';
import { unitOf } from './units.js';

const idForm = 'petroleum/pri/spt/daily/value/series=RWTC or PET.RWTC.D';

/** Maximum rows of one reply. */
const pageSize = 5_000;

/** Marks of EIA, besides `null`, for not available, not applicable, withheld, not meaningful. */
const missing = ['NA', '--', '-', 'W', 'w', 'NM'];

/** Request for a series, with a current id or one of the interface before 2023. */
interface Wanted {
  readonly path: readonly string[];
  readonly query: NonNullable<UpstreamRequest['query']>;
  /** Column of the value; undefined for an old id, where the row shows it. */
  readonly column?: string;
  readonly frequency?: string;
  readonly codes: readonly (readonly [facet: string, code: string])[];
  readonly node?: Node;
}

const oldForm = /^[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_:-]+)+$/;

/** A code may contain a slash: a part without `=` belongs to the previous one. */
const readCodes = (parts: readonly string[]): readonly (readonly [string, string])[] => {
  const codes: [string, string][] = [];
  for (const part of parts) {
    const [, facet, code] = /^([A-Za-z][\w-]*)=(.+)$/s.exec(part) ?? [];
    const last = codes.at(-1);
    if (facet !== undefined && code !== undefined) codes.push([facet, code]);
    else if (last !== undefined) last[1] += `/${part}`;
  }
  return codes;
};

const readId = async (seriesId: string, { http }: Context): Promise<Wanted> => {
  if (oldForm.test(seriesId)) return { path: ['seriesid', seriesId], query: {}, codes: [] };
  const parts = seriesId.split('/');
  const cut = parts.findIndex((part) => part.includes('='));
  const before = cut === -1 ? parts : parts.slice(0, cut);
  const [frequency = '', column = ''] = before.slice(-2);
  const route = before.slice(0, -2);
  if (route.length === 0 || !isRoute(route)) throw malformedSeriesId(named, seriesId, idForm);
  const node = await fetchNode(route, http);
  const codes = readCodes(cut === -1 ? [] : parts.slice(cut));
  const known =
    node.frequency.some(({ id }) => id === frequency) &&
    Object.hasOwn(node.data ?? {}, column) &&
    codes.every(([facet]) => node.facets.some(({ id }) => id === facet));
  if (!known) throw seriesNotFound(named, seriesId);
  if (isLocal(frequency)) throw refusedRequest(named, "choose 'hourly', whose hours are in UTC.");
  const facets = Object.fromEntries(codes.map(([facet, code]) => [`facets[${facet}][]`, [code]]));
  return {
    path: [...route, 'data', ''],
    query: { frequency, 'data[0]': column, ...facets },
    column,
    frequency,
    codes,
    node,
  };
};

/** Formats a day like the periods of a frequency; a bound in another format would be compared as text. */
const periodOf: Readonly<Record<string, (day: string, side: 'start' | 'end') => string>> = {
  annual: (day) => day.slice(0, 4),
  quarterly: (day) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  monthly: (day) => day.slice(0, 7),
  weekly: (day) => day,
  daily: (day) => day,
  hourly: (day, side) => `${day}T${side === 'start' ? '00' : '23'}`,
};

const boundsOf = (params: Params, frequency: string | undefined) => {
  const write = periodOf[frequency ?? ''];
  const [start, end] = (['start', 'end'] as const).map((side) => boundOf(params, side));
  return {
    start: start === undefined ? undefined : write?.(start, 'start'),
    end: end === undefined ? undefined : write?.(end, 'end'),
  };
};

const fetchPage = async (wanted: Wanted, query: Wanted['query'], { http }: Context) => {
  const payload = await http.json({
    path: wanted.path,
    query: { ...wanted.query, 'sort[0][column]': 'period', ...query },
  });
  return readShape(named, dataReply, payload);
};

type Reply = Awaited<ReturnType<typeof fetchPage>>;

const fetchAll = async (wanted: Wanted, params: Params, ctx: Context): Promise<Reply> => {
  const query = { ...boundsOf(params, wanted.frequency), 'sort[0][direction]': 'asc', length: pageSize };
  let first: string | undefined;
  // A truncated reply has `warnings`; comparing with `total` is more reliable.
  const { items: data, ...reply } = await allPages(named, async (offset) => {
    const page = await fetchPage(wanted, { ...query, offset }, ctx);
    const row = JSON.stringify(page.data[0]);
    // Rows are sorted: if the first one is repeated, the offset was ignored and rows would be missing.
    if (row !== undefined && row === first) throw unexpectedReply(named, 'the first page again');
    first ??= row;
    return { ...page, items: page.data };
  });
  return { ...reply, data };
};

const textOf = (row: Row, ...names: readonly string[]): string | undefined =>
  names.map((name) => row[name]).find((value): value is string => typeof value === 'string' && value !== '');

/** `value`; in replies to old ids, the only member with a member for its units. */
const columnOf = (row: Row): string | undefined =>
  row.value !== undefined ? 'value' : Object.keys(row).find((name) => row[`${name}-units`] !== undefined);

/** Two values for one date: the parts in which their rows differ are missing in the id. */
const checkSingle = (seriesId: string, rows: readonly Row[], column: string): void => {
  const seen = new Map<string, Row>();
  for (const row of rows) {
    const other = seen.get(String(row.period));
    if (other === undefined) seen.set(String(row.period), row);
    else if (other[column] !== row[column]) {
      const open = Object.keys(row).filter(
        (name) => name !== column && other[name] !== row[name] && !/(?:name|description|units)$/i.test(name),
      );
      throw ambiguousSeries(named, seriesId, `name one code of ${open.join(', ') || 'every facet'}`);
    }
  }
};

const readCell = (row: Row, column: string) =>
  readValue(readShape(named, written.optional(), row[column]), missing);

const toObservation = (row: Row, column: string): Observation => ({
  date: requireValue(named, 'the period of a row', parsePeriod(String(row.period))),
  ...readCell(row, column),
});

const hourForm = /^\d{4}-\d{2}-\d{2}T\d{2}$/;

/** Aggregates hours to days with the caller's rule. */
const daysOf = (rows: readonly Row[], column: string, rule: string): readonly Observation[] => {
  const hours = rows.map((row) => {
    const period = hourForm.exec(String(row.period))?.[0];
    return { period: requireValue(named, 'the hour of a row', period), ...readCell(row, column) };
  });
  return requireValue(named, 'a value', perDay(hours, rule));
};

/** Facets have names such as `series-description`, `area-name`, `stateDescription`, `sectorName`. */
const labelOf = ({ node, codes, column }: Wanted, row: Row, seriesId: string): string => {
  const whole = textOf(row, 'series-description', 'seriesDescription');
  if (whole !== undefined) return whole;
  const names = codes.map(([facet, code]) => {
    const stem = facet.replace(/id$/i, '');
    return textOf(row, `${facet}-name`, `${stem}Name`, `${stem}Description`) ?? code;
  });
  const columns = Object.keys(node?.data ?? {});
  const alias = columns.length > 1 ? [node?.data?.[column ?? '']?.alias || column] : [];
  return [node?.name, ...alias, ...names].filter((text) => text).join(', ') || seriesId;
};

const toSeries = (seriesId: string, wanted: Wanted, reply: Reply, params: Params): SeriesData => {
  const [row] = reply.data;
  if (row === undefined) return { label: wanted.node?.name ?? seriesId, metadata: {}, data: [] };
  const column = requireValue(named, 'the value of a row', wanted.column ?? columnOf(row));
  if (!reply.data.some((one) => Object.hasOwn(one, column))) {
    throw unexpectedReply(named, `no row has the column ${column}`);
  }
  checkSingle(seriesId, reply.data, column);
  const frequency = wanted.frequency ?? reply.frequency ?? '';
  const rule =
    frequency === 'hourly' ? hourRules.find(({ code }) => code === (params.hours ?? 'mean')) : undefined;
  return {
    label: labelOf(wanted, row, seriesId),
    metadata: toMetadata({
      frequency: rule === undefined ? capitalised(frequency) : 'Daily',
      ...(rule === undefined ? {} : { original_frequency: 'Hourly', aggregation: rule.label }),
      ...unitOf(textOf(row, `${column}-units`, 'units') ?? wanted.node?.data?.[column]?.units),
      source: 'U.S. Energy Information Administration',
      notes: wanted.node?.description ?? reply.description,
    }),
    data:
      rule === undefined
        ? reply.data.map((one) => toObservation(one, column))
        : daysOf(reply.data, column, rule.code),
  };
};

/** The newest rows without the day that the page truncated. */
const wholeDays = ({ total, data, ...reply }: Reply): Reply => {
  const oldest = String(data.at(-1)?.period).slice(0, 10);
  const whole = data.length < total ? data.filter(({ period }) => !String(period).startsWith(oldest)) : data;
  return { ...reply, total, data: whole };
};

export const preview = async (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> => {
  const wanted = await readId(seriesId, ctx);
  const newest = (length: number): Promise<Reply> =>
    fetchPage(wanted, { 'sort[0][direction]': 'desc', offset: 0, length }, ctx);
  const days = 24;
  const hours = (days + 1) * 24;
  let reply = await newest(wanted.frequency === 'hourly' ? hours : days);
  if (reply.total === 0) throw seriesNotFound(named, seriesId);
  const isHourly = (wanted.frequency ?? reply.frequency) === 'hourly';
  // Only the reply tells the frequency of an old id.
  if (isHourly && wanted.frequency === undefined) reply = await newest(hours);
  return toSeries(seriesId, wanted, isHourly ? wholeDays(reply) : reply, params);
};

export const series = async (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> => {
  const wanted = await readId(seriesId, ctx);
  const reply = await fetchAll(wanted, params, ctx);
  // EIA returns no rows for an unknown code, and no error.
  if (reply.total === 0 && params.start === undefined && params.end === undefined) {
    throw seriesNotFound(named, seriesId);
  }
  return withinBounds(toSeries(seriesId, wanted, reply, params), params);
};
