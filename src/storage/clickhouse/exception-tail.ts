import { Transform } from 'node:stream';

/**
 * A query that fails after its first bytes were sent still ends as a complete HTTP 200. ClickHouse then appends
 *
 *   \r\n__exception__\r\n<tag>\r\n<message>\r\n<length> <tag>\r\n__exception__\r\n
 *
 * where the tag is random and was announced in the header `X-ClickHouse-Exception-Tag`, so that no data can
 * look like it. The guard holds back as many bytes as the longest such block may have.
 */
export const exceptionTagHeader = 'x-clickhouse-exception-tag';

/** The message is cut to 16 KiB by the server; twice that is kept back. */
const heldBytes = 32 * 1024;

const marker = '__exception__';

/** The message of the exception that ends these bytes, or undefined when they are data to the end. */
export const exceptionAtEnd = (tail: Buffer, tag: string): string | undefined => {
  const closing = Buffer.from(` ${tag}\r\n${marker}\r\n`);
  if (tail.length < closing.length || !tail.subarray(-closing.length).equals(closing)) return undefined;
  const opening = Buffer.from(`${marker}\r\n${tag}\r\n`);
  const start = tail.indexOf(opening);
  const end = tail.length - closing.length;
  const text = tail.subarray(start < 0 ? 0 : start + opening.length, end).toString('utf8');
  // Between message and closing tag stands the length of the message.
  return text.replace(/\s*\d+$/, '');
};

export interface TailGuardOptions {
  /** Value of the announced tag; undefined when the server announced none (before release 25.11). */
  readonly tag: string | undefined;
  /** Makes the error that ends the stream out of ClickHouse's message. */
  readonly failure: (message: string) => Error;
}

/** Passes bytes on, the last of them only once they are known to be data. */
export const createTailGuard = ({ tag, failure }: TailGuardOptions): Transform => {
  const held: Buffer[] = [];
  let size = 0;
  return new Transform({
    // Held bytes are not counted by the stream, so these bounds are what one download keeps in memory.
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
