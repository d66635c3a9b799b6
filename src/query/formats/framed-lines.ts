import type { Readable } from 'node:stream';
import { byteStream } from '../../lib/byte-stream.js';

interface LineFrame {
  readonly header: string;
  readonly footer: string;
  /** Bytes to remove from the end of the last line, including the line break. */
  readonly trailing: number;
}

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

/** Adds header and footer to the lines of ClickHouse. */
export const frameLines = (rows: AsyncIterable<Buffer>, frame?: LineFrame): Readable =>
  byteStream(frame === undefined ? rows : framed(frame, rows));
