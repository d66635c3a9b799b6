import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { startDataTimer } from '../lib/data-timer.js';
import { AppError, invalid } from '../lib/errors.js';
import { createJsonGuard, type JsonBounds } from '../lib/json-guard.js';
import type { ByteShare } from './byte-budget.js';
import { HttpFault } from './status.js';

const jsonTypes = ['application/json', 'application/*+json'];

const hasBody = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] !== undefined || Number(ctx.req.headers['content-length'] ?? 0) > 0;

const tooLarge = (limitBytes: number): AppError =>
  new AppError('too_large', 'body_too_large', `the body is larger than ${limitBytes} bytes`);

/** Converts errors of koa-body to those of the product. */
const mapped = (error: Error, limitBytes: number): Error => {
  if (Reflect.get(error, 'type') === 'entity.too.large') return tooLarge(limitBytes);
  return new AppError('invalid', 'malformed_json', `the body ${faultOf(error.message)}`, { cause: error });
};

/** Describes the fault of a JSON text from the error message of its parser. */
const faultOf = (message: string): string => {
  if (message.includes('only supports object and array')) return 'must be a JSON object';
  if (message.includes('prototype property')) return 'must not have a member "__proto__"';
  const position = /at position (\d+)/.exec(message)?.[1];
  return `is not valid JSON${position === undefined ? '' : ` at character ${Number(position) + 1}`}`;
};

/** @throws AppError 415, since the size of an encoded body does not limit its decoded size */
export const requireNoCoding = (coding: string | undefined): void => {
  if (coding === undefined || coding.toLowerCase() === 'identity') return;
  throw new AppError(
    'unsupported_media',
    'content_encoding',
    'Content-Encoding is not supported for requests; a gzip file is uploaded as the file part itself.',
  );
};

export interface JsonBodyBounds extends JsonBounds {
  readonly limitBytes: number;
  /** Milliseconds for the whole body to arrive. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte. */
  readonly idleMs: number;
}

interface JsonBody {
  readonly value: unknown;
  /** As it was sent. */
  readonly text: string;
}

interface BodyHold {
  /** Budget for the bytes of the body until the request is done. */
  readonly share: ByteShare;
  /** Aborted, with the answer as its reason, when other requests need the memory or the permit. */
  readonly stop: AbortSignal | undefined;
}

/** Checks each piece of a body before the parser gets it. `failed` rejects with the first error; the parser then gets no more data. */
const watchBody = (
  request: IncomingMessage,
  { share, stop }: BodyHold,
  bounds: Omit<JsonBodyBounds, keyof JsonBounds>,
  onChunk: (chunk: Buffer) => void,
) => {
  let received = 0;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (error) => {
      request.removeAllListeners('data');
      request.pause();
      reject(error);
    };
  });
  const tooSlow = (): void =>
    fail(new HttpFault(408, 'body_too_slow', 'the body took too long to arrive', { Connection: 'close' }));
  const whole = startDataTimer(bounds.timeoutMs, tooSlow, () => received);
  const idle = startDataTimer(bounds.idleMs, tooSlow);
  const onStop = (): void => fail(stop?.reason);
  stop?.addEventListener('abort', onStop, { once: true });
  const onData = (chunk: Buffer): void => {
    idle.refresh();
    received += chunk.length;
    try {
      if (received > bounds.limitBytes) throw tooLarge(bounds.limitBytes);
      share.add(chunk.length);
      onChunk(chunk);
    } catch (error) {
      fail(error);
    }
  };
  request.on('data', onData);
  return {
    failed,
    stop: (): void => {
      whole.stop();
      idle.stop();
      stop?.removeEventListener('abort', onStop);
      request.off('data', onData);
    },
  };
};

/**
 * Reads a body unparsed, within the limits of JSON bodies.
 * @throws as `createJsonBody`, except for JSON errors
 */
export const readBytes = async (ctx: Context, hold: BodyHold, bounds: JsonBodyBounds): Promise<Buffer> => {
  if (!hasBody(ctx)) throw invalid('missing_body', 'a body is required');
  const { limitBytes } = bounds;
  if (Number(ctx.req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const pieces: Buffer[] = [];
  const watched = watchBody(ctx.req, hold, bounds, (chunk) => void pieces.push(chunk));
  try {
    await Promise.race([finished(ctx.req, { writable: false }), watched.failed]);
  } finally {
    watched.stop();
  }
  return Buffer.concat(pieces);
};

interface JsonBodyOptions {
  readonly bounds: JsonBodyBounds;
  readonly optional: boolean;
}

type ReadJsonBody = (ctx: Context, hold: BodyHold) => Promise<JsonBody>;

/**
 * Reads a JSON body within the limits.
 * @throws AppError 400 malformed, missing or nested too deeply; 413 too large; 415 not JSON; 429 and 503 for the budget and for clients
 *   that are too slow while others wait; HttpFault 408 too slow.
 */
export const createJsonBody = ({ bounds, optional }: JsonBodyOptions): ReadJsonBody => {
  const { limitBytes } = bounds;
  const parse = koaBody({
    json: true,
    jsonTypes,
    text: false,
    urlencoded: false,
    multipart: false,
    // Error messages quote an id that is out of range as it was sent.
    includeUnparsed: true,
    jsonLimit: limitBytes,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      throw mapped(error, limitBytes);
    },
  });

  const requireReadable = (ctx: Context): void => {
    requireNoCoding(ctx.req.headers['content-encoding']);
    if (!ctx.is(jsonTypes))
      throw new AppError(
        'unsupported_media',
        'not_json',
        'the body must be sent as Content-Type: application/json',
      );
    if (Number(ctx.req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  };

  return async (ctx, hold) => {
    if (!hasBody(ctx)) {
      if (optional) return { value: {}, text: '' };
      throw invalid('missing_body', 'a JSON body is required');
    }
    requireReadable(ctx);
    const guard = createJsonGuard(bounds);
    const watched = watchBody(ctx.req, hold, bounds, (chunk) => guard.push(chunk));
    try {
      await Promise.race([parse(ctx, () => Promise.resolve()), watched.failed]);
    } finally {
      watched.stop();
    }
    const { body, rawBody } = ctx.request;
    return { value: body, text: rawBody ?? '' };
  };
};
