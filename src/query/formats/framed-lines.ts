import { Readable } from 'node:stream';

/** Text around the lines of rows. */
interface LineFrame {
  readonly header: string;
  readonly footer: string;
  /** Bytes at the end of every line that the last one must not have, line end included. */
  readonly trailing: number;
}

/** Bytes without the last few. */
async function* withoutEnd(body: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const chunk of body) {
    const joined = Buffer.concat([held, chunk]);
    const end = Math.max(0, joined.length - length);
    if (end > 0) yield joined.subarray(0, end);
    held = Buffer.from(joined.subarray(end));
  }
}

async function* framed(
  { header, footer, trailing }: LineFrame,
  rows: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (header !== '') yield Buffer.from(header);
  yield* trailing === 0 ? rows : withoutEnd(rows, trailing);
  if (footer !== '') yield Buffer.from(footer);
}

/** Lines as ClickHouse gives them, in their frame. */
export const frameLines = (rows: AsyncIterable<Buffer>, frame?: LineFrame): Readable =>
  Readable.from(frame === undefined ? rows : framed(frame, rows), {
    objectMode: false,
    highWaterMark: 128 * 1024,
  });
