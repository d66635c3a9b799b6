import { invalid } from '../../lib/errors.js';
import type { UploadOptions } from '../options/table.js';

type Encoding = UploadOptions['encoding'];

/** Characters of the bytes 0x80 to 0x9f; all others are as in Latin-1. Unassigned bytes are control characters (WHATWG). */
const upperControls =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Does not use TextDecoder: several versions of Node decode windows-1252 as Latin-1, which has no euro sign. */
async function* fromWindows1252(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    const text = piece
      .toString('latin1')
      .replace(/[\u0080-\u009f]/g, (control) => upperControls.charAt(control.charCodeAt(0) - 0x80));
    yield Buffer.from(text);
  }
}

const marks = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/** Checks that the byte order mark is that of the given encoding. The splitter converts UTF-16 by its mark. */
async function* withMark(
  source: AsyncIterable<Buffer>,
  encoding: keyof typeof marks,
): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let checked = false;
  const check = (): void => {
    checked = true;
    if (head[0] === marks[encoding][0] && head[1] === marks[encoding][1]) return;
    throw invalid('no_byte_order_mark', `The file does not start with the byte order mark of ${encoding}.`);
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

/** Converts a file for the splitter, which accepts UTF-8, and UTF-16 with a mark. */
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
