/** Converts errors to answers, for all protocols. */
import { AppError, isAppError, messageOf } from '../lib/errors.js';
import { limitText, limitValue } from '../lib/limit-value.js';
import type { Log } from '../lib/log.js';
import { isGoneMeanwhile, isOutage } from '../storage/outage.js';
import { HttpFault, statusOf } from './status.js';

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** `details` of the error, and the id of the request unless the caller caused the error. */
  readonly known: { readonly details?: unknown; readonly requestId?: string };
  readonly headers: Readonly<Record<string, string>>;
}

interface Shaped {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors of libraries: their kind is known, but their message is not for callers. */
const asAppError = (error: unknown): unknown => {
  if (isAppError(error)) return error;
  if (isOutage(error))
    return new AppError('unavailable', 'unavailable', 'The service is temporarily unavailable; try again.', {
      cause: error,
    });
  if (isGoneMeanwhile(error))
    return new AppError(
      'conflict',
      'changed_meanwhile',
      'Something this request refers to was deleted in the meantime.',
      { cause: error },
    );
  return error;
};

const shape = (thrown: unknown): Shaped => {
  const error = asAppError(thrown);
  if (error instanceof HttpFault)
    return { status: error.status, code: error.code, message: error.message, headers: error.headers };
  if (isAppError(error)) {
    const status = statusOf(error.kind);
    const retryAfter = error.retryAfterSeconds ?? (status === 503 ? 5 : undefined);
    return {
      status,
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
      headers: {
        ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
      },
    };
  }
  // The message of any other error is only logged, since it is not for callers.
  return { status: 500, code: 'internal', message: 'internal error', headers: {} };
};

/** Longest message of an error, and largest details as JSON. Both may quote the request, which may be long. */
const messageLength = 8_000;
const detailsBytes = 16 * 1024;
const detailLimits = [
  { characters: 500, items: 20 },
  { characters: 100, items: 5 },
] as const;

const boundedDetails = (details: Record<string, unknown>): unknown => {
  const fits = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= detailsBytes;
  if (fits(details)) return details;
  return detailLimits.map((limit) => limitValue(details, limit)).find(fits);
};

/** @param quote Replaces ids in the message by the text that was sent. */
export const answerOfError = (
  thrown: unknown,
  { requestId, quote }: { readonly requestId: string; readonly quote: (message: string) => string },
): ErrorAnswer => {
  const { status, code, message, details, headers } = shape(thrown);
  return {
    status,
    code,
    message: limitText(quote(message), messageLength),
    known: {
      ...(details === undefined ? {} : { details: boundedDetails(details) }),
      ...(status >= 500 ? { requestId } : {}),
    },
    headers,
  };
};

/** The body of an error in OData. `details` must be a list there; ours is an object, which `innererror` can hold. */
export const odataError = ({ code, message, known }: ErrorAnswer): object => ({
  error: { code, message, ...(Object.keys(known).length > 0 && { innererror: known }) },
});

/** Failures of other servers are warnings, without the stack of our own code. */
export const logError = (
  log: Log,
  error: unknown,
  { status, code, message }: Pick<ErrorAnswer, 'status' | 'code' | 'message'>,
): void => {
  if (status > 500 && isAppError(error))
    log.warn({ status, code, reason: message, cause: messageOf(error.cause) }, 'request failed');
  else if (status >= 500) log.error({ err: error }, 'request failed');
};
