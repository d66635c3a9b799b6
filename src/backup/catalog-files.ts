/** Tables of the catalog in a backup: text in the format of COPY, one line per row, compressed with gzip. */
import { pipeline, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError, messageOf } from '../lib/errors.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import type { CatalogFile } from './manifest.js';

/** PostgreSQL accepts no line over 1 GiB; rows of the catalog are far smaller than this. */
const maxLineBytes = 256 * 1024 * 1024;

const newline = 10;

/** Passes on at most as many lines as the file has rows, so that a small file cannot decompress without end. */
const countingLines = ({ key, rows }: CatalogFile): Transform => {
  let lines = 0;
  let inLine = 0;
  const count = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      lines += 1;
      inLine = 0;
      from = at + 1;
      if (lines > rows) throw damaged(`${key} has more than ${rows} rows`);
    }
    inLine += chunk.length - from;
    if (inLine > maxLineBytes) throw damaged(`${key} has a row of more than ${maxLineBytes} bytes`);
    if (lines === rows && inLine > 0) throw damaged(`${key} has more than ${rows} rows`);
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        count(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      done(lines === rows && inLine === 0 ? null : damaged(`${key} has ${lines} rows of ${rows}`));
    },
  });
};

/** Text of a table. The stream fails with `backup_damaged` if it differs from what was written. */
export const openTable = async (folder: Pick<BackupFolder, 'read'>, file: CatalogFile): Promise<Readable> =>
  pipeline(
    await folder.read(file),
    createGunzip(),
    countingLines(file),
    // The last stream fails with the error of any of them.
    () => undefined,
  );

/** A field of a line as it was written. */
const fieldAt = (line: Buffer, place: number): string => {
  let from = 0;
  for (let at = 0; at < place; at += 1) {
    const tab = line.indexOf(9, from);
    if (tab < 0) return '';
    from = tab + 1;
  }
  const end = line.indexOf(9, from);
  return line.toString('latin1', from, end < 0 ? line.length - 1 : end);
};

async function* chosenLines(
  source: AsyncIterable<Buffer>,
  place: number,
  wanted: ReadonlySet<string>,
): AsyncGenerator<Buffer> {
  const open: Buffer[] = [];
  for await (const part of source) {
    let from = 0;
    for (let end = part.indexOf(newline); end >= 0; end = part.indexOf(newline, from)) {
      const line = Buffer.concat([...open.splice(0), part.subarray(from, end + 1)]);
      from = end + 1;
      if (wanted.has(fieldAt(line, place))) yield line;
    }
    if (from < part.length) open.push(part.subarray(from));
  }
}

/** Text of the rows that have one of these numbers in a column. Fails as `openTable` does. */
export const openRowsOf = async (
  folder: Pick<BackupFolder, 'read'>,
  file: CatalogFile,
  column: string,
  wanted: ReadonlySet<string>,
): Promise<Readable> => {
  const place = file.columns.indexOf(column);
  if (place < 0) throw damaged(`table ${file.table} has no column ${column}`);
  return Readable.from(chosenLines(await openTable(folder, file), place, wanted));
};

/** Reads the whole table. */
export const requireRows = async (folder: Pick<BackupFolder, 'read'>, file: CatalogFile): Promise<void> => {
  try {
    for await (const _ of await openTable(folder, file));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw damaged(`${file.key} cannot be unpacked (${messageOf(error).slice(0, 200)})`);
  }
};
