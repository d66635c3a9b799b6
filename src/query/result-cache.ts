/** Caches small answers in memory; the versions that they come from are immutable. */
import type { Readable } from 'node:stream';
import { createCache } from '../lib/cache.js';
import type { ResultCacheMetrics } from '../lib/metrics/result-cache-metrics.js';
import type { RowCounts } from './download.js';
import { createSharedWork } from './shared-work.js';

/** An answer as a buffer, or as a stream if it is too large to cache. */
export interface Answer extends RowCounts {
  readonly body: Buffer | Readable;
}

export interface OpenedAnswer extends RowCounts {
  readonly body: Readable;
}

export interface ResultCache {
  /**
   * Returns the cached answer, joins a run of the same owner, or starts one.
   * @throws the error of `open`, or of an answer that fails before its size is known
   */
  find(request: CacheRequest, open: Open): Promise<Answer>;
}

interface CacheRequest {
  /** Key of the answer, equal if and only if the bytes are equal. Access must be checked before. */
  readonly question: string;
  /** Account or address whose limits apply to the run. Callers never join the run of another owner. */
  readonly owner: string;
  /** Signal of the caller. The run continues for other waiting callers. */
  readonly signal: AbortSignal;
}

type Open = (signal: AbortSignal) => Promise<OpenedAnswer>;

interface ResultCacheOptions {
  /** Size of the cache. 0 disables caching and shared runs. */
  readonly maxBytes: number;
  readonly metrics: ResultCacheMetrics;
}

/** Largest answer that is cached. */
const maxAnswerBytes = 256 * 1024;

/** An answer that has not ended this long after its first byte is streamed and not cached. */
const gatherMs = 250;

/** Overhead of a cache entry. */
const entryBytes = 512;

/** Outcome of a run. */
type Outcome =
  | { readonly kept: Answer & { readonly body: Buffer } }
  /** Too large or too slow to cache. The first caller takes the stream, the others start a run of their own. */
  | { readonly kept?: undefined; take(): Answer | undefined };

/** Reads a small, fast stream into a buffer. Returns a larger or slower one with all of its bytes still unread. */
const gather = (body: Readable, maxBytes: number): Promise<Buffer | Readable> =>
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
    // Cheaper than a second stream in front of every large answer.
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
        if (bytes > maxBytes) {
          putBack();
          return;
        }
      }
    };
    const onEnd = (): void => {
      settle();
      // Not from the buffer pool: a cached slice would keep its whole block alive.
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
    // Never removed: an error before the reader listens would crash the process.
    body.on('error', onError);
    body.once('close', onClose);
  });

export const createResultCache = ({ maxBytes, metrics }: ResultCacheOptions): ResultCache => {
  const answers = createCache<Answer & { readonly body: Buffer }>({
    limit: maxBytes,
    weigh: ({ body }) => body.length + entryBytes,
  });
  const shared = createSharedWork<Outcome>();
  const limit = Math.min(maxAnswerBytes, Math.floor(maxBytes / 4));

  const run = async (question: string, signal: AbortSignal, open: Open): Promise<Outcome> => {
    const { body: stream, ...counts } = await open(signal);
    const body = await gather(stream, limit);
    if (Buffer.isBuffer(body)) {
      const kept = { ...counts, body };
      answers.set(question, kept);
      metrics.bytes.set(answers.weight());
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
      const kept = answers.get(question);
      metrics.lookups.inc({ outcome: kept === undefined ? 'miss' : 'hit' });
      if (kept !== undefined) return kept;
      const outcome = await shared.run(`${owner}/${question}`, signal, (lasting) =>
        run(question, lasting, open),
      );
      return outcome.kept ?? outcome.take() ?? open(signal);
    },
  };
};
