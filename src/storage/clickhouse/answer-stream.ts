/**
 * Streams the bytes of an answer to the client, and never truncates them silently: not if ClickHouse or the network fails, and not if the
 * reader pauses.
 */
import { type Readable, Transform } from 'node:stream';

/**
 * A query that fails after its first bytes were sent still ends as a complete HTTP 200. ClickHouse then appends
 *
 *   \r\n__exception__\r\n<tag>\r\n<message>\r\n<length> <tag>\r\n__exception__\r\n
 *
 * where the tag is random and was announced in the header `X-ClickHouse-Exception-Tag`, so that no data can
 * look like it. The guard holds back as many bytes as the longest such block may have.
 */
export const exceptionTagHeader = 'x-clickhouse-exception-tag';

/** The server truncates the message to 16 KiB; twice as many bytes are held back. */
const heldBytes = 32 * 1024;

const marker = '__exception__';

/** The message of the exception at the end of these bytes; undefined if all of them are data. */
export const exceptionAtEnd = (tail: Buffer, tag: string): string | undefined => {
  const closing = Buffer.from(` ${tag}\r\n${marker}\r\n`);
  if (tail.length < closing.length || !tail.subarray(-closing.length).equals(closing)) return undefined;
  const opening = Buffer.from(`${marker}\r\n${tag}\r\n`);
  const start = tail.indexOf(opening);
  const end = tail.length - closing.length;
  const text = tail.subarray(start < 0 ? 0 : start + opening.length, end).toString('utf8');
  // The length of the message is between message and closing tag.
  return text.replace(/\s*\d+$/, '');
};

interface TailGuardOptions {
  /** Value of the announced tag; undefined if the server announced none (before release 25.11). */
  readonly tag: string | undefined;
  /** Creates the error that ends the stream from ClickHouse's message. */
  readonly failure: (message: string) => Error;
}

/** Passes bytes on. The last ones are held back until they are known to be data. */
export const createTailGuard = ({ tag, failure }: TailGuardOptions): Transform => {
  const held: Buffer[] = [];
  let size = 0;
  return new Transform({
    // The stream does not count held bytes, so these limits determine the memory of one download.
    readableHighWaterMark: 256 * 1024,
    writableHighWaterMark: 64 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      held.push(chunk);
      size += chunk.length;
      while (held.length > 0 && size - held[0]!.length >= heldBytes) {
        const first = held.shift()!;
        size -= first.length;
        this.push(first);
      }
      done();
    },
    flush(done) {
      const message = tag === undefined ? undefined : exceptionAtEnd(Buffer.concat(held), tag);
      if (message !== undefined) {
        done(failure(message));
        return;
      }
      for (const chunk of held) this.push(chunk);
      done();
    },
  });
};

/**
 * ClickHouse disconnects a client that reads nothing for 30 seconds (`http_send_timeout`, which a query cannot change). Our readers may
 * pause longer: meanwhile a little is read from the socket now and then, and kept.
 */
interface SlowReaderOptions {
  /** Milliseconds of pause after which a little more is read. @default 15000 */
  readonly sipMs?: number;
  /** Milliseconds after which the answer is aborted if its reader reads nothing; limits what is buffered for it. @default 600000 */
  readonly giveUpMs?: number;
}

/** The kernel lets the sender continue only if a sixteenth of its receive buffer (up to 6 MiB) is free. */
const sipBytes = 512 * 1024;

/** Pipes an answer into a stream with back-pressure. An answer that ends early destroys the stream. */
export const pipeToSlowReader = (
  from: Readable,
  to: Transform,
  { sipMs = 15_000, giveUpMs = 600_000 }: SlowReaderOptions = {},
): void => {
  let timer: NodeJS.Timeout | undefined;
  let pausedAt = 0;
  let sipLeft = 0;
  let ended = false;

  const sip = (): void => {
    if (Date.now() - pausedAt > giveUpMs) to.destroy(new Error('the reader has stopped reading'));
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
  from.once('end', () => {
    ended = true;
    to.end();
  });
  from.once('error', (error) => to.destroy(error));
  // An aborted response closes without `end`.
  from.once('close', () => {
    if (!ended) to.destroy(new Error('the answer of ClickHouse ended too early'));
  });
  to.once('close', () => {
    clearTimeout(timer);
    from.destroy();
  });
};

/** Milliseconds between checks of the duration of a query. */
const tickMs = 100;

/** Destroys the stream once its reader has waited for ClickHouse longer than allowed, over all waits. */
export const limitWaits = (guard: Transform, budgetMs: number, limitReached: () => Error): void => {
  let leftMs = budgetMs;
  const timer = setInterval(() => {
    const readerIsSlow = guard.writableNeedDrain || guard.readableLength > 0;
    if (!readerIsSlow) leftMs -= tickMs;
    if (leftMs <= 0) guard.destroy(limitReached());
  }, tickMs);
  timer.unref();
  guard.once('close', () => clearInterval(timer));
};
