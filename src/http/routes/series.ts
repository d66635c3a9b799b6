import { z } from 'zod';
import { seriesExample, seriesSchema } from '../../gateway/answer-schema.js';
import { panelBody } from '../../gateway/panel.js';
import type { SeriesAnswer } from '../../gateway/series-answer.js';
import { isUnchanged } from '../content/conditions.js';
import { anyCaller, type Reply, type ResponseSpec, type Route, route } from '../route.js';
import { ageHeaders, ageHeaderTexts } from './age-headers.js';
import { panelExample, panelSchema } from './panel-schema.js';
import { type ProviderRoutesDeps, slugParam, upstreamErrors } from './providers.js';

/** Fields that all these routes share. */
const shared = {
  permit: 'calls',
  tags: ['Series'],
  auth: 'optional',
  requestHeaders: { 'If-None-Match': '`ETag` of an earlier response; 304 if it would be the same.' },
  errors: upstreamErrors,
} as const;

/** Longest id of a series. Ids with a value for each of many dimensions are the longest. */
const longestId = 1_000;

export const seriesParams = z.object({
  slug: slugParam,
  seriesId: z
    .string()
    .max(longestId, `must have at most ${longestId} characters`)
    .meta({
      openapi: {
        type: 'string',
        maxLength: longestId,
        description: 'Id of the series; slashes may be sent as they are or as %2F.',
      },
    }),
});

const paramsField = z
  .record(z.string(), z.unknown())
  .nullish()
  .meta({ description: 'By key; none by default.' });

/** The JSON text is sent unparsed, since parsing would turn digits into floats. */
const seriesReply = (
  answer: Pick<SeriesAnswer, 'json' | 'etag' | 'ageSeconds' | 'stale'>,
  ifNoneMatch: string | undefined,
): Reply => {
  const headers = { ...ageHeaders(answer), ETag: answer.etag };
  if (isUnchanged({ ifNoneMatch }, { entityTag: answer.etag })) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body: answer.json,
  };
};

const answers = (isPreview: boolean): Readonly<Record<number, ResponseSpec>> => ({
  200: {
    description: 'The series, oldest observation first.',
    schema: seriesSchema,
    headers: { ...ageHeaderTexts, ETag: 'Strong: changes exactly when the body does.' },
    example: { ...seriesExample, is_preview: isPreview },
  },
});

const unchanged = { 304: { description: 'The client already has this response.' } };

/** Preview and full data of one series. */
export const createSeriesRoutes = ({ gateway, callerOf }: ProviderRoutesDeps): Route[] => [
  route({
    ...shared,
    method: 'GET',
    path: '/providers/:slug/series/*seriesId',
    operationId: 'previewSeries',
    summary: 'Preview of a series',
    description:
      'About the 24 newest observations. If the provider needs a key and none is stored, `api_key_hint` says how to get one; data is included if the provider shows some without a key.',
    params: seriesParams,
    responses: { ...answers(true), ...unchanged },
    handler: async (request) => {
      const { slug, seriesId } = request.params;
      const answer = await gateway.preview(await callerOf(request), slug, seriesId);
      return seriesReply(answer, request.header('if-none-match'));
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/providers/:slug/series/*seriesId/data',
    changesNothing: true,
    operationId: 'getSeries',
    summary: 'All observations of a series',
    description: 'Parameters are those of the provider; the error names unknown and invalid ones.',
    params: seriesParams,
    // Strict, since misplaced or misspelt parameters would be ignored silently.
    body: z.strictObject({ params: paramsField }),
    bodyOptional: true,
    authorize: anyCaller,
    bodyExample: { params: { start: '2020-01-01' } },
    responses: { ...answers(false), ...unchanged },
    handler: async (request) => {
      const { slug, seriesId } = request.params;
      const params = request.body.params ?? {};
      const answer = await gateway.fullSeries(await callerOf(request), slug, seriesId, params);
      return seriesReply(answer, request.header('if-none-match'));
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/providers/:slug/series/*seriesId/panel',
    changesNothing: true,
    operationId: 'getPanel',
    summary: 'Several series at once',
    description:
      'Series that differ in some dimensions, from as few requests to the provider as it allows. World Bank: `country` takes a list or `all` (countries, without regions). SDMX services (BIS, ECB, ILO, IMF, Norges Bank, OECD, UN Data) and Eurostat: positions of the key that are empty, `*`, or codes joined by `+` (`D..EUR.SP00.A`, `M.JP+US`). BLS: ids joined by `+`, at most 100; Statistics Canada at most 50. FRED: the vintages between `realtimeStart` and `realtimeEnd`. All others: ids joined by `+`, at most 10, read one by one. More than 200,000 observations: 400 `panel_too_large`.',
    params: seriesParams,
    body: z.strictObject({
      params: paramsField,
      shape: z.enum(['long', 'wide']).default('long').meta({
        description:
          '`long`: an entry of `data` for each date and series, with code and label of each open dimension. `wide`: an entry for each date, with the values by name of the series.',
      }),
    }),
    bodyOptional: true,
    authorize: anyCaller,
    bodyExample: { params: { country: ['NOR', 'SWE'] }, shape: 'long' },
    responses: {
      200: {
        description: 'The panel; oldest observation of each series first.',
        schema: panelSchema,
        headers: { ...ageHeaderTexts, ETag: 'Strong: changes exactly when the body does.' },
        example: panelExample,
      },
      ...unchanged,
    },
    handler: async (request) => {
      const { slug, seriesId } = request.params;
      const { params, shape = 'long' } = request.body;
      const answer = await gateway.panel(await callerOf(request), slug, seriesId, params ?? {});
      return seriesReply({ ...answer, ...panelBody(answer, shape) }, request.header('if-none-match'));
    },
  }),
];
