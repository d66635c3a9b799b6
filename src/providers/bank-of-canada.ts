import { z } from 'zod';
import { boundDay } from './dates.js';
import { malformedSeriesId, seriesNotFound, unknownPath } from './errors.js';
import { pageOf } from './listing.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import type { Context, Item, Observation, Provider, SeriesData, UpstreamHttp } from './provider.js';
import { boundOf, rangeParameters } from './range.js';
import { filled, readShape, requireValue, trimmed } from './shape.js';
import { titledLines } from './titled-lines.js';
import { type Unit, unitOfText, unitTimes } from './units.js';

/** Valet has neither paging nor search, so its list of series (about 15,000) is indexed here. */
const named = { slug: 'bankofcanada', name: 'Bank of Canada Valet' };

const described = z.object({ label: trimmed, description: z.string().nullish() });

const groupList = z.object({ groups: z.record(z.string(), described) });
const seriesList = z.object({ series: z.record(z.string(), described) });
/** In observations the detail is singular, in `series/…` plural; both are accepted here. */
const groupReply = z
  .object({
    groupDetails: z.object({ groupSeries: z.record(z.string(), z.object({ label: trimmed })) }),
  })
  .transform((reply) => reply.groupDetails.groupSeries);

const observationsReply = z.object({
  seriesDetail: z.record(
    z.string(),
    described.extend({ dimension: z.object({ key: z.string() }).nullish() }),
  ),
  observations: z.array(z.record(z.string(), z.unknown())),
});

/** `{"v":"1.37"}`. A missing value is `{"v":null}`, `{}` or no member. */
const cell = z.object({ v: z.union([z.string(), z.number()]).nullish() }).nullish();

/** Names have no slash or comma; a comma would request two series. */
const idForm = /^[\w.-]+$/;

const toItem = (id: string, found: z.output<typeof described>, path?: readonly string[]): Item => ({
  id,
  label: found.label || id,
  description: filled(found.description),
  path,
});

const observationOf = (seriesId: string, dayKey: string, row: Record<string, unknown>): Observation => {
  const { v } = readShape(named, cell, row[seriesId]) ?? {};
  const date = boundDay(String(row[dayKey]), 'start');
  return {
    date: requireValue(named, 'the date of an observation', date),
    ...readValue(v),
  };
};

/** Valet has no member for the unit: rates name their currencies in the id, tables their magnitude in the text. */
const unitOf = (seriesId: string, texts: readonly (string | undefined)[]): Unit => {
  const [, base, quote] = /^FXM?A?([A-Z]{3})([A-Z]{3})$/.exec(seriesId) ?? [];
  if (base !== undefined) return unitOfText(`${quote} per ${base}`);
  const multiplier = texts.map((text) => unitOfText(text).unitMultiplier ?? 1).find((one) => one > 1);
  return multiplier === undefined ? {} : unitTimes(undefined, multiplier);
};

const fetchSeries = async (
  seriesId: string,
  query: Record<string, string | number | undefined>,
  { http }: Context,
): Promise<SeriesData> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, bankOfCanada.seriesIdPlaceholder);
  const payload = await http.json({ path: ['observations', seriesId, 'json'], query });
  const { seriesDetail, observations } = readShape(named, observationsReply, payload);
  const detail = requireValue(named, 'seriesDetail', seriesDetail[seriesId]);
  const notes = filled(detail.description);
  return {
    label: detail.label,
    metadata: toMetadata({
      ...unitOf(seriesId, [detail.label, notes]),
      source: 'Bank of Canada',
      notes,
    }),
    data: observations.map((row) => observationOf(seriesId, detail.dimension?.key ?? 'd', row)),
  };
};

const fetchGroup = async (group: string, http: UpstreamHttp) =>
  readShape(named, groupReply, await http.json({ path: ['groups', group, 'json'], keep: 'structure' }));

export const bankOfCanada: Provider = {
  ...named,
  provider: 'Bank of Canada',
  description:
    'Exchange rates, interest rates, money market, bond yields, price indexes and other financial statistics of Canada.',
  capabilities: ['hierarchical', 'search'],
  license: 'Bank of Canada terms of use: https://www.bankofcanada.ca/terms/',
  attribution: 'Source: Bank of Canada',
  parameters: rangeParameters('date'),
  popularSeries: titledLines('popular/bankofcanada.txt'),
  home: 'CA',
  seriesIdPlaceholder: 'FXUSDCAD',
  browseRootLabel: 'Groups of series',

  baseUrl: 'https://www.bankofcanada.ca/valet',
  // No limit is published; the how-to requests back-off and caching.
  limits: { anonymous: { perSecond: 5 }, resetZone: 'America/Toronto', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 20_000,

  explain(reply, { path: [call, name = ''] }) {
    if (reply.status !== 404) return undefined;
    return call === 'groups' ? unknownPath(named, [name]) : seriesNotFound(named, name);
  },

  async browse(path, { http }) {
    if (path.length > 1) throw unknownPath(named, path);
    const [group] = path;
    if (group !== undefined) {
      // A group contains only series; the request shows whether it exists.
      await fetchGroup(group, http);
      return [];
    }
    const { groups } = readShape(
      named,
      groupList,
      await http.json({ path: ['lists', 'groups', 'json'], keep: 'structure' }),
    );
    return Object.entries(groups).map(([segment, group]) => ({
      segment,
      label: group.label || segment,
      leaf: true,
    }));
  },

  async seriesAt(path, page, { http }) {
    const [group, ...rest] = path;
    if (group === undefined) return { items: [], total: 0 };
    if (rest.length > 0) throw unknownPath(named, path);
    const series = Object.entries(await fetchGroup(group, http));
    return pageOf(
      series.map(([id, found]) => toItem(id, found, [group])),
      page,
    );
  },

  async *listAll({ http }) {
    const { series } = readShape(named, seriesList, await http.json({ path: ['lists', 'series', 'json'] }));
    for (const [id, found] of Object.entries(series)) yield toItem(id, found);
  },

  preview: (seriesId, _params, ctx) => fetchSeries(seriesId, { recent: 24 }, ctx),

  series: (seriesId, params, ctx) =>
    fetchSeries(seriesId, { start_date: boundOf(params, 'start'), end_date: boundOf(params, 'end') }, ctx),
};
