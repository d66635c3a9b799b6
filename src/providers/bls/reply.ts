import { z } from 'zod';
import { readErrorReply } from '../error-reply.js';
import { keyRefused, limitReached, refusedRequest, seriesNotFound, upstreamFailed } from '../errors.js';
import type { UpstreamReply, UpstreamRequest } from '../provider.js';
import { listOf, trimmed, written } from '../shape.js';

export const named = { slug: 'bls', name: 'BLS' };

/** Only with a key, and not for every survey. Other members describe the survey's dimensions. */
const catalog = z.object({
  series_title: trimmed.nullish(),
  seasonality: trimmed.nullish(),
  survey_name: trimmed.nullish(),
  measure_data_type: trimmed.nullish(),
  area: trimmed.nullish(),
  item: trimmed.nullish(),
});
export type Catalog = z.output<typeof catalog>;

const row = z.object({
  year: z.union([z.string(), z.number().transform(String)]),
  period: z.string(),
  value: written.optional(),
  /** `[{}]` means none. */
  footnotes: z.array(z.object({ code: z.string().nullish(), text: trimmed.nullish() }).nullable()).nullish(),
});
export type Row = z.output<typeof row>;

const succeeded = z.literal('REQUEST_SUCCEEDED');

/** The documentation shows `Results` as a list of one; real replies have an object. */
const results = <S extends z.ZodType>(schema: S) =>
  z.preprocess((found) => (Array.isArray(found) && found.length === 1 ? found[0] : found), schema);

export const dataReply = z.object({
  status: succeeded,
  message: z.array(z.string()).nullish(),
  Results: results(
    z.object({
      series: z.array(z.object({ seriesID: z.string(), catalog: catalog.nullish(), data: listOf(row) })),
    }),
  ),
});

export const surveysReply = z.object({
  status: succeeded,
  Results: results(
    z.object({
      survey: z.array(z.object({ survey_abbreviation: trimmed, survey_name: trimmed.nullish() })),
    }),
  ),
});

/** A survey without popular series answers `[null]`. */
export const popularReply = z
  .object({
    status: succeeded,
    Results: results(z.object({ series: z.array(z.object({ seriesID: z.string() }).nullable()) })),
  })
  .transform(({ Results }) => [...new Set(Results.series.flatMap((one) => one?.seriesID ?? []))]);

const errorBody = z.object({ status: z.string(), message: z.array(z.string()) });

const noSeries = /^(?:Series does not exist|Invalid Series) for Series\s+(\S+)/i;

/** Unknown ids, from the messages of a reply. */
export const unknownIds = (sentences: readonly string[]): string[] =>
  sentences.flatMap((one) => noSeries.exec(one)?.[1] ?? []);

/** Years that a request may have, if the service left out those beyond; NaN if the notice does not say how many. */
export const readYearLimit = (sentences: readonly string[]): number | undefined => {
  const notice = sentences.find((one) => /year range\b.*\breduced\b/i.test(one));
  return notice === undefined ? undefined : Number(/limit of (\d+) year/i.exec(notice)?.[1]);
};

/** Returns true for a request of several series: the known ones are a valid answer. */
const asksForSeveral = ({ body }: UpstreamRequest): boolean => {
  const ids = body !== undefined && 'seriesid' in body ? body.seriesid : undefined;
  return Array.isArray(ids) && ids.length > 1;
};

/**
 * Every error is HTTP 200. Messages about the quota and the key contain the key, so they are replaced. "No Data Available for Series … Year
 * …" comes with success and is not an error.
 */
export const explain = (reply: UpstreamReply, request: UpstreamRequest): Error | undefined => {
  const found = readErrorReply(errorBody, reply);
  if (found === undefined) return undefined;
  const text = found.message.join(' ');
  if (found.status === 'REQUEST_SUCCEEDED') {
    const [series] = unknownIds(found.message);
    return series === undefined || asksForSeveral(request) ? undefined : seriesNotFound(named, series);
  }
  if (/threshold/i.test(text)) return limitReached(named, text);
  if (/\bkey\b.*\binvalid\b/is.test(text)) return keyRefused(named);
  if (found.status === 'REQUEST_FAILED_INVALID_PARAMETERS') return refusedRequest(named, text);
  return upstreamFailed(named, text);
};
