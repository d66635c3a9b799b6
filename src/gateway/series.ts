import { invalid } from '../lib/errors.js';
import type {
  Observation,
  Params,
  Provider,
  SeriesData,
  SeriesMetadata,
  Vintages,
} from '../providers/provider.js';
import type { GatewayCaller } from './caller.js';
import { orderObservations, previewLength } from './observations.js';
import { keyNeeded, type Operations, type WithAge } from './operations.js';
import { resolveParams } from './params.js';
import { createSeriesAnswer, type KeyNotice, type SeriesAnswer } from './series-answer.js';
import type { Telemetry } from './telemetry.js';

export interface SeriesReader {
  preview(caller: GatewayCaller, provider: Provider, seriesId: string): Promise<SeriesAnswer>;
  full(
    caller: GatewayCaller,
    provider: Provider,
    seriesId: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<SeriesAnswer>;
  /** Days of the provider's own vintages of a series, oldest first. @throws AppError 400 for a provider without. */
  vintageDays(caller: GatewayCaller, provider: Provider, seriesId: string): Promise<readonly string[]>;
  /** What a series was on each of some neighbouring days of its vintages. */
  vintages(
    caller: GatewayCaller,
    provider: Provider,
    seriesId: string,
    wanted: VintagesWanted,
  ): Promise<VintagesAnswer>;
}

export interface VintagesWanted {
  readonly params: Readonly<Record<string, unknown>>;
  /** Oldest first, at most 100. */
  readonly days: readonly string[];
}

/** The observations as of a day, oldest first, one per date. */
export type VintagesAnswer = (day: string) => readonly Observation[];

/** As it is kept: pairs are half the size of objects. */
interface KeptSeries {
  readonly label: string;
  readonly metadata: SeriesMetadata;
  readonly data: readonly (readonly [date: string, value: string | null, flag?: string])[];
}

/** The number of flags and the meanings of those that are there. */
const withFlags = (
  { flags: _, ...metadata }: SeriesMetadata,
  found: readonly string[],
  legend: ReadonlyMap<string, string>,
): SeriesMetadata => {
  if (found.length === 0) return metadata;
  const used = new Set(found);
  const flags = Object.fromEntries([...legend].filter(([flag]) => used.has(flag)));
  const isEmpty = Object.keys(flags).length === 0;
  return { ...metadata, flagged_values: found.length, ...(isEmpty ? {} : { flags }) };
};

const pack = (
  provider: Provider,
  seriesId: string,
  { label, metadata, data }: SeriesData,
  newest: number | undefined,
  telemetry: Telemetry,
): KeptSeries => {
  const ordered = orderObservations(provider, seriesId, data);
  const cut = newest === undefined ? ordered : ordered.slice(-newest);
  const found = cut.flatMap(({ flag }) => flag ?? []);
  const legend = new Map(Object.entries(metadata.flags ?? {}));
  const texts = found.filter((flag) => !legend.has(flag)).length;
  if (texts > 0) telemetry.flaggedValues(provider.slug, texts);
  return {
    label,
    metadata: withFlags(metadata, found, legend),
    data: cut.map(({ date, value, flag }) => (flag === undefined ? [date, value] : [date, value, flag])),
  };
};

const unpack = ({ data }: KeptSeries): Observation[] =>
  data.map(([date, value, flag]) => (flag === undefined ? { date, value } : { date, value, flag }));

/** Tells a reader of the body alone that the upstream is down and how old this is. */
const withAge = (metadata: SeriesMetadata, { stale, ageSeconds }: WithAge<unknown>): SeriesMetadata =>
  stale ? { ...metadata, stale: true, age_seconds: ageSeconds } : metadata;

const noticeOf = (provider: Provider, hasOwnKey: boolean): KeyNotice | undefined =>
  provider.key?.required === true
    ? { api_key_required: true, has_api_key: hasOwnKey, api_key_hint: provider.key.hint }
    : undefined;

export const createSeriesReader = (
  operations: Operations,
  telemetry: Telemetry,
  /** Slugs of the providers that keep vintages, for errors. */
  withVintages: readonly string[],
): SeriesReader => {
  const toAnswer = (
    provider: Provider,
    seriesId: string,
    kept: WithAge<KeptSeries>,
    { params, isPreview, hasOwnKey }: { params: Params; isPreview: boolean; hasOwnKey: boolean },
  ): SeriesAnswer =>
    createSeriesAnswer({
      seriesId,
      params,
      label: kept.value.label,
      metadata: withAge(kept.value.metadata, kept),
      data: unpack(kept.value),
      isPreview,
      keyNotice: noticeOf(provider, hasOwnKey),
      ageSeconds: kept.ageSeconds,
      stale: kept.stale,
    });

  /** Without the key that is needed there is nothing to show but how to get one. */
  const emptyPreview = (provider: Provider, seriesId: string): SeriesAnswer => {
    const label = provider.popularSeries.find(({ id }) => id === seriesId)?.label ?? seriesId;
    const value: KeptSeries = { label, metadata: {}, data: [] };
    return toAnswer(
      provider,
      seriesId,
      { value, ageSeconds: 0, stale: false },
      { params: {}, isPreview: true, hasOwnKey: false },
    );
  };

  const requireKey = async (provider: Provider, caller: GatewayCaller): Promise<void> => {
    const key = await operations.keyFor(provider, caller);
    if (provider.key?.required === true && key.kind === 'none') throw keyNeeded(provider);
  };

  const requireVintages = ({ vintages, slug, name }: Provider): Vintages => {
    if (vintages !== undefined) return vintages;
    throw invalid(
      'no_vintages',
      `${name} keeps no vintages that could be brought in. Providers that do: ${withVintages.join(', ')}.`,
      { provider: slug, supported: withVintages },
    );
  };

  return {
    async vintageDays(caller, provider, seriesId) {
      const vintages = requireVintages(provider);
      await requireKey(provider, caller);
      const { value } = await operations.run({
        provider,
        caller,
        subject: { seriesId },
        validity: 'series',
        work: (ctx) => vintages.days(seriesId, ctx),
      });
      return value;
    },

    async vintages(caller, provider, seriesId, { params: given, days }) {
      const vintages = requireVintages(provider);
      const params = resolveParams(provider, given);
      await requireKey(provider, caller);
      const { value: values } = await operations.run({
        provider,
        caller,
        subject: { seriesId },
        validity: 'series',
        work: (ctx) => vintages.values(seriesId, params, days, ctx),
      });
      return (day) =>
        orderObservations(
          provider,
          seriesId,
          values.filter(({ from, until }) => from <= day && day <= until),
        );
    },

    async preview(caller, provider, seriesId) {
      const key = await operations.keyFor(provider, caller);
      const lacksKey = provider.key?.required === true && key.kind === 'none';
      if (lacksKey && provider.key?.publicPreview !== true) return emptyPreview(provider, seriesId);
      const params = resolveParams(provider, {});
      const kept = await operations.run<KeptSeries>({
        provider,
        caller,
        subject: { seriesId },
        parts: ['preview', seriesId],
        validity: 'series',
        work: async (ctx) =>
          pack(provider, seriesId, await provider.preview(seriesId, params, ctx), previewLength, telemetry),
      });
      return toAnswer(provider, seriesId, kept, { params, isPreview: true, hasOwnKey: key.kind === 'own' });
    },

    async full(caller, provider, seriesId, given) {
      const params = resolveParams(provider, given);
      const key = await operations.keyFor(provider, caller);
      if (provider.key?.required === true && key.kind === 'none') throw keyNeeded(provider);
      const kept = await operations.run<KeptSeries>({
        provider,
        caller,
        subject: { seriesId },
        parts: ['series', seriesId, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))],
        validity: 'series',
        work: async (ctx) =>
          pack(provider, seriesId, await provider.series(seriesId, params, ctx), undefined, telemetry),
      });
      return toAnswer(provider, seriesId, kept, { params, isPreview: false, hasOwnKey: key.kind === 'own' });
    },
  };
};
