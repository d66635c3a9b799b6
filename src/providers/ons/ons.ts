import { ambiguousSeries, malformedSeriesId, seriesNotFound } from '../errors.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Item, Observation, Provider, SeriesData } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import { readShape, requireValue } from '../shape.js';
import { titledLines } from '../titled-lines.js';
import { named, type SeriesReply, searchReply, seriesReply } from './reply.js';
import { unitOf } from './units.js';

const seriesIdPlaceholder = 'L55O/MM23';
const idForm = /^([A-Z0-9]{2,10})(?:\/([A-Z0-9]{2,10}))?$/i;

/** Hits per search; the service's default is ten. */
const hitsAtOnce = 50;

const fetchTimeSeries = async (
  query: Readonly<Record<string, string>>,
  { http }: Context,
  keep: 'series' | 'list',
) => {
  const payload = await http.json({
    path: ['search'],
    query: { content_type: 'timeseries', highlight: 'false', limit: hitsAtOnce, ...query },
    keep,
  });
  return readShape(named, searchReply, payload).items.map(({ uri, title }) => {
    const [series = '', dataset] = uri.slice(uri.indexOf('/timeseries/') + '/timeseries/'.length).split('/');
    const id = [series, ...(dataset === undefined ? [] : [dataset])].join('/').toUpperCase();
    return { id, series: series.toUpperCase(), uri, label: title || id };
  });
};

/**
 * Path of a series on the website, which only the search returns. It rarely changes, but is not kept for long: a series that is not
 * found may be published, and one that has moved would not be found.
 */
const findUri = async (seriesId: string, ctx: Context): Promise<string> => {
  const [, series, dataset] = idForm.exec(seriesId) ?? [];
  if (series === undefined) throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
  const found = await fetchTimeSeries({ cdids: series.toUpperCase() }, ctx, 'series');
  const own = found.filter((one) => one.series === series.toUpperCase());
  const wanted = dataset === undefined ? own : own.filter(({ id }) => id === seriesId.toUpperCase());
  const [first, ...others] = wanted;
  if (first === undefined) throw seriesNotFound(named, seriesId);
  if (others.some(({ id }) => id !== first.id)) {
    const ids = [...new Set(wanted.map(({ id }) => id))].join(', ');
    throw ambiguousSeries(named, seriesId, `it is in several datasets, give one of ${ids}`);
  }
  return first.uri;
};

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const dateOf = (period: string): string | undefined => {
  const [, year, part = ''] = /^(\d{4})(?: ([A-Z]{3}|Q[1-4]))?$/.exec(period.trim().toUpperCase()) ?? [];
  if (year === undefined) return undefined;
  if (part === '') return `${year}-01-01`;
  const month = part.startsWith('Q') ? 3 * Number(part[1]) - 2 : monthNames.indexOf(part) + 1;
  return month === 0 ? undefined : `${year}-${String(month).padStart(2, '0')}-01`;
};

const frequencies = [
  { code: 'M', label: 'Monthly', member: 'months' },
  { code: 'Q', label: 'Quarterly', member: 'quarters' },
  { code: 'A', label: 'Annual', member: 'years' },
] as const;

const toObservation = ({ date, value }: SeriesReply['years'][number]): Observation => ({
  date: requireValue(named, 'a period', dateOf(date)),
  ...readValue(value, ['..', '-']),
});

/**
 * The values of one frequency: the requested one, otherwise the highest. A monthly series also has quarters and years computed by the
 * service. They may begin earlier, but are sums for some series and averages for others, so they are not mixed.
 */
const readFrequency = (reply: SeriesReply, wanted: string | undefined) => {
  const present = frequencies
    .filter(({ member }) => reply[member].length > 0)
    .map(({ code, label, member }) => ({ code, label, data: reply[member].map(toObservation) }));
  const chosen = wanted === undefined ? present[0] : present.find(({ code }) => code === wanted);
  const firstOf = (data: readonly Observation[]) => data.map(({ date }) => date).toSorted()[0] ?? '';
  const earlier = present
    .map(({ label, data }) => ({ label, first: firstOf(data) }))
    .filter(({ first }) => chosen !== undefined && first < firstOf(chosen.data));
  return {
    frequency: chosen?.label ?? frequencies.find(({ code }) => code === wanted)?.label,
    data: chosen?.data ?? [],
    earlier: earlier.map(({ label, first }) => `${label} since ${first}`).join(', ') || undefined,
  };
};

/** A series is returned whole. It is cached, so that preview and every range share one request. */
const fetchSeries = async (
  seriesId: string,
  { frequency: wanted }: Params,
  ctx: Context,
): Promise<SeriesData> => {
  const uri = await findUri(seriesId, ctx);
  const reply = readShape(
    named,
    seriesReply,
    await ctx.http.json({ path: ['data'], query: { uri }, keep: 'series' }),
  );
  const { description } = reply;
  const { frequency, data, earlier } = readFrequency(
    reply,
    wanted === undefined ? undefined : String(wanted),
  );
  return {
    label: description.title || seriesId,
    metadata: toMetadata({
      frequency,
      ...unitOf(description.preUnit, description.unit),
      source: 'Office for National Statistics',
      notes: description.keyNote,
      last_update: description.releaseDate,
      next_release: description.nextRelease,
      earlier_values: earlier,
    }),
    data,
  };
};

/**
 * Time series on the website of the ONS. A series id consists of the id of the series and that of its dataset. Documentation:
 * https://developer.ons.gov.uk/retirement/v0api/
 */
export const ons: Provider = {
  ...named,
  provider: 'Office for National Statistics',
  description:
    'Official statistics of the United Kingdom: inflation (CPIH, CPI, RPI), GDP, national accounts, unemployment, employment, earnings, public finances, trade, retail sales, population.',
  capabilities: ['search', 'direct'],
  license:
    'Open Government Licence v3.0: https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/',
  attribution: 'Source: Office for National Statistics licensed under the Open Government Licence v.3.0',
  parameters: [
    {
      key: 'frequency',
      label: 'Frequency, for series that have several',
      type: 'select',
      location: 'query',
      values: frequencies.map(({ code, label }) => ({ code, label })),
    },
    ...rangeParameters('period'),
  ],
  popularSeries: titledLines('popular/ons.txt'),
  home: 'GB',
  seriesIdPlaceholder,

  baseUrl: 'https://api.beta.ons.gov.uk/v1',
  // According to the documentation: 120 requests in 10 seconds and 200 per minute.
  limits: { anonymous: { perSecond: 5, perMinute: 150 }, resetZone: 'Europe/London', maxConcurrent: 2 },
  validity: { structure: 30 * 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,

  search: async (query, ctx): Promise<readonly Item[]> =>
    (await fetchTimeSeries({ q: query }, ctx, 'list')).map(({ id, label }) => ({ id, label })),
  preview: fetchSeries,
  series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(seriesId, params, ctx), params),
};
