import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { firstBytes } from '../lib/first-bytes.js';
import type { Permit } from '../lib/semaphore/semaphore.js';
import { holdForReader } from '../lib/semaphore/streams.js';
import type { ByteShare } from './byte-budget.js';
import { needsLength, readWhole } from './known-length.js';
import type { RequestState } from './request-state.js';
import type { RightsWatch } from './rights-watch.js';
import type { Reply, SentMeter } from './route.js';
import { sendStream } from './streamed-body.js';

/** Milliseconds without progress after which an answer is aborted: of rows, and of all others. */
const stalledRowsMs = 120_000;
const stalledMs = 30_000;

/** Longer bodies are written piece by piece, as the client reads them. */
const pieceBytes = 64 * 1024;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

interface Sending {
  /** The permit that is held until the answer was sent. */
  readonly permit: Permit | undefined;
  /** Counts the bytes that the client has not read yet. */
  readonly unsent: ByteShare;
  /** True: the bytes of streams count as well, since only the number of these streams is limited otherwise. */
  readonly countsStreams: boolean;
  readonly rights: RightsWatch;
  /** Longest stream that is read whole to find its length, where one is needed. */
  readonly maxMeasuredBytes: number;
}

type Context = ParameterizedContext<RequestState>;

interface SendOptions {
  readonly timeoutMs: number;
  readonly unsent?: ByteShare | undefined;
  readonly meter?: SentMeter | undefined;
}

const send = (ctx: Context, body: Readable, { timeoutMs, unsent, meter }: SendOptions): void => {
  // Koa would pipe it piece by piece.
  ctx.respond = false;
  const failed = (error: Error): void => {
    ctx.state.error = error;
    ctx.app.emit('error', error, ctx);
  };
  sendStream(body, ctx.res, failed, unsent, meter);
  ctx.res.setTimeout(timeoutMs, () => ctx.res.destroy());
};

/** Counts the first bytes of an answer before they are sent, if the meter does so. */
const countAhead = async (meter: SentMeter | undefined, bytes: number): Promise<void> => {
  try {
    await meter?.ahead?.(bytes);
  } catch (error) {
    meter?.end(0);
    throw error;
  }
};

/** Counts an answer that is sent in one piece. */
const countBytes = async ({ res }: Context, length: number, meter: SentMeter): Promise<void> => {
  let isRefused = false;
  res.once('close', () => meter.end(res.writableFinished && !isRefused ? 0 : length));
  try {
    await meter.ahead?.(length);
    await meter.add(length);
  } catch (error) {
    isRefused = true;
    throw error;
  }
};

/**
 * Releases what an answer holds if its client has already disconnected, since the event `close`, which would release it, does not come
 * again. Returns true if so.
 */
const releaseIfDisconnected = (
  { res }: Context,
  permit: Permit | undefined,
  meter: SentMeter | undefined,
): boolean => {
  if (!res.closed) return false;
  permit?.release();
  meter?.end(0);
  return true;
};

const sendBytes = async (
  ctx: Context,
  bytes: Buffer,
  { permit, unsent, rights }: Sending,
  { meter, right }: Pick<Reply, 'meter' | 'right'>,
): Promise<void> => {
  ctx.set('Content-Length', String(bytes.length));
  if (releaseIfDisconnected(ctx, permit, meter)) return;
  if (ctx.method === 'HEAD' || bytes.length <= pieceBytes) {
    permit?.release();
    if (meter !== undefined) await countBytes(ctx, bytes.length, meter);
    ctx.body = bytes;
    ctx.res.setTimeout(stalledMs, () => ctx.res.destroy());
    return;
  }
  await countAhead(meter, pieceBytes);
  if (releaseIfDisconnected(ctx, permit, meter)) return;
  unsent.add(bytes.length);
  ctx.res.once('close', unsent.close);
  const body = Readable.from(piecesOf(bytes), { objectMode: false });
  if (permit !== undefined) holdForReader(permit, body);
  if (right !== undefined) rights.watch(body, right);
  send(ctx, body, { timeoutMs: right === undefined ? stalledMs : stalledRowsMs, meter });
};

const isBytes = (body: object | string): body is Buffer | string =>
  typeof body === 'string' || Buffer.isBuffer(body);

/** Reads the stream of a response that needs a length and has none. Returns any other reply unchanged. */
const withLength = async (ctx: Context, reply: Reply, sending: Sending): Promise<Reply> => {
  const { headers = {}, body } = reply;
  const isSent = body instanceof Readable && ctx.method !== 'HEAD';
  if (!isSent || 'Content-Length' in headers || !needsLength(ctx.req)) return reply;
  const { permit, unsent, rights, maxMeasuredBytes: maxBytes } = sending;
  if (permit !== undefined) holdForReader(permit, body);
  if (reply.right !== undefined) rights.watch(body, reply.right);
  try {
    return { ...reply, body: await readWhole(body, { maxBytes, unsent, signal: ctx.state.signal }) };
  } catch (error) {
    reply.meter?.end(0);
    throw error;
  } finally {
    // Counted again when it is sent.
    unsent.close();
  }
};

/** Holds the permit of a stream, waits for its first bytes, and counts them if the meter does so in advance. */
const beginStream = async (
  ctx: Context,
  body: Readable,
  { meter }: Reply,
  permit?: Permit,
): Promise<void> => {
  if (permit !== undefined) holdForReader(permit, body);
  if (ctx.method === 'HEAD') return;
  try {
    // A failure before the first byte is answered with an error status.
    await firstBytes(body);
  } catch (error) {
    meter?.end(0);
    throw error;
  }
  try {
    await countAhead(meter, body.readableLength);
  } catch (error) {
    body.destroy();
    throw error;
  }
};

/** Sends the reply of a handler, and releases its permit and budgets once it is sent. */
export const sendReply = async (ctx: Context, answer: Reply, sending: Sending): Promise<void> => {
  const reply = await withLength(ctx, answer, sending);
  const { status, headers = {}, body = null, meter } = reply;
  const { permit } = sending;
  if (body instanceof Readable) await beginStream(ctx, body, reply, permit);
  ctx.status = status;
  if (body === null) {
    permit?.release();
    ctx.set(headers);
    ctx.body = null;
  } else if (body instanceof Readable) {
    ctx.set(headers);
    if (ctx.method === 'HEAD') {
      body.destroy();
      meter?.end(0);
    } else {
      if (reply.right !== undefined) sending.rights.watch(body, reply.right);
      const bounds = sending.countsStreams
        ? { timeoutMs: stalledMs, unsent: sending.unsent }
        : { timeoutMs: stalledRowsMs };
      send(ctx, body, { ...bounds, meter });
    }
  } else {
    const type = isBytes(body) ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
    ctx.set({ 'Content-Type': type, ...headers });
    await sendBytes(
      ctx,
      Buffer.isBuffer(body) ? body : Buffer.from(isBytes(body) ? body : JSON.stringify(body)),
      sending,
      reply,
    );
  }
};
