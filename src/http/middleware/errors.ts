import type { Middleware } from 'koa';
import { AppError, isAppError, messageOf } from '../../lib/errors.js';
import { limitText, limitValue } from '../../lib/limit-value.js';
import { isGoneMeanwhile, isOutage } from '../../storage/outage.js';
import { challengesFor } from '../credentials.js';
import { quoteSentId } from '../parameters.js';
import { pathParameters, type RequestState } from '../request-state.js';
import { HttpFault, statusOf } from '../status.js';

interface Shaped {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors of libraries, whose message is not for callers but whose kind is known. */
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
      {
        cause: error,
      },
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
  // The message of any other error is not for callers: it is only logged.
  return { status: 500, code: 'internal', message: 'internal error', headers: {} };
};

/** Longest message, and largest details as JSON, of an error: what is wrong may be as long as what was sent. */
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

/** Parameters that are searched for an id; no route has more. */
const mostParameters = 100;

/** Parameters behind the question mark, under names that none in the path has. */
function* queryOf(query: URLSearchParams): Generator<[string, string]> {
  let count = 0;
  for (const [name, value] of query) {
    if (count === mostParameters) return;
    count += 1;
    yield [`?${name}`, value];
  }
}

/**
 * The one place that turns errors into answers. Only the message, code and details of an AppError leave the
 * service; everything else is a plain 500.
 */
export const createErrors = (): Middleware<RequestState> =>
  async function errors(ctx, next) {
    try {
      await next();
    } catch (error) {
      const { status, code, message: text, details, headers } = shape(error);
      const message = limitText(
        quoteSentId(
          text,
          { ...Object.fromEntries(queryOf(ctx.state.query)), ...pathParameters(ctx) },
          ctx.state.bodyText,
        ),
        messageLength,
      );
      ctx.state.error = error;
      // The client has disconnected; the line of the request says so.
      if (ctx.state.signal.aborted) ctx.state.log.debug({ err: error }, 'request given up');
      // Failures of other servers are warnings, without the stack of our own code.
      else if (status > 500 && isAppError(error))
        ctx.state.log.warn(
          { status, code, reason: message, cause: messageOf(error.cause) },
          'request failed',
        );
      else if (status >= 500) ctx.state.log.error({ err: error }, 'request failed');
      const asMessage = status === 404 && ctx.state.route?.notFoundShape === 'message';
      ctx.status = status;
      ctx.set(headers);
      if (status === 401)
        ctx.set(
          'WWW-Authenticate',
          challengesFor(ctx.get('Sec-Fetch-Dest') === 'empty' || ctx.get('X-Requested-With') !== ''),
        );
      ctx.remove('Content-Encoding');
      ctx.remove('Content-Disposition');
      ctx.remove('ETag');
      ctx.set('Cache-Control', 'no-store');
      const known = {
        ...(details === undefined ? {} : { details: boundedDetails(details) }),
        ...(status >= 500 ? { requestId: ctx.state.requestId } : {}),
      };
      if (ctx.state.route?.protocol === 'odata')
        // `details` of OData is a list; ours are an object, which `innererror` may hold.
        ctx.body = { error: { code, message, ...(Object.keys(known).length > 0 && { innererror: known }) } };
      else ctx.body = { ...(asMessage ? { message } : { error: message }), code, ...known };
    }
  };
