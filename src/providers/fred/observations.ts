import { z } from 'zod';
import { malformedSeriesId, unexpectedReply } from '../errors.js';
import { allPages, loadPart } from '../listing.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type {
  Context,
  Observation,
  SeriesData,
  SeriesMetadata,
  UpstreamHttp,
  UpstreamRequest,
} from '../provider.js';
import { boundOf } from '../range.js';
import { count, day, filled, readShape, requireValue, written } from '../shape.js';
import { aggregations, frequencies, labelOf, unitAfter } from './parameters.js';
import { withAsOf } from './real-time.js';
import { describe, named, notPublished, seriesReply } from './reply.js';

/** Format of FRED: at most 25 letters and digits. */
export const idForm = /^[A-Za-z0-9]{1,25}$/;

/** Maximum observations of one page. */
export const pageSize = 100_000;
const previewLength = 24;

const observationsReply = z.object({
  count,
  observations: z.array(z.object({ date: day, value: written.optional() })),
});

const tagsReply = z.object({
  tags: z.array(z.object({ name: z.string(), group_id: z.string(), notes: z.string().nullish() })),
});

type Query = NonNullable<UpstreamRequest['query']>;

/** In JSON and in old downloads; current downloads leave the field empty. */
export const missing = ['.'];

export const optionsOf = ({ units, frequency, aggregation, asOf, ...params }: Params): Query => ({
  units,
  frequency,
  aggregation_method: frequency === undefined ? undefined : aggregation,
  observation_start: boundOf(params, 'start'),
  observation_end: boundOf(params, 'end'),
  // A real-time period of one day: the values that ALFRED, the archive, had then.
  realtime_start: asOf,
  realtime_end: asOf,
});

const fetchObservations = async (seriesId: string, query: Query, http: UpstreamHttp) => {
  const payload = await http.json({
    path: ['series', 'observations'],
    query: { series_id: seriesId, file_type: 'json', ...query },
  });
  const page = readShape(named, observationsReply, payload);
  return {
    total: page.count,
    items: page.observations.map(({ date, value }): Observation => ({ date, ...readValue(value, missing) })),
  };
};

const fetchAllObservations = async (
  seriesId: string,
  query: Query,
  http: UpstreamHttp,
): Promise<readonly Observation[]> => {
  const { items } = await allPages(named, (offset) =>
    fetchObservations(seriesId, { ...query, limit: pageSize, offset }, http),
  );
  return items;
};

/** The tags of a series name its source, and whether a third party has the copyright. */
const fetchRights = async (seriesId: string, http: UpstreamHttp): Promise<SeriesMetadata> => {
  const payload = await http.json({
    path: ['series', 'tags'],
    query: { series_id: seriesId, file_type: 'json' },
    keep: 'structure',
  });
  const { tags } = readShape(named, tagsReply, payload);
  const sources = tags.filter(({ group_id }) => group_id === 'src').map((tag) => tag.notes || tag.name);
  const copyright = tags.find(({ group_id }) => group_id === 'cc')?.name;
  return toMetadata({ source: sources.join('; '), copyright });
};

const releaseReply = z.object({
  releases: z.array(z.object({ id: z.number().int(), name: z.string() })),
});
const datesReply = z.object({ release_dates: z.array(z.object({ date: day })) });

/** Days of a release, newest first. */
const fetchReleaseDays = async (releaseId: number, http: UpstreamHttp): Promise<readonly string[]> => {
  const payload = await http.json({
    path: ['release', 'dates'],
    query: {
      release_id: releaseId,
      // Without it, future dates are omitted.
      include_release_dates_with_no_data: 'true',
      sort_order: 'desc',
      limit: 1_000,
      file_type: 'json',
    },
    keep: 'list',
  });
  return readShape(named, datesReply, payload).release_dates.map(({ date }) => date);
};

/** The release of a series, with the dates of the last and the next one. */
const fetchRelease = async (seriesId: string, ctx: Context): Promise<SeriesMetadata> => {
  const { http, today } = ctx;
  const payload = await http.json({
    path: ['series', 'release'],
    query: { series_id: seriesId, file_type: 'json' },
    keep: 'structure',
  });
  const [release] = readShape(named, releaseReply, payload).releases;
  if (release === undefined) return {};
  const days = (await loadPart(ctx, 'release dates', () => fetchReleaseDays(release.id, http))) ?? [];
  return toMetadata({
    release: release.name,
    last_release: days.find((date) => date <= today),
    next_release: days.findLast((date) => date > today),
  });
};

const fetchSeries = async (seriesId: string, { http }: Context) => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'GDP');
  const payload = await http.json({
    path: ['series'],
    query: { series_id: seriesId, file_type: 'json' },
    keep: 'series',
  });
  const { seriess } = readShape(named, seriesReply, payload);
  return requireValue(named, 'seriess', seriess[0]);
};

/** Metadata with units and frequency according to the caller's options. */
const transformed = (metadata: SeriesMetadata, params: Params): SeriesMetadata => ({
  ...metadata,
  ...unitAfter(String(params.units ?? 'lin'), metadata.units),
  ...(params.asOf === undefined ? {} : { as_of: params.asOf }),
  ...(params.frequency === undefined
    ? {}
    : {
        frequency: labelOf(frequencies, String(params.frequency)),
        original_frequency: metadata.frequency,
        aggregation: labelOf(aggregations, String(params.aggregation)),
      }),
});

const describedData = async (
  seriesId: string,
  params: Params,
  ctx: Context,
  load: () => Promise<readonly Observation[]>,
  fetchMore?: () => Promise<SeriesMetadata>,
): Promise<SeriesData> => {
  // Requested first, so an unknown series costs one request.
  const entry = await fetchSeries(seriesId, ctx);
  const [rights, data, more] = await Promise.all([
    loadPart(ctx, 'tags', () => fetchRights(seriesId, ctx.http)),
    load(),
    fetchMore && loadPart(ctx, 'release', fetchMore),
  ]);
  return {
    label: filled(entry.title) ?? seriesId,
    metadata: { ...transformed(describe(entry), params), ...rights, ...more },
    data,
  };
};

/** Title and metadata without values. */
export const describedSeries = (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> =>
  describedData(seriesId, params, ctx, async () => []);

/** Time of the last change of the series, to the second. */
export const lastUpdate = async (
  seriesId: string,
  _params: Params,
  { http }: Context,
): Promise<string | undefined> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'GDP');
  const payload = await http.json({ path: ['series'], query: { series_id: seriesId, file_type: 'json' } });
  return readShape(named, seriesReply, payload).seriess[0]?.last_updated ?? undefined;
};

/** @param given With a real-time period of one day as `asOf`. */
export const series = async (seriesId: string, given: Params, ctx: Context): Promise<SeriesData> => {
  const params = withAsOf(seriesId, given);
  return describedData(
    seriesId,
    params,
    ctx,
    async () => {
      const data = await fetchAllObservations(seriesId, optionsOf(params), ctx.http);
      if (data.length === 0 && params.asOf !== undefined) {
        throw notPublished(seriesId, String(params.asOf));
      }
      // Over its limit FRED may return no rows at all; without bounds no series is empty.
      if (data.length === 0 && params.start === undefined && params.end === undefined) {
        throw unexpectedReply(named, 'no observations at all');
      }
      return data;
    },
    // The next release is not known for a past date.
    params.asOf === undefined ? () => fetchRelease(seriesId, ctx) : undefined,
  );
};

const publicRow = z.tuple([day, z.string()]);

/** The download behind the charts of the website: whole series, no key, no description. */
const publicPreview = async (seriesId: string, label: string, http: UpstreamHttp): Promise<SeriesData> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'GDP');
  const { text } = await http.text({ path: ['fredgraph.csv'], query: { id: seriesId }, base: 'public' });
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  const [dateColumn = '', valueColumn = ''] = head.split(',');
  if (!/^(observation_date|DATE)$/.test(dateColumn) || valueColumn !== seriesId.toUpperCase()) {
    throw unexpectedReply(named, 'the head of the table is not as expected');
  }
  const rows = lines.slice(-previewLength).map((line) => line.split(','));
  return {
    label,
    metadata: {},
    data: readShape(named, z.array(publicRow), rows).map(([date, value]) => ({
      date,
      ...readValue(value, missing),
    })),
  };
};

export const createPreview =
  (labels: ReadonlyMap<string, string>) =>
  async (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> => {
    if (ctx.key === 'none') {
      return publicPreview(seriesId, labels.get(seriesId.toUpperCase()) ?? seriesId, ctx.http);
    }
    return describedData(seriesId, params, ctx, async () => {
      const newest = { ...optionsOf(params), sort_order: 'desc', limit: previewLength };
      const { items } = await fetchObservations(seriesId, newest, ctx.http);
      // FRED may answer so beyond its rate limit.
      if (items.length === 0) throw unexpectedReply(named, 'no observations at all');
      return items;
    });
  };
