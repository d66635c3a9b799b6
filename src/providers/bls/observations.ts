import { parseYearAndCode } from '../dates.js';
import { ambiguousSeries, malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import { legendOf, withFlag } from '../flags.js';
import { toMetadata } from '../metadata.js';
import { longestFlag, readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Observation, SeriesData } from '../provider.js';
import { withinBounds, yearOf } from '../range.js';
import { readShape, requireValue } from '../shape.js';
import { popularLabels } from './popular.js';
import { type Catalog, dataReply, named, type Row, readYearLimit, unknownIds } from './reply.js';
import { unitOf } from './units.js';

/** According to the documentation: capital letters, digits, underscore, dash and hash. */
const idForm = /^[A-Z0-9_#-]{5,40}$/;

/** No survey starts earlier: the consumer price index starts in 1913. */
const firstYear = 1913;

/** Maximum years of one request. */
const span = ({ key }: Context): number => (key === 'none' ? 10 : 20);

interface Years {
  readonly from: number;
  readonly to: number;
}

/** Rows of some series, in the order of their ids; undefined for an unknown series. A number if only so many years are allowed. */
const fetchYears = async (ids: readonly string[], { from, to }: Years, { http, key }: Context) => {
  const payload = await http.json({
    path: ['timeseries', 'data', ''],
    // The catalogue is refused for callers without a key.
    body: {
      seriesid: ids,
      startyear: String(from),
      endyear: String(to),
      ...(key === 'none' ? {} : { catalog: true }),
    },
    // Every request counts against a small daily quota, so preview and full series share one.
    keep: 'series',
  });
  const { Results, message } = readShape(named, dataReply, payload);
  const limit = readYearLimit(message ?? []);
  if (limit !== undefined) {
    // The reply lacks the other years.
    if (!(limit > 0 && limit < to - from + 1)) throw unexpectedReply(named, 'fewer years than requested');
    return limit;
  }
  const unknown = new Set(unknownIds(message ?? []));
  return ids.map((id) =>
    unknown.has(id)
      ? undefined
      : requireValue(
          named,
          'the series',
          Results.series.find(({ seriesID }) => seriesID === id),
        ),
  );
};

/** Letter of the period code, its name and its months, highest frequency first. */
const frequencies = [
  ['M', 'Monthly', 1],
  ['Q', 'Quarterly', 3],
  ['S', 'Semiannual', 6],
  ['A', 'Annual', 12],
] as const;

const notesOf = ({ footnotes }: Row) => (footnotes ?? []).flatMap((note) => (note?.text ? [note] : []));

/** Codes of the footnotes of a value; the text of a footnote without a code. */
const flagOf = (row: Row): string => {
  const codes = notesOf(row).map(({ code, text = '' }) => code?.trim() || (text ?? ''));
  return [...new Set(codes)].join(', ').slice(0, longestFlag);
};

const meaningsOf = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap((row): [string, string][] => {
      const texts = notesOf(row).map(({ text }) => text ?? '');
      return texts.length === 0 ? [] : [[flagOf(row), [...new Set(texts)].join(' ')]];
    }),
  );

const toObservation = (row: Row): Observation[] => {
  const date = requireValue(named, 'the period of an observation', parseYearAndCode(row.year, row.period));
  if (date === 'average') return [];
  return [{ date, ...withFlag(readValue(row.value, ['-']), flagOf(row)) }];
};

/** Months since year 0. */
const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

/**
 * One value per date, without annual averages. Price indexes of cities have semiannual values besides the monthly ones, and some were only
 * semiannual at first. Omits a value if its period contains a value of a higher frequency.
 */
const readRows = (rows: readonly Row[]) => {
  const dated = rows.flatMap((row) =>
    toObservation(row).map((observation) => ({ letter: row.period[0], observation })),
  );
  const taken = new Set<number>();
  const kept = frequencies.flatMap(([letter, name, months]) => {
    const found = dated.filter((row) => {
      if (row.letter !== letter) return false;
      const first = monthOf(row.observation.date);
      return !Array.from({ length: months }, (_, at) => first + at).some((month) => taken.has(month));
    });
    for (const { observation } of found) taken.add(monthOf(observation.date));
    return found.length === 0 ? [] : [{ name, found }];
  });
  const observations = new Set(kept.flatMap(({ found }) => found.map(({ observation }) => observation)));
  return {
    frequency: kept.map(({ name }) => name).join(', ') || undefined,
    data: dated.flatMap(({ observation }) => (observations.has(observation) ? [observation] : [])),
  };
};

const footnotesOf = (rows: readonly Row[]): string =>
  [
    ...new Set(
      rows.flatMap((row) => notesOf(row).map(({ code, text }) => (code ? `${code}: ${text}` : (text ?? '')))),
    ),
  ].join(' ');

/** Rows of a series and its catalogue entry. */
interface Found {
  readonly rows: readonly Row[];
  readonly catalog: Catalog | null | undefined;
}

export const toSeries = (seriesId: string, { catalog, rows }: Found): SeriesData => {
  const { frequency, data } = readRows(rows);
  return {
    label: catalog?.series_title || popularLabels.get(seriesId) || seriesId,
    metadata: toMetadata({
      frequency,
      ...unitOf(seriesId, catalog),
      seasonal_adjustment: catalog?.seasonality,
      survey: catalog?.survey_name,
      area: catalog?.area,
      item: catalog?.item,
      source: 'U.S. Bureau of Labor Statistics',
      notes: footnotesOf(rows),
      flags: legendOf(data, meaningsOf(rows)),
    }),
    data,
  };
};

export const checkId = (seriesId: string): void => {
  if (seriesId.includes('+')) throw ambiguousSeries(named, seriesId, 'give one id');
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'LNS14000000');
};

const thisYear = ({ today }: Pick<Context, 'today'>): number => Number(today.slice(0, 4));

const newestYear = ({ end }: Params, ctx: Pick<Context, 'today'>): number =>
  Math.min(yearOf(end) ?? thisYear(ctx), thisYear(ctx));

/** Years of a series that a caller without a key gets with two of 25 requests per day; the whole series may need twelve. */
const anonymousYears = 20;

export const defaultStart = {
  of(params: Params, ctx: Pick<Context, 'key' | 'today'>): string | undefined {
    if (ctx.key !== 'none' || params.start !== undefined) return undefined;
    return `${newestYear(params, ctx) - anonymousYears + 1}-01-01`;
  },
  note: `Without a key the last ${anonymousYears} years are given, for two of 25 requests a day. Name a start for more: a series since 1913 takes 12 requests.`,
};

/**
 * Reads from the newest years backwards. The service does not report where a series starts: the first span without rows, after every series
 * has had rows, is the end.
 *
 * @param newestOnly Stops at the newest span with rows.
 * @returns one entry per id, undefined for an unknown series
 */
export const fetchRange = async (
  ids: readonly string[],
  params: Params,
  ctx: Context,
  newestOnly = false,
): Promise<{ readonly found: readonly (Found | undefined)[]; readonly requests: number }> => {
  const newest = newestYear(params, ctx);
  const oldest = Math.min(Math.max(yearOf(params.start) ?? firstYear, firstYear), newest);
  let found: readonly (Found | undefined)[] = ids.map(() => ({ rows: [], catalog: undefined }));
  const allHaveRows = () => found.every((one) => one === undefined || one.rows.length > 0);
  let requests = 0;
  let years = span(ctx);
  for (let to = newest; to >= oldest; ) {
    const from = Math.max(to - years + 1, oldest);
    const replies = await fetchYears(ids, { from, to }, ctx);
    requests += 1;
    if (typeof replies === 'number') {
      years = replies;
      continue;
    }
    const isEmpty = replies.every((reply) => reply === undefined || reply.data.length === 0);
    if (isEmpty && allHaveRows()) break;
    found = found.map((one, place) => {
      const reply = replies[place];
      if (one === undefined || reply === undefined) return undefined;
      return { rows: [...one.rows, ...reply.data], catalog: one.catalog ?? reply.catalog };
    });
    if (found.every((one) => one === undefined) || (newestOnly && allHaveRows())) break;
    to = from - 1;
  }
  return { found, requests };
};

export const preview = async (seriesId: string, _params: Params, ctx: Context): Promise<SeriesData> => {
  checkId(seriesId);
  const [found] = (await fetchRange([seriesId], {}, ctx, true)).found;
  if (found === undefined) throw seriesNotFound(named, seriesId);
  return toSeries(seriesId, found);
};

export const series = async (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> => {
  checkId(seriesId);
  const { found, requests } = await fetchRange([seriesId], params, ctx);
  if (found[0] === undefined) throw seriesNotFound(named, seriesId);
  const { metadata, ...one } = toSeries(seriesId, found[0]);
  return withinBounds({ ...one, metadata: { ...metadata, upstream_requests: requests } }, params);
};
