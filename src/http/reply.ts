import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import type { RequestState } from './request-state.js';
import type { Reply } from './route.js';
import { sendStream } from './streamed-body.js';

/**
 * Waits until a stream has something to say, so that a failure before the first byte can still be answered
 * with a proper status.
 */
const firstBytes = async (stream: Readable): Promise<void> => {
  if (stream.readableLength > 0 || stream.readableEnded) return;
  if (stream.destroyed) throw stream.errored ?? new Error('the stream of an answer was closed');
  const settled = new AbortController();
  try {
    await Promise.race([
      once(stream, 'readable', { signal: settled.signal }),
      once(stream, 'end', { signal: settled.signal }),
    ]);
  } finally {
    settled.abort();
  }
};

/** Milliseconds that a client may take nothing of a streamed answer. */
const stalledMs = 10 * 60 * 1000;

/** Writes what a handler answered into the response. */
export const sendReply = async (ctx: ParameterizedContext<RequestState>, reply: Reply): Promise<void> => {
  const { status, headers = {}, body = null } = reply;
  if (body instanceof Readable && ctx.method !== 'HEAD') await firstBytes(body);
  ctx.status = status;
  ctx.set(headers);
  if (body === null) {
    ctx.body = null;
    return;
  }
  if (body instanceof Readable) {
    if (ctx.method === 'HEAD') body.destroy();
    else {
      // Koa would pipe piece by piece.
      ctx.respond = false;
      sendStream(body, ctx.res, (error) => {
        ctx.state.error = error;
        ctx.app.emit('error', error, ctx);
      });
      ctx.res.setTimeout(stalledMs, () => ctx.res.destroy());
    }
    return;
  }
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = isText ? body : JSON.stringify(body);
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  ctx.body = bytes;
  ctx.set({ 'Content-Type': type, ...headers, 'Content-Length': String(Buffer.byteLength(bytes)) });
};
