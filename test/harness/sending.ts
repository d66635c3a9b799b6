/** Upload with control over when each piece is sent and when the client disconnects. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sending {
  readonly url: string;
  readonly authorization: string;
  readonly requestId: string;
  readonly file: Buffer;
  /** Number of pieces, with `pauseMs` before each. */
  readonly pieces: number;
  readonly pauseMs: number;
  /** Number of pieces after which the client disconnects; undefined for never. */
  readonly hangUpAfter: number | undefined;
}

/** Result for the client: a response or a broken connection. */
export type Outcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      /** `Retry-After` header, seconds. */
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'broken' };

const boundary = 'crash-3f9a61';
const head = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\nContent-Type: text/csv\r\n\r\n`,
);
const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

const timeoutMs = 180_000;

const cut = (file: Buffer, pieces: number): Buffer[] => {
  const size = Math.max(1, Math.ceil(file.length / pieces));
  const parts: Buffer[] = [];
  for (let at = 0; at < file.length; at += size) parts.push(file.subarray(at, at + size));
  return parts;
};

export const sendFile = (sending: Sending): Promise<Outcome> =>
  new Promise((resolve) => {
    const broken = (): void => resolve({ kind: 'broken' });
    const outgoing = request(
      sending.url,
      {
        method: 'PUT',
        agent: false,
        timeout: timeoutMs,
        headers: {
          authorization: sending.authorization,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'x-request-id': sending.requestId,
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', broken);
        answer.on('end', () => {
          const body = Buffer.concat(parts).toString('utf8');
          const { statusCode: status = 0, headers } = answer;
          resolve({ kind: 'answer', status, body, retryAfter: headers['retry-after'] });
        });
      },
    );
    outgoing.on('error', broken);
    outgoing.on('close', broken);
    outgoing.on('timeout', () => outgoing.destroy());
    const write = (piece: Buffer): Promise<void> =>
      new Promise((resume) => {
        if (outgoing.destroyed || outgoing.write(piece)) return resume();
        const done = (): void => {
          outgoing.off('drain', done);
          outgoing.off('close', done);
          resume();
        };
        outgoing.on('drain', done);
        outgoing.on('close', done);
      });
    const run = async (): Promise<void> => {
      await write(head);
      for (const [number, piece] of cut(sending.file, sending.pieces).entries()) {
        if (outgoing.destroyed) return;
        if (number === sending.hangUpAfter) {
          outgoing.destroy();
          return;
        }
        if (sending.pauseMs > 0) await sleep(sending.pauseMs);
        await write(piece);
      }
      if (!outgoing.destroyed) outgoing.end(tail);
    };
    run().catch(broken);
  });
