import type { Params } from '../providers/parameter.js';
import type { Observation, Provider, SeriesData, SeriesMetadata } from '../providers/provider.js';
import { withinBounds } from '../providers/range.js';
import { orderObservations } from './observations.js';
import type { Telemetry } from './telemetry.js';

/** Cached form of a series: pairs need half the memory of objects. */
export interface KeptSeries {
  readonly label: string;
  readonly metadata: SeriesMetadata;
  readonly data: readonly (readonly [date: string, value: string | null, flag?: string])[];
}

/** Adds the number of flags, and the meanings of those that occur. */
const withFlags = (
  { flags: _, flagged_values: __, ...metadata }: SeriesMetadata,
  found: readonly string[],
  legend: ReadonlyMap<string, string>,
): SeriesMetadata => {
  if (found.length === 0) return metadata;
  const used = new Set(found);
  const flags = Object.fromEntries([...legend].filter(([flag]) => used.has(flag)));
  const isEmpty = Object.keys(flags).length === 0;
  return { ...metadata, flagged_values: found.length, ...(isEmpty ? {} : { flags }) };
};

const toTuples = (observations: readonly Observation[]): KeptSeries['data'] =>
  observations.map(({ date, value, flag }) =>
    flag === undefined ? ([date, value] as const) : ([date, value, flag] as const),
  );

export const pack = (
  provider: Provider,
  seriesId: string,
  { label, metadata, data }: SeriesData,
  newest: number | undefined,
  telemetry: Telemetry,
): KeptSeries => {
  const ordered = orderObservations(provider, seriesId, data);
  const wanted = newest === undefined ? ordered : ordered.slice(-newest);
  const found = wanted.flatMap(({ flag }) => flag ?? []);
  const legend = new Map(Object.entries(metadata.flags ?? {}));
  const texts = found.filter((flag) => !legend.has(flag)).length;
  if (texts > 0) telemetry.flaggedValues(provider.slug, texts);
  return {
    label,
    metadata: withFlags(metadata, found, legend),
    data: toTuples(wanted),
  };
};

export const unpack = ({ data }: KeptSeries): Observation[] =>
  data.map(([date, value, flag]) => (flag === undefined ? { date, value } : { date, value, flag }));

/** A part of a cached series: a range, or its newest observations. */
export const partOf = (
  series: KeptSeries,
  { params = {}, newest }: { readonly params?: Params; readonly newest?: number },
): KeptSeries => {
  const { label, metadata } = series;
  const { data: within } = withinBounds({ label, metadata, data: unpack(series) }, params);
  const data = newest === undefined ? within : within.slice(-newest);
  const found = data.flatMap(({ flag }) => flag ?? []);
  return {
    label,
    metadata: withFlags(metadata, found, new Map(Object.entries(metadata.flags ?? {}))),
    data: toTuples(data),
  };
};

export const withoutRange = ({ start: _, end: __, ...params }: Params): Params => params;

/** Returns true if a range of the series equals the same part of the whole series. */
export const isPart = ({ parameters }: Provider, params: Params): boolean =>
  parameters.every(({ key, computes, default: usual }) => computes !== true || params[key] === usual);
