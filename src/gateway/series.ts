import { invalid, isAppError } from '../lib/errors.js';
import type { Params } from '../providers/parameter.js';
import type { Context, Observation, Provider, SeriesMetadata, Vintages } from '../providers/provider.js';
import type { GatewayCaller } from './caller.js';
import { isPart, type KeptSeries, pack, partOf, unpack, withoutRange } from './kept-series.js';
import type { ChosenKey } from './keys/choice.js';
import { orderObservations, previewLength } from './observations.js';
import type { Operation, Operations, WithAge } from './operations.js';
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
  /** Time of the last change of the series; undefined if the provider does not report one. Not cached. */
  lastUpdate(
    caller: GatewayCaller,
    provider: Provider,
    seriesId: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined>;
  /** Days of the provider's vintages of a series, oldest first. @throws AppError 400 for a provider without vintages. */
  vintageDays(caller: GatewayCaller, provider: Provider, seriesId: string): Promise<readonly string[]>;
  /** Values of a series on consecutive days of its vintages. */
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

/** Adds to the body that the upstream is down, and the age of the answer. */
const withAge = (metadata: SeriesMetadata, { stale, ageSeconds }: WithAge<unknown>): SeriesMetadata =>
  stale ? { ...metadata, stale: true, age_seconds: ageSeconds } : metadata;

const noticeOf = (provider: Provider, hasOwnKey: boolean): KeyNotice | undefined =>
  provider.key?.required === true
    ? { api_key_required: true, has_api_key: hasOwnKey, api_key_hint: provider.key.hint }
    : undefined;

/** Error codes with which a public page withholds a series: it refuses, or sends a different page. */
const refusals: ReadonlySet<string> = new Set([
  'upstream_failed',
  'unexpected_reply',
  'upstream_key_required',
]);

export interface SeriesReaderOptions {
  readonly operations: Operations;
  readonly telemetry: Telemetry;
  /** Slugs of the providers that keep vintages, for errors. */
  readonly withVintages: readonly string[];
  /** Title of a series in the search index. */
  readonly titleOf: (provider: string, seriesId: string) => Promise<string | undefined>;
  /** The day in UTC, YYYY-MM-DD. */
  readonly today: () => string;
}

/** Mode of a request for a series. */
interface ReadMode {
  readonly params: Params;
  readonly isPreview: boolean;
  readonly key: ChosenKey;
  readonly rangeNote?: string | undefined;
}

export const createSeriesReader = ({
  operations,
  telemetry,
  withVintages,
  titleOf,
  today,
}: SeriesReaderOptions): SeriesReader => {
  const toAnswer = async (
    provider: Provider,
    seriesId: string,
    kept: WithAge<KeptSeries>,
    { params, isPreview, key, rangeNote }: ReadMode,
  ): Promise<SeriesAnswer> => {
    const { label, metadata } = kept.value;
    return createSeriesAnswer({
      seriesId,
      params,
      label: label === seriesId ? ((await titleOf(provider.slug, seriesId)) ?? label) : label,
      metadata: {
        ...withAge(metadata, kept),
        ...(rangeNote === undefined ? {} : { range_note: rangeNote }),
      },
      data: unpack(kept.value),
      isPreview,
      keyNotice: noticeOf(provider, key.kind === 'own'),
      ageSeconds: kept.ageSeconds,
      stale: kept.stale,
    });
  };

  /** Without the required key, the preview only explains how to get one. */
  const emptyPreview = (provider: Provider, seriesId: string, key: ChosenKey): Promise<SeriesAnswer> => {
    const label = provider.popularSeries.find(({ id }) => id === seriesId)?.label ?? seriesId;
    const value: KeptSeries = { label, metadata: {}, data: [] };
    const kept = { value, ageSeconds: 0, stale: false };
    return toAnswer(provider, seriesId, kept, { params: {}, isPreview: true, key });
  };

  const seriesOperation = (
    provider: Provider,
    caller: GatewayCaller,
    seriesId: string,
    params: Params,
  ): Operation<KeptSeries> => ({
    provider,
    caller,
    subject: { seriesId },
    parts: ['series', seriesId, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))],
    validity: 'series',
    work: async (ctx) =>
      pack(provider, seriesId, await provider.series(seriesId, params, ctx), undefined, telemetry),
  });

  const defaultStartOf = (provider: Provider, params: Params, { kind }: ChosenKey): string | undefined =>
    params.start === undefined ? provider.defaultStart?.of(params, { key: kind, today: today() }) : undefined;

  /** The requested part of a cached whole series, so that no request is sent for values that are available. */
  const fromWhole = async (
    operation: Pick<Operation<KeptSeries>, 'provider' | 'caller'> & { readonly seriesId: string },
    { params, newest, key }: { params: Params; newest?: number; key: ChosenKey },
  ): Promise<WithAge<KeptSeries> | undefined> => {
    const { provider, caller, seriesId } = operation;
    if (!isPart(provider, params)) return undefined;
    const whole = withoutRange(params);
    const begins = defaultStartOf(provider, whole, key);
    const covered = begins === undefined || newest !== undefined || String(params.start ?? '') >= begins;
    if (!covered) return undefined;
    const wanted = begins === undefined ? whole : { ...whole, start: begins };
    const kept = await operations.kept(seriesOperation(provider, caller, seriesId, wanted));
    return (
      kept && { ...kept, value: partOf(kept.value, { params, ...(newest === undefined ? {} : { newest }) }) }
    );
  };

  /** The result of a connector's function, which is not cached. */
  const runUncached = async <T>(
    provider: Provider,
    caller: GatewayCaller,
    seriesId: string,
    work: (ctx: Context) => Promise<T>,
  ): Promise<WithAge<T>> => {
    await operations.requireKey(provider, caller);
    return operations.run({ provider, caller, subject: { seriesId }, validity: 'series', work });
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
    async lastUpdate(caller, provider, seriesId, given) {
      const lastUpdate = provider.lastUpdate?.bind(provider);
      if (lastUpdate === undefined) return undefined;
      const params = resolveParams(provider, given);
      const { value, stale } = await runUncached(provider, caller, seriesId, (ctx) =>
        lastUpdate(seriesId, params, ctx),
      );
      return stale ? undefined : value;
    },

    async vintageDays(caller, provider, seriesId) {
      const vintages = requireVintages(provider);
      const { value } = await runUncached(provider, caller, seriesId, (ctx) => vintages.days(seriesId, ctx));
      return value;
    },

    async vintages(caller, provider, seriesId, { params: given, days }) {
      const vintages = requireVintages(provider);
      const params = resolveParams(provider, given);
      const { value: values } = await runUncached(provider, caller, seriesId, (ctx) =>
        vintages.values(seriesId, params, days, ctx),
      );
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
      if (lacksKey && provider.key?.publicPreview !== true) return emptyPreview(provider, seriesId, key);
      const params = resolveParams(provider, {});
      const work = async (): Promise<WithAge<KeptSeries>> =>
        (await fromWhole({ provider, caller, seriesId }, { params, newest: previewLength, key })) ??
        operations.run<KeptSeries>({
          provider,
          caller,
          subject: { seriesId },
          parts: ['preview', seriesId],
          validity: 'series',
          work: async (ctx) =>
            pack(provider, seriesId, await provider.preview(seriesId, params, ctx), previewLength, telemetry),
        });
      try {
        return await toAnswer(provider, seriesId, await work(), { params, isPreview: true, key });
      } catch (error) {
        if (lacksKey && isAppError(error) && refusals.has(error.code)) {
          return emptyPreview(provider, seriesId, key);
        }
        throw error;
      }
    },

    async full(caller, provider, seriesId, given) {
      const key = await operations.requireKey(provider, caller);
      const resolved = resolveParams(provider, given);
      const begins = defaultStartOf(provider, resolved, key);
      const params = begins === undefined ? resolved : { ...resolved, start: begins };
      const hasRange = resolved.start !== undefined || resolved.end !== undefined;
      const kept =
        (hasRange ? await fromWhole({ provider, caller, seriesId }, { params, key }) : undefined) ??
        (await operations.run(seriesOperation(provider, caller, seriesId, params)));
      const rangeNote = begins === undefined ? undefined : provider.defaultStart?.note;
      return toAnswer(provider, seriesId, kept, { params, isPreview: false, key, rangeNote });
    },
  };
};
