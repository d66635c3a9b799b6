/** Clients that read without pause, as ordinary HTTP libraries do: they retry what is safe to retry, and nothing else. */
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
   * The whole answer. Retried are connections that end before the answer begins, and answers 502 and 503 after their
   * `Retry-After`.
   * @param pauseMs before each piece that is read, for a client with a slow line.
   * @throws Error when the connection breaks otherwise, or nobody serves it for long.
   */
  read(url: string, pauseMs?: number): Promise<ReadAnswer>;
  /** Requests that were sent again. */
  readonly retried: number;
  close(): void;
}

const maxRetries = 20;

class Again extends Error {
  constructor(readonly afterMs: number) {
    super('to be retried');
  }
}

export const createReader = (authorization: string): Reader => {
  const agent = new Agent({ keepAlive: true });
  let retried = 0;

  const ask = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { agent, headers: { authorization } }, resolve);
      // No byte of an answer has come, and reading changes nothing: whatever was the matter, it may be asked again.
      outgoing.on('error', () => reject(new Again(100)));
      outgoing.end();
    });

  const readOnce = async (url: string, pauseMs: number): Promise<ReadAnswer> => {
    const answer = await ask(url);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    const { statusCode: status = 0, headers } = answer;
    if (!answer.complete) throw new Error(`an answer ${status} was cut after ${bytes} bytes`);
    if (status === 502 || status === 503) throw new Again(1_000 * Number(headers['retry-after'] ?? 1));
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
          if (!(error instanceof Again) || left === 0) throw error;
          retried += 1;
          await sleep(error.afterMs);
        }
      }
    },
    close: () => agent.destroy(),
  };
};
