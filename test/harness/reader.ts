/** HTTP client that retries like common HTTP libraries: only what is safe to retry. */
import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReadAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Reader {
  /**
   * Reads the whole response. Retries connections that end before the response starts, and 502 and 503 after their
   * `Retry-After`.
   * @param pauseMs pause after each piece, to simulate a slow connection
   * @throws Error if a response is cut off or all retries fail
   */
  read(url: string, pauseMs?: number): Promise<ReadAnswer>;
  /** Number of retries. */
  readonly retried: number;
  close(): void;
}

const maxRetries = 20;

class RetryError extends Error {
  constructor(readonly afterMs: number) {
    super('to be retried');
  }
}

export const createReader = (authorization: string): Reader => {
  const agent = new Agent({ keepAlive: true });
  let retried = 0;

  const get = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { agent, headers: { authorization } }, resolve);
      // No response byte has arrived and a GET is safe, so any error may be retried.
      outgoing.on('error', () => reject(new RetryError(100)));
      outgoing.end();
    });

  const readOnce = async (url: string, pauseMs: number): Promise<ReadAnswer> => {
    const answer = await get(url);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    const { statusCode: status = 0, headers } = answer;
    if (!answer.complete) throw new Error(`a ${status} response was cut off after ${bytes} bytes`);
    if (status === 502 || status === 503) throw new RetryError(1_000 * Number(headers['retry-after'] ?? 1));
    return { status, location: headers.location, bytes, sha256: hash.digest('hex') };
  };

  return {
    get retried() {
      return retried;
    },
    async read(url, pauseMs = 0) {
      for (let left = maxRetries; ; left -= 1) {
        try {
          return await readOnce(url, pauseMs);
        } catch (error) {
          if (!(error instanceof RetryError) || left === 0) throw error;
          retried += 1;
          await sleep(error.afterMs);
        }
      }
    },
    close: () => agent.destroy(),
  };
};
