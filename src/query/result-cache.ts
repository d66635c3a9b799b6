/** Small answers to questions about immutable versions, kept in memory. */
import type { Readable } from 'node:stream';
import { createCache } from '../lib/cache.js';
import type { ResultCacheMetrics } from '../lib/metrics/result-cache-metrics.js';
import type { RowCounts } from './download.js';
import { createSharedWork } from './shared-work.js';

/** An answer with its bytes: all of them, or a stream if there are too many to keep. */
export interface Answer extends RowCounts {
  readonly body: Buffer | Readable;
}

export interface OpenedAnswer extends RowCounts {
  readonly body: Readable;
}

export interface ResultCache {
  /**
   * The answer to a question: out of memory, from a run for another request of the same owner, or from a run of its own.
   * @throws what `open` throws, and the error of an answer that breaks off before it is known whether it is small.
   */
  find(request: CacheRequest, open: Open): Promise<Answer>;
}

interface CacheRequest {
  /** The same for the same bytes and for no others. The caller may read them: nothing is checked here. */
  readonly question: string;
  /** Account or address whose limits apply to the run, so that callers never share the limits of another. */
  readonly owner: string;
  /** Signal of the caller; the run continues for others that wait for it. */
  readonly signal: AbortSignal;
}

type Open = (signal: AbortSignal) => Promise<OpenedAnswer>;

interface ResultCacheOptions {
  /** Bytes of all answers together; 0 keeps none, and each caller gets a run of its own. */
  readonly maxBytes: number;
  readonly metrics: ResultCacheMetrics;
}

/** Bytes of an answer that is kept. */
const mostBytes = 256 * 1024;

/** Milliseconds after the first byte within which an answer must end; a slower one is streamed and not cached. */
const gatherMs = 250;

/** Memory of an entry besides its bytes. */
const entryBytes = 512;

/** Outcome of a run. */
type Outcome =
  | { readonly kept: Answer & { readonly body: Buffer } }
  /** Too large or too slow. The first request takes the stream, the others run again. */
  | { readonly kept?: undefined; take(): Answer | undefined };

/** The bytes of a stream that ends soon; otherwise the stream itself, with nothing read of it. */
const gather = (body: Readable, most: number): Promise<Buffer | Readable> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      body.off('readable', onReadable);
      body.off('end', onEnd);
      body.off('close', onClose);
    };
    // A stream behind it would cost each large answer a copy of its queue and a turn for each piece.
    const putBack = (): void => {
      settle();
      for (const piece of pieces.reverse()) body.unshift(piece);
      resolve(body);
    };
    const onReadable = (): void => {
      for (let piece: Buffer | null = body.read(); piece !== null; piece = body.read()) {
        timer ??= setTimeout(putBack, gatherMs);
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > most) {
          putBack();
          return;
        }
      }
    };
    const onEnd = (): void => {
      settle();
      // A copy, not part of a larger allocation that would stay with it.
      const whole = Buffer.allocUnsafeSlow(bytes);
      let at = 0;
      for (const piece of pieces) at += piece.copy(whole, at);
      resolve(whole);
    };
    const onError = (error: Error): void => {
      settle();
      reject(error);
    };
    const onClose = (): void => onError(new Error('the stream of an answer was closed'));
    if (body.destroyed) {
      reject(body.errored ?? new Error('the stream of an answer was closed'));
      return;
    }
    body.on('readable', onReadable);
    body.once('end', onEnd);
    // Kept: a stream that breaks off before its reader listens would end the process.
    body.on('error', onError);
    body.once('close', onClose);
  });

export const createResultCache = ({ maxBytes, metrics }: ResultCacheOptions): ResultCache => {
  const known = createCache<Answer & { readonly body: Buffer }>({
    limit: maxBytes,
    weigh: ({ body }) => body.length + entryBytes,
  });
  const shared = createSharedWork<Outcome>();
  const most = Math.min(mostBytes, Math.floor(maxBytes / 4));

  const run = async (question: string, signal: AbortSignal, open: Open): Promise<Outcome> => {
    const { body: stream, ...counts } = await open(signal);
    const body = await gather(stream, most);
    if (Buffer.isBuffer(body)) {
      const kept = { ...counts, body };
      known.set(question, kept);
      metrics.bytes.set(known.weight());
      return { kept };
    }
    let left: Answer | undefined = { ...counts, body };
    return {
      take: () => {
        const taken = left;
        left = undefined;
        return taken;
      },
    };
  };

  return {
    async find({ question, owner, signal }, open) {
      if (maxBytes === 0) return open(signal);
      const kept = known.get(question);
      metrics.lookups.inc({ outcome: kept === undefined ? 'miss' : 'hit' });
      if (kept !== undefined) return kept;
      const outcome = await shared.run(`${owner}/${question}`, signal, (lasting) =>
        run(question, lasting, open),
      );
      return outcome.kept ?? outcome.take() ?? open(signal);
    },
  };
};
