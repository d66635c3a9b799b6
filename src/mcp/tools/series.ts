/** Series of data providers: search and preview. */
import { z } from 'zod';
import type { GatewayCaller } from '../../gateway/caller.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Found, FoundAnywhere } from '../../gateway/search/searcher.js';
import { limitValue } from '../../lib/limit-value.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import type { Caller } from '../../model/permission.js';
import { exact, exactText, fitting, maxCharacters } from '../exact.js';
import { type Tool, type ToolRequest, tool } from '../tool.js';

export interface SeriesToolsDeps {
  readonly gateway: Pick<Gateway, 'search' | 'searchAll' | 'preview'>;
  readonly callerOf: (request: { readonly caller: Caller; readonly owner: string }) => Promise<GatewayCaller>;
  readonly semaphore: Semaphore;
}

export const providerField = z.string().min(1).max(100);
export const seriesIdField = z
  .string()
  .min(1)
  .max(1_000)
  .meta({ description: 'Id of the series, as search_series returns it.' });

const found = z.object({
  provider: z.string(),
  seriesId: z.string(),
  label: z.string(),
  kind: z.string(),
  description: z.string().optional(),
  frequency: z.string().optional(),
  units: z.string().optional(),
  path: z.string().optional(),
  params: z.record(z.string(), z.string()).optional(),
  apiKeyRequired: z.boolean().optional(),
});

const metadataLimits = [
  { characters: 2_000, items: 50 },
  { characters: 200, items: 10 },
] as const;

/** Notes of providers may be pages long. */
const shownMetadata = (metadata: object): unknown =>
  metadataLimits
    .map((limit) => limitValue(metadata, limit))
    .find((limited) => JSON.stringify(limited).length <= maxCharacters / 2) ?? {};

/** Runs with a permit for requests to a provider. */
const asCall = <T>(
  { semaphore }: SeriesToolsDeps,
  request: ToolRequest,
  work: () => Promise<T>,
): Promise<T> => {
  request.releasePermit();
  return semaphore.run(request.owner, request.signal, work);
};

const findIn = async (
  gateway: SeriesToolsDeps['gateway'],
  caller: GatewayCaller,
  { text, provider, limit }: { text: string; provider: string | undefined; limit: number },
): Promise<Found<FoundAnywhere> & { readonly notAsked?: readonly string[] }> => {
  if (provider === undefined) return gateway.searchAll(caller, text, limit);
  const found = await gateway.search(caller, provider, text);
  return { ...found, items: found.items.map((item) => ({ ...item, provider })) };
};

const createSearchSeries = (deps: SeriesToolsDeps): Tool =>
  tool({
    name: 'search_series',
    title: 'Search series of data providers',
    description:
      'Finds public time series (inflation, exchange rates, unemployment and the like) of statistics offices, central banks and market data services. Without provider all are searched.',
    openWorld: true,
    input: z.strictObject({
      text: z.string().min(1).max(1_000).meta({ description: 'Words or an id.' }),
      provider: providerField.optional().meta({ description: 'Slug of one provider, such as fred or ecb.' }),
      limit: z.int().min(1).max(100).optional().meta({ description: 'Most items. Default 20.' }),
    }),
    output: z.object({
      items: z.array(found),
      corrected: z.string().optional().meta({ description: 'The words that were searched for instead.' }),
      notAsked: z
        .array(z.string())
        .optional()
        .meta({ description: 'Providers that may have more: search them by name.' }),
      truncated: z.boolean(),
    }),
    run: async (request, { text, provider, limit = 20 }) =>
      asCall(deps, request, async () => {
        const caller = await deps.callerOf(request);
        const {
          corrected,
          notAsked,
          items: all,
        } = await findIn(deps.gateway, caller, { text, provider, limit });
        const items = all.map(({ id, params, api_key_required: needsKey, ...item }) => ({
          ...item,
          seriesId: id,
          ...(params === undefined ? {} : { params: { ...params } }),
          ...(needsKey === true ? { apiKeyRequired: true } : {}),
        }));
        const others = {
          ...(corrected === undefined ? {} : { corrected }),
          ...(notAsked === undefined ? {} : { notAsked: [...notAsked] }),
        };
        const shown = fitting(items.slice(0, limit), maxCharacters - JSON.stringify(others).length - 100);
        return {
          items: [...shown],
          ...others,
          truncated: shown.length < items.length || items.length === limit,
        };
      }),
  });

const createPreviewSeries = (deps: SeriesToolsDeps): Tool =>
  tool({
    name: 'preview_series',
    title: 'Preview a series',
    description:
      'The newest observations (about 24) of a series of a data provider, with its units, frequency and notes.',
    openWorld: true,
    input: z.strictObject({
      provider: providerField.meta({ description: 'Slug of the provider, as search_series returns it.' }),
      seriesId: seriesIdField,
    }),
    output: z.object({
      provider: z.string(),
      seriesId: z.string(),
      label: z.string(),
      metadata: z.record(z.string(), z.unknown()),
      observations: z
        .array(
          z.object({
            date: z.string(),
            value: z.union([z.number(), z.string(), z.null()]),
            flag: z.string().optional(),
          }),
        )
        .meta({ description: 'Oldest first; numbers of more than 15 digits as text.' }),
      ageSeconds: z.int(),
      apiKeyHint: z.string().optional(),
    }),
    run: async (request, { provider, seriesId }) =>
      asCall(deps, request, async () => {
        const answer = await deps.gateway.preview(await deps.callerOf(request), provider, seriesId);
        const { label, metadata, data, ageSeconds, keyNotice } = answer;
        return {
          provider,
          seriesId: answer.seriesId,
          label,
          metadata: exact(shownMetadata(metadata)) as Record<string, unknown>,
          observations: data.map(({ date, value, flag }) => ({
            date,
            value: value === null ? null : exactText(value),
            ...(flag === undefined ? {} : { flag }),
          })),
          ageSeconds: Math.round(ageSeconds),
          ...(keyNotice === undefined ? {} : { apiKeyHint: keyNotice.api_key_hint }),
        };
      }),
  });

export const createSeriesTools = (deps: SeriesToolsDeps): Tool[] => [
  createSearchSeries(deps),
  createPreviewSeries(deps),
];
