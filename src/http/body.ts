import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, invalid } from '../lib/errors.js';
import { HttpFault } from './status.js';

const MiB = 1024 * 1024;
const jsonTypes = ['application/json', 'application/*+json'];

const hasBody = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] !== undefined || Number(ctx.req.headers['content-length'] ?? 0) > 0;

const fieldOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;

/** What koa-body and the stream below it throw, in our terms. */
const mapped = (error: unknown, limitBytes: number): Error => {
  if (fieldOf(error, 'type') === 'entity.too.large')
    return new AppError('too_large', 'body_too_large', `the body is larger than ${limitBytes} bytes`);
  if (fieldOf(error, 'status') === 415)
    return new AppError('unsupported_media', 'unsupported_encoding', 'unsupported content encoding', {
      cause: error,
    });
  return new AppError('invalid', 'malformed_json', 'the body is not valid JSON', { cause: error });
};

export interface JsonBodyOptions {
  readonly limitBytes?: number | undefined;
  readonly optional?: boolean | undefined;
  /** Milliseconds the whole body may take to arrive. */
  readonly timeoutMs: number;
}

/**
 * Reads a JSON body of a bounded size within a bounded time.
 * @throws AppError 400 malformed or missing, 413 too large, 415 not JSON; HttpFault 408 too slow.
 */
export const createJsonBody = ({ limitBytes = MiB, optional = false, timeoutMs }: JsonBodyOptions) => {
  const parse = koaBody({
    json: true,
    jsonTypes,
    text: false,
    urlencoded: false,
    multipart: false,
    jsonLimit: limitBytes,
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      throw mapped(error, limitBytes);
    },
  });

  return async (ctx: Context): Promise<unknown> => {
    if (!hasBody(ctx)) {
      if (optional) return {};
      throw invalid('missing_body', 'a JSON body is required');
    }
    if (!ctx.is(jsonTypes))
      throw new AppError(
        'unsupported_media',
        'not_json',
        'the body must be sent as Content-Type: application/json',
      );
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new HttpFault(408, 'body_too_slow', 'the body took too long to arrive', { Connection: 'close' }),
        );
      }, timeoutMs);
    });
    try {
      await Promise.race([parse(ctx, () => Promise.resolve()), tooSlow]);
    } finally {
      clearTimeout(timer);
    }
    return ctx.request.body;
  };
};
