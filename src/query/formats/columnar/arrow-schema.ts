/**
 * Adds metadata to the schema of an Arrow stream, which is its first message.
 *
 * A message is a FlatBuffer. Its offsets are relative and point forward, so new tables for message and schema are prepended,
 * and the old bytes with the fields stay unchanged.
 */

/** Precedes the length of a message, except in streams of old writers. */
const continuation = 0xff_ff_ff_ff;
const headBytes = 8;

/** Slots of the tables in `Message.fbs` and `Schema.fbs`. */
const messageSlots = { version: 0, headerType: 1, header: 2 } as const;
const schemaSlots = { endianness: 0, fields: 1 } as const;

const padded = (length: number, to: number): number => Math.ceil(length / to) * to;

/** Position of the value in a slot of a table; undefined if it has the default. */
const slotAt = (bytes: Buffer, table: number, slot: number): number | undefined => {
  const vtable = table - bytes.readInt32LE(table);
  const place = 4 + 2 * slot;
  const offset = place < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + place) : 0;
  return offset === 0 ? undefined : table + offset;
};

const targetOf = (bytes: Buffer, at: number): number => at + bytes.readUInt32LE(at);

const requireSlot = (bytes: Buffer, table: number, slot: number): number => {
  const at = slotAt(bytes, table, slot);
  if (at === undefined) throw new Error('The schema of an Arrow stream is not as expected.');
  return at;
};

/** A FlatBuffer string, padded to four bytes. */
const textBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const block = Buffer.alloc(padded(4 + bytes.length + 1, 4));
  block.writeUInt32LE(bytes.length);
  bytes.copy(block, 4);
  return block;
};

/** A vector of KeyValue tables with their strings. */
const metadataVector = (metadata: Readonly<Record<string, string>>): Buffer => {
  const entries = Object.entries(metadata);
  const head = Buffer.alloc(4 + 4 * entries.length);
  head.writeUInt32LE(entries.length);
  const blocks: Buffer[] = [head];
  let length = head.length;
  for (const [index, [key, value]] of entries.entries()) {
    const [keyText, valueText] = [textBytes(key), textBytes(value)];
    // The vtable (8 bytes), then the table: offset of the vtable, offsets of key and value.
    const table = Buffer.alloc(20);
    for (const [place, number] of [8, 12, 4, 8].entries()) table.writeUInt16LE(number, 2 * place);
    table.writeInt32LE(8, 8);
    table.writeUInt32LE(8, 12);
    table.writeUInt32LE(4 + keyText.length, 16);
    head.writeUInt32LE(length + 8 - (4 + 4 * index), 4 + 4 * index);
    blocks.push(table, keyText, valueText);
    length += table.length + keyText.length + valueText.length;
  }
  return Buffer.concat(blocks);
};

/** Returns the schema message with metadata. */
const rewriteMessage = (old: Buffer, metadata: Readonly<Record<string, string>>): Buffer => {
  const message = targetOf(old, 0);
  const schema = targetOf(old, requireSlot(old, message, messageSlots.header));
  const fields = targetOf(old, requireSlot(old, schema, schemaSlots.fields));
  const version = slotAt(old, message, messageSlots.version);
  const endianness = slotAt(old, schema, schemaSlots.endianness);
  const vector = metadataVector(metadata);
  const tablesBytes = 56;
  const before = padded(tablesBytes + vector.length, 8);
  const tables = Buffer.alloc(tablesBytes);
  // Root, then vtable and table of the message: offset, header, version, type of the header.
  tables.writeUInt32LE(16);
  for (const [place, number] of [10, 12, 8, 10, 4].entries()) tables.writeUInt16LE(number, 4 + 2 * place);
  tables.writeInt32LE(12, 16);
  tables.writeUInt32LE(20, 20);
  tables.writeInt16LE(version === undefined ? 0 : old.readInt16LE(version), 24);
  tables.writeUInt8(old.readUInt8(requireSlot(old, message, messageSlots.headerType)), 26);
  // Vtable and table of the schema: offset, fields, metadata, endianness.
  for (const [place, number] of [10, 14, 12, 4, 8].entries()) tables.writeUInt16LE(number, 28 + 2 * place);
  tables.writeInt32LE(12, 40);
  tables.writeUInt32LE(before + fields - 44, 44);
  tables.writeUInt32LE(tablesBytes - 48, 48);
  tables.writeInt16LE(endianness === undefined ? 0 : old.readInt16LE(endianness), 52);
  return Buffer.concat([tables, vector, Buffer.alloc(before - tablesBytes - vector.length), old]);
};

export async function* withSchemaMetadata(
  stream: AsyncIterable<Buffer>,
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Buffer> {
  let begin: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (begin === undefined) {
      yield chunk;
      continue;
    }
    begin = Buffer.concat([begin, chunk]);
    if (begin.length < headBytes) continue;
    if (begin.readUInt32LE(0) !== continuation)
      throw new Error('An Arrow stream does not begin with a message.');
    const end = headBytes + begin.readUInt32LE(4);
    if (begin.length < end) continue;
    const message = rewriteMessage(begin.subarray(headBytes, end), metadata);
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(continuation);
    head.writeUInt32LE(padded(message.length, 8), 4);
    yield Buffer.concat([
      head,
      message,
      Buffer.alloc(padded(message.length, 8) - message.length),
      begin.subarray(end),
    ]);
    begin = undefined;
  }
  if (begin !== undefined) throw new Error('An Arrow stream ends before its schema.');
}
