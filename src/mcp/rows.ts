import type { Readable } from 'node:stream';
import { exact, maxCharacters, type Shown } from './exact.js';

export interface ReadRows {
  readonly rows: readonly (readonly Shown[])[];
  /** True: the next row did not fit, and reading stopped. */
  readonly isCut: boolean;
}

/** Bytes of a row that cannot fit, whatever its characters are. */
const maxRowBytes = 4 * maxCharacters;

/** Lines of a stream. A line that is too long is returned as undefined and is the last. */
async function* linesOf(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, end)]).toString('utf8');
      pieces = [];
      bytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) {
      yield undefined;
      return;
    }
  }
}

const hasName = (row: unknown): row is Readonly<Record<string, Shown>> =>
  typeof row === 'object' && row !== null;

/**
 * Reads rows in JSON, one per line, as lists of their values. Stops at the first row that does not fit and destroys the stream, which
 * cancels the query.
 * @param names Names of the columns, in the order of the lists.
 */
export const readRows = async (
  body: Readable,
  names: readonly string[],
  characters: number,
): Promise<ReadRows> => {
  const nameBytes = names.reduce((sum, name) => sum + 6 * name.length + 8, 0);
  const rows: (readonly Shown[])[] = [];
  let left = characters;
  for await (const line of linesOf(body, maxRowBytes + nameBytes)) {
    if (line !== undefined && !line.startsWith('{')) continue;
    const row: unknown = line === undefined ? undefined : JSON.parse(line.replace(/,$/, ''));
    const values = hasName(row) ? names.map((name) => exact(row[name]) as Shown) : undefined;
    left -= values === undefined ? Number.POSITIVE_INFINITY : JSON.stringify(values).length + 1;
    if (values === undefined || left < 0) return { rows, isCut: true };
    rows.push(values);
  }
  return { rows, isCut: false };
};
