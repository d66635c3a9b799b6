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

const marks = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

const hasMark = (head: Buffer, encoding: keyof typeof marks): boolean =>
  marks[encoding].every((byte, i) => head[i] === byte);

/** Calls `check` with at least the first `length` bytes, or with all of a shorter file, before any byte is passed on. */
async function* checkedHead(
  source: AsyncIterable<Buffer>,
  length: number,
  check: (head: Buffer) => void,
): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let checked = false;
  for await (const piece of source) {
    if (checked) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < length) continue;
    check(head);
    checked = true;
    yield head;
  }
  if (checked) return;
  check(head);
  yield head;
}

/** Checks that the byte order mark is that of the given encoding. The splitter converts UTF-16 by its mark. */
const withMark = (source: AsyncIterable<Buffer>, encoding: 'utf-16le' | 'utf-16be'): AsyncIterable<Buffer> =>
  checkedHead(source, 2, (head) => {
    if (hasMark(head, encoding)) return;
    throw invalid('no_byte_order_mark', `The file does not start with the byte order mark of ${encoding}.`);
  });

/** Refuses a file of another encoding, whose text would be altered. */
const withoutMark = (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  checkedHead(source, 3, (head) => {
    const found = (['utf-8', 'utf-16le', 'utf-16be'] as const).find((encoding) => hasMark(head, encoding));
    if (found === undefined) return;
    throw invalid(
      'wrong_encoding',
      `The file starts with the byte order mark of ${found}; it is not windows-1252.`,
    );
  });

/** Converts a file for the splitter, which accepts UTF-8, and UTF-16 with a mark. */
export const decodeText = (source: AsyncIterable<Buffer>, encoding: Encoding): AsyncIterable<Buffer> => {
  switch (encoding) {
    case 'utf-8':
      return source;
    case 'windows-1252':
      return fromWindows1252(withoutMark(source));
    default:
      return withMark(source, encoding);
  }
};
