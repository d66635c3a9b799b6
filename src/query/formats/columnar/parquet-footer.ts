/**
 * Adds to the footer of a Parquet file what ClickHouse does not write: the ids of the columns and key-value metadata.
 *
 * The footer is the last part of a file, so that the end of the stream is held back until its length is known. All
 * offsets in it count from the start of the file and stay as they are.
 */
import {
  type Field,
  numberField,
  readStruct,
  structBytes,
  structList,
  structsOf,
  textField,
  withField,
} from './thrift-struct.js';

interface FooterAdditions {
  /** Id of each column in their order, kept over renames; undefined: the column has none. */
  readonly fieldIds: readonly (number | undefined)[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Ids of fields in `parquet.thrift`. */
const fileFields = { schema: 2, metadata: 5 } as const;
const columnFields = { children: 5, id: 9 } as const;
const entryFields = { key: 1, value: 2 } as const;

/** The first element of a schema is its root; our columns have no parts. */
const withFieldIds = (schema: readonly Field[][], fieldIds: FooterAdditions['fieldIds']): Field[][] => {
  const [root = [], ...columns] = schema;
  if (
    columns.length !== fieldIds.length ||
    columns.some((one) => one.some(({ id }) => id === columnFields.children))
  )
    throw new Error(`A Parquet footer has ${columns.length} columns in place of ${fieldIds.length}.`);
  const withIds = columns.map((column, place) => {
    const fieldId = fieldIds[place];
    return fieldId === undefined ? column : withField(column, numberField(columnFields.id, fieldId));
  });
  return [root, ...withIds];
};

/** The same footer with the additions; the same input gives the same bytes. */
const rewriteFooter = (footer: Buffer, { fieldIds, metadata }: FooterAdditions): Buffer => {
  const file = readStruct({ bytes: footer, at: 0 });
  const schema = withFieldIds(structsOf(file, fileFields.schema), fieldIds);
  const added = Object.entries(metadata).map(([key, value]) => [
    textField(entryFields.key, key),
    textField(entryFields.value, value),
  ]);
  const entries = [...structsOf(file, fileFields.metadata), ...added];
  const named = withField(file, structList(fileFields.schema, schema));
  return structBytes(
    entries.length === 0 ? named : withField(named, structList(fileFields.metadata, entries)),
  );
};

export const magic = Buffer.from('PAR1');
/** Length of the footer and the magic bytes. */
const endBytes = 8;

/** Bytes that are held back at least: a footer has statistics of up to 16 KiB for each column and group of rows. */
const leastHeld = (columns: number): number => 1024 * 1024 + 20 * 1024 * columns;
const mostHeld = 64 * 1024 * 1024;

interface FileEnd {
  /** Bytes before the footer that were held back. */
  readonly rest: Buffer;
  readonly footer: Buffer;
}

/** A file up to the last sixteenth, at most 64 MiB, which is held in memory and returned. */
export async function* withoutEnd(
  file: AsyncIterable<Buffer>,
  columns: number,
): AsyncGenerator<Buffer, FileEnd> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let total = 0;
  for await (const chunk of file) {
    held.push(chunk);
    heldBytes += chunk.length;
    total += chunk.length;
    const wanted = Math.max(leastHeld(columns), Math.min(mostHeld, total / 16));
    for (let first = held[0]; first !== undefined && heldBytes - first.length >= wanted; first = held[0]) {
      yield first;
      heldBytes -= first.length;
      held.shift();
    }
  }
  const tail = Buffer.concat(held);
  if (tail.length < endBytes || !tail.subarray(-magic.length).equals(magic))
    throw new Error('A Parquet file does not end with its magic bytes.');
  const footerAt = tail.length - endBytes - tail.readUInt32LE(tail.length - endBytes);
  if (footerAt < 0) throw new Error(`The footer of a Parquet file is larger than ${tail.length} bytes.`);
  return { rest: tail.subarray(0, footerAt), footer: tail.subarray(footerAt, -endBytes) };
}

/** The end of a file: its footer, the length of that, and the magic bytes. */
export const endWith = (footer: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([footer, length, magic]);
};

/** The file with another footer. */
export async function* withFooter(
  file: AsyncIterable<Buffer>,
  additions: FooterAdditions,
): AsyncGenerator<Buffer> {
  const { rest, footer } = yield* withoutEnd(file, additions.fieldIds.length);
  yield Buffer.concat([rest, endWith(rewriteFooter(footer, additions))]);
}
