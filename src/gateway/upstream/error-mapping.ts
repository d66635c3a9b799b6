import { AppError } from '../../lib/errors.js';
import {
  errorOf,
  keyRefused,
  limitReached,
  tooLarge,
  unexpectedReply,
  upstreamFailed,
  upstreamNotFound,
} from '../../providers/errors.js';
import type { Provider, UpstreamReply, UpstreamRequest } from '../../providers/provider.js';
import type { Redact } from './redaction.js';
import type { WireError } from './transport.js';
import { isUnchanged } from './validators.js';

/** Seconds of `Retry-After`, given in seconds or as a date. Large values are accepted, since the longest hold limits them. */
export const parseRetryAfter = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text));
  // A date contains a month or a weekday; Date.parse alone would parse `-5` as a year.
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
};

const byStatus = (provider: Provider, reply: UpstreamReply, keyed: boolean): AppError | undefined => {
  const { status } = reply;
  // No request has a Range.
  if (status === 206) return unexpectedReply(provider, 'it is a part of the data');
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 403) {
    return keyed ? keyRefused(provider) : upstreamFailed(provider, 'Access was refused.');
  }
  if (status === 404 || status === 410) return upstreamNotFound(provider);
  if (status === 413) return tooLarge(provider);
  return upstreamFailed(provider, `Its status was ${status}.`);
};

/** The same error with another cause, message or wait. */
export const copyOf = (
  error: AppError,
  {
    message = error.message,
    retryAfterSeconds = error.retryAfterSeconds,
    cause,
  }: { readonly cause: unknown; readonly message?: string; readonly retryAfterSeconds?: number },
): AppError =>
  new AppError(error.kind, error.code, message, {
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause,
  });

/** Copy of an error with a message that may be sent to callers. */
export const sanitize = (error: AppError, redact: Redact): AppError =>
  copyOf(error, {
    message: redact(error.message),
    cause: error.cause instanceof Error ? new Error(redact(error.cause.message)) : undefined,
  });

export interface Judged {
  readonly provider: Provider;
  readonly request: UpstreamRequest;
  readonly reply: UpstreamReply;
  readonly keyed: boolean;
  readonly nowMs: number;
}

/** A 429 is a limit, whatever the connector makes of its body. */
const withLimit = (provider: Provider, reply: UpstreamReply, error: AppError): AppError =>
  reply.status === 429 && error.kind !== 'rate_limited' ? limitReached(provider, reply.text) : error;

/** Adds the `Retry-After` of a limit or of a 503, unless the body has named a time. */
const withWait = (reply: UpstreamReply, error: AppError, nowMs: number): AppError => {
  const isUnavailable = reply.status === 503 && error.code === 'upstream_failed';
  if (error.retryAfterSeconds !== undefined || !(isUnavailable || error.kind === 'rate_limited'))
    return error;
  const retryAfterSeconds = parseRetryAfter(reply.header('retry-after'), nowMs);
  return retryAfterSeconds === undefined ? error : copyOf(error, { cause: error.cause, retryAfterSeconds });
};

/** The error for a reply; the connector is asked first. */
export const errorOfReply = ({ provider, request, reply, keyed, nowMs }: Judged): AppError | undefined => {
  if (isUnchanged(reply, request)) return undefined;
  let explained: Error | undefined;
  try {
    explained = provider.explain?.(reply, request) ?? byStatus(provider, reply, keyed);
  } catch (error) {
    explained = new Error('explain failed', { cause: error });
  }
  if (explained === undefined) return undefined;
  if (explained instanceof AppError) return withWait(reply, withLimit(provider, reply, explained), nowMs);
  return unexpectedReply(provider, 'an error reply that could not be read', explained);
};

/** The error for a request without a reply. */
export const errorOfWire = (provider: Provider, failure: WireError): AppError => {
  const { name } = provider;
  const late = `${name} did not answer in time; narrow the date range or try again later.`;
  const broken = `${name} could not be reached, or its reply is incomplete.`;
  switch (failure.failure) {
    case 'timeout':
      return errorOf(provider, 'timeout', 'upstream_timeout', late, { cause: failure });
    case 'too_large':
      return tooLarge(provider);
    case 'connection':
      return errorOf(provider, 'upstream', 'upstream_unreachable', broken, { cause: failure });
    case 'redirect':
      return unexpectedReply(provider, 'it redirects to another site', failure);
    default:
      return failure.failure satisfies never;
  }
};

/** True if a retry may help: no reply, a reply that was too slow, or a failure of the upstream. */
export const mayRetry = (status: number | undefined, error: AppError): boolean => {
  if (error.code === 'upstream_unreachable' || error.code === 'upstream_timeout') return true;
  return error.code === 'upstream_failed' && status !== undefined && status >= 500;
};
