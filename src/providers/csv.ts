import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Options, parse } from 'csv-parse';
import { unexpectedReply } from './errors.js';
import type { Named } from './provider.js';

export interface CsvRecord {
  readonly cells: readonly string[];
  /** Number of its last line in the text, from 1. */
  readonly line: number;
}

/** Bytes parsed per turn of the event loop. */
const pieceLength = 65_536;

/** Splits into bytes and not characters, since a piece may end within a surrogate pair. */
const piecesOf = async function* (text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) {
    yield bytes.subarray(at, at + pieceLength);
    await nextTurn();
  }
};

/**
 * Records of a reply, the header first. A reply may be large, so it is neither parsed in one turn nor stored as cells.
 * The records may have any number of cells; see `requireWidth`.
 *
 * @throws AppError 502 for text that is not CSV
 */
export const readCsv = async function* (
  provider: Named,
  text: string,
  options: Options = {},
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    ...options,
    relax_column_count: true,
    info: true,
  });
  try {
    for await (const { record, info } of Readable.from(piecesOf(text)).pipe(parser)) {
      yield { cells: record, line: info.lines };
    }
  } catch {
    throw unexpectedReply(provider, 'it is not CSV');
  }
};

const isEmpty = (cell: string): boolean => cell.trim() === '';

/**
 * Requires that a record has as many cells as the header. Only empty cells at the end may be missing from one of them:
 * a cell more shifts the others (`1,234.5`), a cell less is a record that was cut.
 *
 * @throws AppError 502 that names the line
 */
export const requireWidth = (
  provider: Named,
  header: readonly string[],
  { cells, line }: CsvRecord,
): void => {
  if (cells.length === header.length) return;
  const named = header.findLastIndex((name) => !isEmpty(name)) + 1;
  if (cells.length >= named && cells.slice(named).every(isEmpty)) return;
  throw unexpectedReply(provider, `line ${line} must have ${header.length} cells, not ${cells.length}`);
};
