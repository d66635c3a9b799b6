import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type DataTimer, startDataTimer } from '../../lib/data-timer.js';
import { type AppError, invalid, isAppError } from '../../lib/errors.js';

export interface BodyLimits {
  /** Most bytes as sent. */
  readonly maxCompressedBytes: number;
  /** Most bytes after decompression. */
  readonly maxBytes: number;
  /** Largest ratio of the two, checked above `ratioFromBytes` decompressed bytes. */
  readonly maxRatio: number;
  /** Longest wait for the next byte, milliseconds. */
  readonly idleMs: number;
  /** Slowest average rate, checked after the first minute; 0: none. */
  readonly minBytesPerSecond: number;
}

const ratioFromBytes = 64 * 1024 * 1024;
const rateFromMs = 60_000;

const mib = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`;

const tooLarge = (what: string, limit: number): AppError =>
  invalid('upload_too_large', `The file is larger than ${mib(limit)} ${what}.`, { limit });

/** Fails when the client is idle or too slow. Counts only the time spent waiting for the client. */
async function* watched(source: AsyncIterable<Buffer>, limits: BodyLimits): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  let received = 0;
  let waitedMs = 0;
  let silent = false;
  try {
    for (;;) {
      let timer: DataTimer | undefined;
      const idle = new Promise<never>((_, reject) => {
        timer = startDataTimer(limits.idleMs, () => {
          silent = true;
          reject(invalid('upload_idle', `No data arrived for ${limits.idleMs} ms; the upload was aborted.`));
        });
      });
      const requestedAt = performance.now();
      const next = await Promise.race([iterator.next(), idle]).finally(() => timer?.stop());
      const waited = performance.now() - requestedAt;
      // Data that is read after the idle time was over had arrived before: the process was paused, not the client.
      if (waited < limits.idleMs) waitedMs += waited;
      if (next.done) return;
      received += next.value.length;
      if (received > limits.maxCompressedBytes) throw tooLarge('as sent', limits.maxCompressedBytes);
      if (waitedMs > rateFromMs && received / (waitedMs / 1000) < limits.minBytesPerSecond) {
        throw invalid(
          'upload_too_slow',
          `The file arrived at fewer than ${limits.minBytesPerSecond} bytes per second.`,
        );
      }
      yield next.value;
    }
  } finally {
    // While the source waits for an idle client, `return` would wait as well. The source ends with the request.
    if (!silent) await iterator.return?.();
  }
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Converts an error of zlib to an error for the caller. */
const gzipError = (error: unknown): unknown => {
  if (isAppError(error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'Z_BUF_ERROR') return invalid('gzip_truncated', 'The gzip file is truncated.');
  if (code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT') {
    return invalid('gzip_damaged', 'The gzip file is damaged: its contents or its checksum are wrong.');
  }
  return error;
};

/** Counts the compressed bytes, and finds data that zlib ignores: it stops at a zero byte after a member. */
const meter = (source: AsyncGenerator<Buffer>) => {
  let sent = 0;
  /** Position after the last byte that is not zero. */
  let meaningful = 0;
  let failure: unknown;
  const next = async (): Promise<Buffer | undefined> => {
    const { value: piece, done } = await source.next().catch((error: unknown) => {
      failure = error;
      throw error;
    });
    if (done === true) return undefined;
    let end = piece.length;
    while (end > 0 && piece[end - 1] === 0) end--;
    if (end > 0) meaningful = sent + end;
    sent += piece.length;
    return piece;
  };
  return {
    sent: () => sent,
    /** Destroys the source if it was not fully consumed, unless `isOver`; `checkRest` then reads the remaining bytes. */
    async *pieces(isOver: () => boolean): AsyncGenerator<Buffer> {
      try {
        for (let piece = await next(); piece !== undefined; piece = await next()) yield piece;
      } finally {
        if (!isOver()) await source.return(undefined);
      }
    },
    /** Reads the remaining bytes. Zeros are padding; anything else would be lost without an error. */
    async checkRest(unpacked: number): Promise<void> {
      for (let piece = await next(); piece !== undefined; piece = await next());
      // The stream of zlib may have received the error of the source when it had no listener any more.
      if (failure !== undefined) throw failure;
      if (meaningful > unpacked)
        throw invalid('gzip_damaged', 'The gzip file is damaged: more data follows a gap of zero bytes.');
    },
  };
};

async function* gunzipped(source: AsyncGenerator<Buffer>, limits: BodyLimits): AsyncGenerator<Buffer> {
  const input = meter(source);
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let failure: unknown;
  pipeline(
    input.pieces(() => gunzip.readableEnded),
    gunzip,
    (error) => {
      failure = error ?? undefined;
    },
  );
  let total = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      total += piece.length;
      if (total > ratioFromBytes && total / input.sent() > limits.maxRatio) {
        throw invalid('gzip_bomb', `The gzip file unpacks to more than ${limits.maxRatio} times its size.`);
      }
      yield piece;
    }
    await input.checkRest(gunzip.bytesWritten);
  } catch (error) {
    throw gzipError(isAppError(error) ? error : (failure ?? error));
  } finally {
    gunzip.destroy();
  }
}

/** Reads the first two bytes, which identify gzip. @returns them, and the source including them */
const peek = async (
  source: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> => {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await source.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const all = async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* source;
  };
  return { head, all: all() };
};

/**
 * Decompresses the body of an upload if it is gzip (any number of members, checksums verified), and enforces the limits.
 * @throws AppError kind `invalid` that says what is wrong with the file
 */
export async function* decodeBody(source: AsyncIterable<Buffer>, limits: BodyLimits): AsyncGenerator<Buffer> {
  const { head, all } = await peek(watched(source, limits));
  let total = 0;
  for await (const piece of isGzip(head) ? gunzipped(all, limits) : all) {
    total += piece.length;
    if (total > limits.maxBytes) throw tooLarge('uncompressed', limits.maxBytes);
    yield piece;
  }
}
