import { parsePeriod } from '../dates.js';
import { malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import { toMetadata } from '../metadata.js';
import { parseGroupedDecimal, readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Observation, SeriesData, UpstreamHttp } from '../provider.js';
import { withinBounds, yearOf } from '../range.js';
import { requireValue } from '../shape.js';
import { haveSeveralExponents, type Unit, unitOfText } from '../units.js';
import {
  type Dataset,
  datasets,
  fetchLines,
  fetchTables,
  frequenciesOf,
  frequencyLabels,
  recentYears,
  tableQuery,
} from './datasets.js';
import { type Data, fetchData, named, type Row } from './reply.js';
import { unitOf } from './units.js';

const idForm =
  'NIPA/T10101/Q/1, Regional/SAGDP2N/1/01000, GDPbyIndustry/1/A/11 or ITA/BalGds/QSA/AllCountries';

/** Not available, suppressed, not meaningful, too small to show; dots and dashes also mean no value. */
const missing = ['(NA)', '(D)', '(NM)', '(L)', '...', '…', '---'];

/** The earliest year of all tables. */
const firstYear = 1900;

/** Format of the last two parts of an id. */
const formOf = ({ regional, pair }: Dataset): RegExp => {
  if (regional === true) return /^\d{1,4}\/\d{5}$/;
  return pair === undefined ? /^[AQM]\/\d{1,4}$/ : /^(?:A|Q|QSA|QNSA)\/[\w-]{1,60}$/;
};

interface Wanted {
  readonly query: (years: string) => Readonly<Record<string, string>>;
  readonly isOwn: (row: Row) => boolean;
  readonly frequency: string | undefined;
  readonly title: string;
  /** Label of the second parameter, for a dataset with two. */
  readonly line?: string;
}

/** `dataset/table/frequency/line`, for regional tables `Regional/table/line/area`. */
const readId = async (seriesId: string, http: UpstreamHttp): Promise<Wanted> => {
  const [name = '', table = '', third = '', fourth = '', ...rest] = seriesId.split('/');
  const dataset = Object.hasOwn(datasets, name) ? datasets[name] : undefined;
  const wellFormed =
    dataset !== undefined &&
    /^[A-Za-z0-9_-]{1,60}$/.test(table) &&
    formOf(dataset).test(`${third}/${fourth}`) &&
    rest.length === 0;
  if (!wellFormed) throw malformedSeriesId(named, seriesId, idForm);
  // Checked first: a request for an unknown table is an error, and 30 errors per minute lock the key for an hour.
  const title = (await fetchTables(name, http)).get(table);
  if (title === undefined) throw seriesNotFound(named, seriesId);
  if (dataset.regional === true) {
    return {
      query: (years) => ({
        datasetname: name,
        TableName: table,
        LineCode: third,
        GeoFips: fourth,
        Year: years,
      }),
      isOwn: (row) => row.GeoFips === fourth,
      frequency: undefined,
      title,
    };
  }
  if (!frequenciesOf(dataset, title).includes(third)) throw seriesNotFound(named, seriesId);
  if (dataset.pair !== undefined) {
    const { table: first, line: second } = dataset.pair;
    const line = (await fetchLines(name, second, http)).get(fourth);
    if (line === undefined) throw seriesNotFound(named, seriesId);
    return {
      query: (years) => ({
        datasetname: name,
        [first]: table,
        [second]: fourth,
        Frequency: third,
        Year: years,
      }),
      isOwn: (row) => [row.Industry, row.AreaOrCountry, row.Component].includes(fourth),
      frequency: third,
      title,
      line,
    };
  }
  return {
    query: (years) => tableQuery(name, table, third, years),
    isOwn: (row) => Number(row.LineNumber) === Number(fourth),
    frequency: third,
    title,
  };
};

const quarters = ['I', 'II', 'III', 'IV'];

const periodOf = ({ TimePeriod, Year, Quarter }: Row): string => {
  const quarter = quarters.indexOf(Quarter ?? '') + 1;
  return TimePeriod ?? (quarter === 0 ? (Year ?? '') : `${Year}Q${quarter}`);
};

const frequencyOf = (period: string): string | undefined =>
  frequencyLabels[/^\d{4}([QM])\d+$/.exec(period)?.[1] ?? 'A'];

/** The unit in brackets at the end of a note, if the rows have none: `… [Billions of dollars]`. */
const unitOfNotes = ({ Notes }: Data): Unit => {
  const found = (Notes ?? []).flatMap(({ NoteText }) => /\[([^\]]+)\]/.exec(NoteText ?? '')?.[1] ?? []);
  return unitOfText(found[0]);
};

const labelOf = (row: Row, { title, frequency, line }: Wanted, { Statistic }: Data): string => {
  if (line !== undefined) return [row.TimeSeriesDescription || title, line].join(', ');
  const table = title.replace(/(?:\s*\([AQM]\))+$/, '');
  const [what, where] =
    frequency === undefined ? [Statistic || table, row.GeoName] : [row.LineDescription, table];
  return [what, where].filter(Boolean).join(', ');
};

const toObservation = (row: Row): Observation => ({
  date: requireValue(named, 'the period of a row', parsePeriod(periodOf(row))),
  ...readValue(row.DataValue, missing, parseGroupedDecimal),
});

const toSeries = (seriesId: string, wanted: Wanted, data: Data): SeriesData => {
  const rows = data.Data.filter(wanted.isOwn);
  const [row] = rows;
  if (row === undefined) throw seriesNotFound(named, seriesId);
  if (haveSeveralExponents(rows.map(({ UNIT_MULT }) => UNIT_MULT))) {
    throw unexpectedReply(named, 'values of several magnitudes');
  }
  return {
    label: labelOf(row, wanted, data) || seriesId,
    metadata: toMetadata({
      frequency: frequencyOf(periodOf(row)),
      ...(row.CL_UNIT == null && wanted.line !== undefined ? unitOfNotes(data) : unitOf(row)),
      source: 'U.S. Bureau of Economic Analysis',
      notes: (data.Notes ?? []).flatMap(({ NoteText }) => NoteText || []).join('\n'),
      produced: data.UTCProductionTime,
      series_code: row.SeriesCode,
    }),
    data: rows.map(toObservation),
  };
};

/** `ALL`, or the years of the requested range, since some tables are too large as a whole. */
const yearsOf = ({ start, end }: Params, today: string): string => {
  if (start === undefined && end === undefined) return 'ALL';
  const newest = Number(today.slice(0, 4));
  const to = Math.min(yearOf(end) ?? newest, newest);
  const from = Math.min(Math.max(yearOf(start) ?? firstYear, firstYear), to);
  return Array.from({ length: to - from + 1 }, (_year, index) => from + index).join(',');
};

export const preview = async (
  seriesId: string,
  _params: Params,
  { http, today }: Context,
): Promise<SeriesData> => {
  const wanted = await readId(seriesId, http);
  // Regional tables and datasets with two parameters return one series, which is small; others return all their lines.
  const single = wanted.frequency === undefined || wanted.line !== undefined;
  const years = single ? 'ALL' : recentYears(today, wanted.frequency);
  return toSeries(seriesId, wanted, await fetchData(wanted.query(years), http));
};

export const series = async (
  seriesId: string,
  params: Params,
  { http, today }: Context,
): Promise<SeriesData> => {
  const wanted = await readId(seriesId, http);
  const data = await fetchData(wanted.query(yearsOf(params, today)), http);
  return withinBounds(toSeries(seriesId, wanted, data), params);
};
