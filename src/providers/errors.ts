/**
 * Errors of an upstream, with messages for the caller. `detail` may have text of the upstream; the gateway removes keys and addresses from
 * every message.
 */
import { AppError } from '../lib/errors.js';
import type { Named } from './provider.js';

const sentence = (text: string, detail: string | undefined): string =>
  detail === undefined || detail.trim() === '' ? text : `${text} ${detail.trim()}`;

const detailsOf = ({ slug }: Named) => ({ provider: slug });

/** 404: the upstream does not have the series. `reason` is a sentence, `details` are its parts. */
export const seriesNotFound = (
  provider: Named,
  seriesId: string,
  reason?: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError =>
  new AppError(
    'not_found',
    'series_not_found',
    sentence(`${provider.name} has no series '${seriesId}'.`, reason),
    { details: { ...detailsOf(provider), seriesId, ...details } },
  );

/** Returns true for the 404 of a series. */
export const isSeriesMissing = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'series_not_found';

/** 404: no such path in the browse tree. */
export const unknownPath = (provider: Named, path: readonly string[]): AppError =>
  new AppError('not_found', 'path_not_found', `${provider.name} has no folder '${path.join('/')}'.`, {
    details: detailsOf(provider),
  });

/** 404 of something that may be a series or a path; the gateway adds its name. */
export const upstreamNotFound = (provider: Named): AppError =>
  new AppError('not_found', 'upstream_not_found', `${provider.name} has no such data.`, {
    details: detailsOf(provider),
  });

/** 404: the id is not valid for this provider, so no request is sent. */
export const malformedSeriesId = (provider: Named, seriesId: string, form: string): AppError =>
  new AppError(
    'not_found',
    'series_not_found',
    `${provider.name} has no series '${seriesId}': an id looks like ${form}.`,
    {
      details: { ...detailsOf(provider), seriesId },
    },
  );

/** 400: parameters or ids that the upstream refuses although they match the definitions. */
export const refusedRequest = (provider: Named, detail: string): AppError =>
  new AppError('invalid', 'upstream_refused_request', `${provider.name} refused the request: ${detail}`, {
    details: detailsOf(provider),
  });

/** 429: the upstream reports that its limit is reached. */
export const rateLimited = (provider: Named, retryAfterSeconds?: number): AppError =>
  new AppError('rate_limited', 'upstream_rate_limited', `The rate limit of ${provider.name} is reached.`, {
    details: detailsOf(provider),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/** Returns true if the upstream reported a daily limit, which lasts until midnight in its zone. */
export const isDailyLimit = (error: AppError): boolean => error.details?.limit === 'day';

const limitWord = '(?:limit|threshold|quota|requests?|calls?|hits|queries)';
const dayWord = '(?:daily|per[ -]day|(?:a|each|this) day|24[ -]hours?)';
const namesDay = new RegExp(
  `\\b(?:${limitWord}\\b[^.]{0,60}\\b${dayWord}|${dayWord}\\b[^.]{0,60}\\b${limitWord})\\b`,
  'i',
);
const namesShorterSpan = /\b(?:(?:per|a|each|every)[ -](?:second|minute|hour)|hourly|burst)\b/i;

/** Characters of an error reply that are searched for a limit. */
const noticeLength = 2_000;

/**
 * 429 for a notice about a limit. A notice that names a day and no shorter span is about the daily limit. One that names both may be about
 * either, so the shorter one is assumed.
 */
export const limitReached = (provider: Named, notice: string, retryAfterSeconds?: number): AppError => {
  const text = notice.slice(0, noticeLength);
  if (!namesDay.test(text) || namesShorterSpan.test(text)) return rateLimited(provider, retryAfterSeconds);
  return new AppError(
    'rate_limited',
    'upstream_rate_limited',
    `The rate limit of ${provider.name} is reached. The requests of this day are used up.`,
    {
      details: { ...detailsOf(provider), limit: 'day' },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  );
};

/** 400-class: the upstream does not accept the key that was sent. */
export const keyRefused = (provider: Named, detail?: string): AppError =>
  new AppError('invalid', 'upstream_key_refused', sentence(`${provider.name} refused the key.`, detail), {
    details: detailsOf(provider),
  });

/** 502: the upstream returned an error of its own. */
export const upstreamFailed = (provider: Named, detail?: string): AppError =>
  new AppError('upstream', 'upstream_failed', sentence(`${provider.name} answered with an error.`, detail), {
    details: detailsOf(provider),
  });

/** 502: the reply has an unexpected format. `reason` names the position and never quotes the reply; a redacted sample is logged. */
export const unexpectedReply = (provider: Named, reason: string, cause?: unknown): AppError =>
  new AppError('upstream', 'unexpected_reply', `Unexpected reply of ${provider.name}: ${reason}.`, {
    details: detailsOf(provider),
    ...(cause === undefined ? {} : { cause }),
  });

/** 502: more than the upstream or the gateway returns in one reply. */
export const tooLarge = (provider: Named, advice = 'narrow the selection or the date range'): AppError =>
  new AppError('upstream', 'upstream_too_large', `The answer of ${provider.name} is too large: ${advice}.`, {
    details: detailsOf(provider),
  });

/** 400: the id names several series, or several values for one date. */
export const ambiguousSeries = (provider: Named, seriesId: string, advice: string): AppError =>
  new AppError(
    'invalid',
    'ambiguous_series',
    `'${seriesId}' of ${provider.name} is more than one series: ${advice}.`,
    {
      details: { ...detailsOf(provider), seriesId },
    },
  );
