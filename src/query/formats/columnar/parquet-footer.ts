/**
 * Adds to the footer of a Parquet file what ClickHouse does not write: the ids of the columns and key-value metadata.
 *
 * The footer is the last part of a file, so that the end of the stream is held back until its length is known. All
 * offsets in it count from the start of the file and stay as they are.
 */
import {
  type Cursor,
  type Field,
  listOfStructs,
  numberField,
  readListHead,
  readStruct,
  structBytes,
  textField,
  thrift,
  withField,
} from './thrift-struct.js';

export interface FooterAdditions {
  /** Id of each column in their order, kept over renames; undefined: the column has none. */
  readonly fieldIds: readonly (number | undefined)[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Ids of fields in `parquet.thrift`. */
const fileFields = { schema: 2, metadata: 5 } as const;
const columnFields = { children: 5, id: 9 } as const;
const entryFields = { key: 1, value: 2 } as const;

const structsOf = (field: Field | undefined): Field[][] => {
  if (field === undefined) return [];
  const cursor: Cursor = { bytes: field.bytes, at: 0 };
  const { type, size } = readListHead(cursor);
  if (field.type !== thrift.list || type !== thrift.struct)
    throw new Error('A Parquet footer is not as expected.');
  return Array.from({ length: size }, () => readStruct(cursor));
};

const structList = (id: number, elements: readonly (readonly Field[])[]): Field => ({
  id,
  type: thrift.list,
  bytes: listOfStructs(elements.map(structBytes)),
});

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
  const listAt = (wanted: number) => structsOf(file.find(({ id }) => id === wanted));
  const schema = withFieldIds(listAt(fileFields.schema), fieldIds);
  const added = Object.entries(metadata).map(([key, value]) => [
    textField(entryFields.key, key),
    textField(entryFields.value, value),
  ]);
  const entries = [...listAt(fileFields.metadata), ...added];
  const named = withField(file, structList(fileFields.schema, schema));
  return structBytes(
    entries.length === 0 ? named : withField(named, structList(fileFields.metadata, entries)),
  );
};

const magic = Buffer.from('PAR1');
/** Length of the footer and the magic bytes. */
const endBytes = 8;

/** Bytes that are held back at least: a footer has statistics of up to 16 KiB for each column and group of rows. */
const leastHeld = (columns: number): number => 1024 * 1024 + 20 * 1024 * columns;
const mostHeld = 64 * 1024 * 1024;

/** The file with another footer; holds its last sixteenth in memory, at most 64 MiB. */
export async function* withFooter(
  file: AsyncIterable<Buffer>,
  additions: FooterAdditions,
): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let total = 0;
  for await (const chunk of file) {
    held.push(chunk);
    heldBytes += chunk.length;
    total += chunk.length;
    const wanted = Math.max(leastHeld(additions.fieldIds.length), Math.min(mostHeld, total / 16));
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
  const footer = rewriteFooter(tail.subarray(footerAt, -endBytes), additions);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  yield Buffer.concat([tail.subarray(0, footerAt), footer, length, magic]);
}
