import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';

/**
 * ClickHouse gives up on a client that takes nothing for 30 seconds (`http_send_timeout`, which a query can not
 * change). A reader of ours may well pause longer: while it does, a little is taken from the socket now and
 * then and kept.
 */
export interface PumpOptions {
  /** Milliseconds of pause after which a little more is taken. @default 15000 */
  readonly sipMs?: number;
  /** Milliseconds after which a reader that takes nothing is given up; bounds what is kept for it. @default 600000 */
  readonly giveUpMs?: number;
}

/** The kernel lets the sender go on only when a sixteenth of its receive buffer (up to 6 MiB) is free. */
const sipBytes = 512 * 1024;

/** Moves an answer into a stream with back-pressure. An answer that ends too early destroys the stream. */
export const pipeToSlowReader = (
  from: IncomingMessage,
  to: Transform,
  { sipMs = 15_000, giveUpMs = 600_000 }: PumpOptions = {},
): void => {
  let timer: NodeJS.Timeout | undefined;
  let pausedAt = 0;
  let sipLeft = 0;

  const sip = (): void => {
    if (Date.now() - pausedAt > giveUpMs) to.destroy(new Error('the reader takes nothing any more'));
    else {
      sipLeft = sipBytes;
      from.resume();
    }
  };
  from.on('data', (chunk: Buffer) => {
    sipLeft -= chunk.length;
    if (to.write(chunk) || sipLeft > 0) return;
    from.pause();
    if (pausedAt === 0) pausedAt = Date.now();
    clearTimeout(timer);
    timer = setTimeout(sip, sipMs);
  });
  to.on('drain', () => {
    clearTimeout(timer);
    pausedAt = 0;
    sipLeft = 0;
    from.resume();
  });
  from.once('end', () => to.end());
  from.once('error', (error) => to.destroy(error));
  from.once('close', () => {
    if (!from.complete) to.destroy(new Error('the answer of ClickHouse ended too early'));
  });
  to.once('close', () => {
    clearTimeout(timer);
    from.destroy();
  });
};
