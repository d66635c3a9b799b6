/**
 * Errors of an upstream, with messages for the caller. `detail` may have text of the upstream; the gateway removes keys and addresses from
 * every message.
 */
import { AppError, type ErrorKind } from '../lib/errors.js';
import type { Named } from './provider.js';

const sentence = (text: string, detail: string | undefined): string =>
  detail === undefined || detail.trim() === '' ? text : `${text} ${detail.trim()}`;

interface UpstreamErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number | undefined;
}

/** An error whose details name the provider. */
export const errorOf = (
  { slug }: Named,
  kind: ErrorKind,
  code: string,
  message: string,
  { details, cause, retryAfterSeconds }: UpstreamErrorOptions = {},
): AppError =>
  new AppError(kind, code, message, {
    details: { provider: slug, ...details },
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/** 404: the upstream does not have the series. `reason` is a sentence, `details` are its parts. */
export const seriesNotFound = (
  provider: Named,
  seriesId: string,
  reason?: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError => {
  const text = sentence(`${provider.name} has no series '${seriesId}'.`, reason);
  return errorOf(provider, 'not_found', 'series_not_found', text, { details: { seriesId, ...details } });
};

export const isSeriesMissing = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'series_not_found';

/** 404: no such path in the browse tree. */
export const unknownPath = (provider: Named, path: readonly string[]): AppError =>
  errorOf(provider, 'not_found', 'path_not_found', `${provider.name} has no folder '${path.join('/')}'.`);

/** 404 of something that may be a series or a path; the gateway adds its name. */
export const upstreamNotFound = (provider: Named): AppError =>
  errorOf(provider, 'not_found', 'upstream_not_found', `${provider.name} has no such data.`);

/** 404: the id is not valid for this provider, so no request is sent. */
export const malformedSeriesId = (provider: Named, seriesId: string, form: string): AppError => {
  const text = `${provider.name} has no series '${seriesId}': an id looks like ${form}.`;
  return errorOf(provider, 'not_found', 'series_not_found', text, { details: { seriesId } });
};

/** 400: parameters or ids that the upstream refuses although they match the definitions. */
export const refusedRequest = (provider: Named, detail: string): AppError =>
  errorOf(provider, 'invalid', 'upstream_refused_request', `${provider.name} refused the request: ${detail}`);

/** 429: the upstream reports that its limit is reached. */
export const rateLimited = (provider: Named, retryAfterSeconds?: number): AppError => {
  const text = `The rate limit of ${provider.name} is reached.`;
  return errorOf(provider, 'rate_limited', 'upstream_rate_limited', text, { retryAfterSeconds });
};

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
export const limitReached = (provider: Named, notice: string): AppError => {
  const noticed = notice.slice(0, noticeLength);
  if (!namesDay.test(noticed) || namesShorterSpan.test(noticed)) return rateLimited(provider);
  const text = `The rate limit of ${provider.name} is reached. The requests of this day are used up.`;
  return errorOf(provider, 'rate_limited', 'upstream_rate_limited', text, { details: { limit: 'day' } });
};

/** 400-class: the upstream does not accept the key that was sent. */
export const keyRefused = (provider: Named, detail?: string): AppError =>
  errorOf(provider, 'invalid', 'upstream_key_refused', sentence(`${provider.name} refused the key.`, detail));

/** 502: the upstream returned an error of its own. */
export const upstreamFailed = (provider: Named, detail?: string): AppError => {
  const text = sentence(`${provider.name} answered with an error.`, detail);
  return errorOf(provider, 'upstream', 'upstream_failed', text);
};

/** 502: the reply has an unexpected format. `reason` names the position and never quotes the reply; a redacted sample is logged. */
export const unexpectedReply = (provider: Named, reason: string, cause?: unknown): AppError => {
  const text = `Unexpected reply of ${provider.name}: ${reason}.`;
  return errorOf(provider, 'upstream', 'unexpected_reply', text, { cause });
};

/** 502: more than the upstream or the gateway returns in one reply. */
export const tooLarge = (provider: Named): AppError => {
  const text = `The answer of ${provider.name} is too large: narrow the selection or the date range.`;
  return errorOf(provider, 'upstream', 'upstream_too_large', text);
};

/** 400: the id names several series, or several values for one date. */
export const ambiguousSeries = (provider: Named, seriesId: string, advice: string): AppError => {
  const text = `'${seriesId}' of ${provider.name} is more than one series: ${advice}.`;
  return errorOf(provider, 'invalid', 'ambiguous_series', text, { details: { seriesId } });
};
