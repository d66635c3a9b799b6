/**
 * Structs of Thrift's compact protocol, as lists of fields with their bytes: enough to add a field to a struct and keep
 * every other byte.
 */

/** Type codes of field headers. */
export const thrift = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  struct: 12,
} as const;

export interface Field {
  readonly id: number;
  readonly type: number;
  /** Bytes of the value, without the header. */
  readonly bytes: Buffer;
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const readByte = (cursor: Cursor): number => {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw new Error('A Thrift value ends too early.');
  cursor.at += 1;
  return byte;
};

const readVarint = (cursor: Cursor): number => {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
};

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
};

const skip = (cursor: Cursor, length: number): void => {
  cursor.at += length;
  if (cursor.at > cursor.bytes.length) throw new Error('A Thrift value ends too early.');
};

/** Element type and size of a list. */
const readListHead = (cursor: Cursor): { readonly type: number; readonly size: number } => {
  const head = readByte(cursor);
  const size = head >> 4;
  return { type: head & 0x0f, size: size === 0x0f ? readVarint(cursor) : size };
};

const listHead = (type: number, size: number): Buffer =>
  size < 0x0f ? Buffer.from([(size << 4) | type]) : Buffer.concat([Buffer.from([0xf0 | type]), varint(size)]);

/** @param elements structs, each with its stop byte */
const listOfStructs = (elements: readonly Buffer[]): Buffer =>
  Buffer.concat([listHead(thrift.struct, elements.length), ...elements]);

/** Length of a value that is neither an integer nor a container. */
const lengthOf = (cursor: Cursor, type: number, inList: boolean): number => {
  switch (type) {
    case thrift.true:
    case thrift.false:
      // In a field the header contains the value; a list has one byte per element.
      return inList ? 1 : 0;
    case thrift.byte:
      return 1;
    case thrift.double:
      return 8;
    case thrift.binary:
      return readVarint(cursor);
    default:
      throw new Error(`Thrift type ${type} is not known.`);
  }
};

const wholeNumbers: ReadonlySet<number> = new Set([thrift.i16, thrift.i32, thrift.i64]);

const skipValue = (cursor: Cursor, type: number, inList: boolean): void => {
  if (type === thrift.struct) readStruct(cursor);
  else if (wholeNumbers.has(type)) readVarint(cursor);
  else if (type === thrift.list || type === thrift.set) {
    const { type: element, size } = readListHead(cursor);
    for (let index = 0; index < size; index += 1) skipValue(cursor, element, true);
  } else skip(cursor, lengthOf(cursor, type, inList));
};

const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Reads a struct and moves the cursor after it. */
export const readStruct = (cursor: Cursor): Field[] => {
  const fields: Field[] = [];
  for (let last = 0; ; ) {
    const head = readByte(cursor);
    if (head === 0) return fields;
    const delta = head >> 4;
    const type = head & 0x0f;
    last = delta === 0 ? unzigzag(readVarint(cursor)) : last + delta;
    const begin = cursor.at;
    skipValue(cursor, type, false);
    fields.push({ id: last, type, bytes: cursor.bytes.subarray(begin, cursor.at) });
  }
};

/** @param fields in any order */
export const structBytes = (fields: readonly Field[]): Buffer => {
  const parts: Buffer[] = [];
  let last = 0;
  for (const { id, type, bytes } of fields.toSorted((a, b) => a.id - b.id)) {
    const delta = id - last;
    parts.push(
      delta > 0 && delta < 0x10
        ? Buffer.from([(delta << 4) | type])
        : Buffer.concat([Buffer.from([type]), varint(id * 2)]),
      bytes,
    );
    last = id;
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
};

/** @param value non-negative integer */
export const numberField = (id: number, value: number, type: number = thrift.i32): Field => ({
  id,
  type,
  bytes: varint(value * 2),
});

export const fieldOf = (fields: readonly Field[], id: number): Field | undefined =>
  fields.find((field) => field.id === id);

/** Integer value of a field; undefined if the field is missing. */
export const numberOf = (fields: readonly Field[], id: number): number | undefined => {
  const field = fieldOf(fields, id);
  if (field === undefined) return undefined;
  if (!wholeNumbers.has(field.type)) throw new Error(`Thrift field ${id} is not a whole number.`);
  return unzigzag(readVarint({ bytes: field.bytes, at: 0 }));
};

/** Elements of a field that is a list of structs; empty if the field is missing. */
export const structsOf = (fields: readonly Field[], id: number): Field[][] => {
  const field = fieldOf(fields, id);
  if (field === undefined) return [];
  const cursor: Cursor = { bytes: field.bytes, at: 0 };
  const { type, size } = readListHead(cursor);
  if (field.type !== thrift.list || type !== thrift.struct)
    throw new Error(`Thrift field ${id} is not a list of structs.`);
  return Array.from({ length: size }, () => readStruct(cursor));
};

export const structList = (id: number, elements: readonly (readonly Field[])[]): Field => ({
  id,
  type: thrift.list,
  bytes: listOfStructs(elements.map(structBytes)),
});

export const textField = (id: number, text: string): Field => {
  const bytes = Buffer.from(text);
  return { id, type: thrift.binary, bytes: Buffer.concat([varint(bytes.length), bytes]) };
};

export const withField = (fields: readonly Field[], field: Field): Field[] => [
  ...fields.filter(({ id }) => id !== field.id),
  field,
];
