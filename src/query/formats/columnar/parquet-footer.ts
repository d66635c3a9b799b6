/**
 * Adds column ids and key-value metadata, which ClickHouse does not write, to the footer of a Parquet file.
 *
 * The footer is at the end of the file, so the end of the stream is buffered until the length of the footer is known. All
 * offsets in the footer count from the start of the file and stay the same.
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
  /** One per column, stable across renames; undefined if the column has none. */
  readonly fieldIds: readonly (number | undefined)[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Ids of fields in `parquet.thrift`. */
const fileFields = { schema: 2, metadata: 5 } as const;
const columnFields = { children: 5, id: 9 } as const;
const entryFields = { key: 1, value: 2 } as const;

/** The first element of a schema is its root. Nested columns are not supported. */
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

/** Deterministic: equal input gives equal bytes. */
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
/** The length of the footer, and the magic bytes. */
const endBytes = 8;

/** Smallest buffer: a footer has up to 16 KiB of statistics per column and row group. */
const minBuffered = (columns: number): number => 1024 * 1024 + 20 * 1024 * columns;
const maxBuffered = 64 * 1024 * 1024;

interface FileEnd {
  /** Buffered bytes before the footer. */
  readonly rest: Buffer;
  readonly footer: Buffer;
}

/** Yields a file except for its last sixteenth, at most 64 MiB, which is buffered and returned. */
export async function* withoutEnd(
  file: AsyncIterable<Buffer>,
  columns: number,
): AsyncGenerator<Buffer, FileEnd> {
  const buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let total = 0;
  for await (const chunk of file) {
    buffered.push(chunk);
    bufferedBytes += chunk.length;
    total += chunk.length;
    const wanted = Math.max(minBuffered(columns), Math.min(maxBuffered, total / 16));
    for (
      let first = buffered[0];
      first !== undefined && bufferedBytes - first.length >= wanted;
      first = buffered[0]
    ) {
      yield first;
      bufferedBytes -= first.length;
      buffered.shift();
    }
  }
  const tail = Buffer.concat(buffered);
  if (tail.length < endBytes || !tail.subarray(-magic.length).equals(magic))
    throw new Error('A Parquet file does not end with its magic bytes.');
  const footerAt = tail.length - endBytes - tail.readUInt32LE(tail.length - endBytes);
  if (footerAt < 0) throw new Error(`The footer of a Parquet file is larger than ${tail.length} bytes.`);
  return { rest: tail.subarray(0, footerAt), footer: tail.subarray(footerAt, -endBytes) };
}

/** The end of a file: footer, its length, and the magic bytes. */
export const endWith = (footer: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([footer, length, magic]);
};

export async function* withFooter(
  file: AsyncIterable<Buffer>,
  additions: FooterAdditions,
): AsyncGenerator<Buffer> {
  const { rest, footer } = yield* withoutEnd(file, additions.fieldIds.length);
  yield Buffer.concat([rest, endWith(rewriteFooter(footer, additions))]);
}
