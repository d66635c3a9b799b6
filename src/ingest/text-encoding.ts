import { TextDecoder } from 'node:util';
import { invalid } from '../lib/errors.js';
import type { Encoding } from './upload-options.js';

async function* fromWindows1252(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // A single-byte encoding in which every byte is a character: no piece can end within one.
  const decoder = new TextDecoder('windows-1252');
  for await (const piece of source) yield Buffer.from(decoder.decode(piece));
}

const marks = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/** The splitter converts UTF-16 by its mark; here the mark must be the one that was announced. */
async function* withMark(
  source: AsyncIterable<Buffer>,
  encoding: keyof typeof marks,
): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let checked = false;
  const check = (): void => {
    checked = true;
    if (head[0] === marks[encoding][0] && head[1] === marks[encoding][1]) return;
    throw invalid('no_byte_order_mark', `The file does not begin with the byte order mark of ${encoding}.`);
  };
  for await (const piece of source) {
    if (checked) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < 2) continue;
    check();
    yield head;
  }
  if (!checked) check();
}

/** Bytes that the splitter understands: UTF-8, or UTF-16 with its mark. */
export const decodeText = (source: AsyncIterable<Buffer>, encoding: Encoding): AsyncIterable<Buffer> => {
  switch (encoding) {
    case 'utf-8':
      return source;
    case 'windows-1252':
      return fromWindows1252(source);
    default:
      return withMark(source, encoding);
  }
};
