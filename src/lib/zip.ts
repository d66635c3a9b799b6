import { pipeline } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { byteStream } from './byte-stream.js';

/**
 * A ZIP archive that is written entry by entry, with sizes after the data (APPNOTE 4.3.9). Without `large`, the caller must keep entries
 * below 4 GiB; the offsets of later entries may be larger (ZIP64).
 */
export interface ZipWriter {
  /** Bytes of one entry. It must be read to its end before the next one starts. */
  entry(name: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer>;
  /** Bytes at the end of the archive. */
  finish(): Buffer;
}

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

const version = 20;
const versionZip64 = 45;
/** Sizes follow the data; names are UTF-8. */
const flags = 0x0808;
const deflateMethod = 8;
/** 1980-01-01 00:00, so that equal rows give equal bytes. */
const dosDate = 0x0021;
const limit32 = 0xffffffff;
const limit16 = 0xffff;

const u16 = (...values: readonly number[]): Buffer => {
  const out = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) out.writeUInt16LE(value, 2 * at);
  return out;
};

const u32 = (...values: readonly number[]): Buffer => {
  const out = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) out.writeUInt32LE(value, 4 * at);
  return out;
};

const u64 = (...values: readonly number[]): Buffer => {
  const out = Buffer.alloc(8 * values.length);
  for (const [at, value] of values.entries()) out.writeBigUInt64LE(BigInt(value), 8 * at);
  return out;
};

/** Field of ZIP64 with numbers of eight bytes; empty without any (APPNOTE 4.5.3). */
const zip64Extra = (values: readonly number[]): Buffer =>
  values.length === 0 ? Buffer.alloc(0) : Buffer.concat([u16(0x0001, 8 * values.length), u64(...values)]);

const localHeader = (name: Buffer, large: boolean): Buffer => {
  // Declares that the sizes after the data have eight bytes each (APPNOTE 4.3.9.2).
  const extra = zip64Extra(large ? [0, 0] : []);
  const size = large ? limit32 : 0;
  return Buffer.concat([
    u32(0x04034b50),
    u16(large ? versionZip64 : version, flags, deflateMethod, 0, dosDate),
    u32(0, size, size),
    u16(name.length, extra.length),
    name,
    extra,
  ]);
};

const descriptor = ({ crc, packed, size }: Entry, large: boolean): Buffer =>
  Buffer.concat([u32(0x08074b50, crc), large ? u64(packed, size) : u32(packed, size)]);

const centralHeader = ({ name, offset, crc, packed, size }: Entry): Buffer => {
  // Values that do not fit into their fields, in the order of APPNOTE 4.5.3.
  const extra = zip64Extra([size, packed, offset].filter((value) => value >= limit32));
  const needed = extra.length > 0 ? versionZip64 : version;
  return Buffer.concat([
    u32(0x02014b50),
    u16(needed, needed, flags, deflateMethod, 0, dosDate),
    u32(crc, Math.min(packed, limit32), Math.min(size, limit32)),
    u16(name.length, extra.length, 0, 0, 0),
    u32(0, Math.min(offset, limit32)),
    name,
    extra,
  ]);
};

const zip64End = (entries: number, size: number, offset: number): Buffer =>
  Buffer.concat([
    u32(0x06064b50),
    u64(44),
    u16(versionZip64, versionZip64),
    u32(0, 0),
    u64(entries, entries, size, offset),
    u32(0x07064b50, 0),
    u64(offset + size),
    u32(1),
  ]);

const endRecord = (entries: number, size: number, offset: number): Buffer => {
  const count = Math.min(entries, limit16);
  const isFar = offset >= limit32 || size >= limit32 || entries >= limit16;
  return Buffer.concat([
    ...(isFar ? [zip64End(entries, size, offset)] : []),
    u32(0x06054b50),
    u16(0, 0, count, count),
    u32(Math.min(size, limit32), Math.min(offset, limit32)),
    u16(0),
  ]);
};

/** @param large Entries may have more than 4 GiB; readers must then support ZIP64. */
export const createZip = ({ large = false }: { large?: boolean } = {}): ZipWriter => {
  const entries: Entry[] = [];
  let position = 0;

  const placed = (bytes: Buffer): Buffer => {
    position += bytes.length;
    return bytes;
  };

  return {
    async *entry(name, content) {
      const nameBytes = Buffer.from(name);
      const offset = position;
      let crc = 0;
      let size = 0;
      let packed = 0;
      async function* measured(): AsyncGenerator<Buffer> {
        for await (const chunk of content) {
          crc = crc32(chunk, crc);
          size += chunk.length;
          yield chunk;
        }
      }
      yield placed(localHeader(nameBytes, large));
      const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED, chunkSize: 128 * 1024 });
      pipeline(byteStream(measured(), 256 * 1024), deflate, (error) => {
        if (error != null) deflate.destroy(error);
      });
      for await (const chunk of deflate as AsyncIterable<Buffer>) {
        packed += chunk.length;
        yield placed(chunk);
      }
      if (!large && (size >= limit32 || packed >= limit32))
        throw new RangeError(`the ZIP entry ${name} has ${size} bytes`);
      const entry = { name: nameBytes, offset, crc, packed, size };
      entries.push(entry);
      yield placed(descriptor(entry, large));
    },
    finish() {
      const directory = Buffer.concat(entries.map(centralHeader));
      return Buffer.concat([directory, endRecord(entries.length, directory.length, position)]);
    },
  };
};
