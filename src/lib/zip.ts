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

/** Declares that the sizes after the data have eight bytes each (APPNOTE 4.3.9.2, 4.5.3). */
const largeExtra = (): Buffer => {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(16, 2);
  return extra;
};

const localHeader = (name: Buffer, large: boolean): Buffer => {
  const header = Buffer.alloc(30);
  const extra = large ? largeExtra() : Buffer.alloc(0);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(large ? versionZip64 : version, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflateMethod, 8);
  header.writeUInt16LE(dosDate, 12);
  if (large) {
    header.writeUInt32LE(limit32, 18);
    header.writeUInt32LE(limit32, 22);
  }
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
};

const largeDescriptor = ({ crc, packed, size }: Entry): Buffer => {
  const data = Buffer.alloc(24);
  data.writeUInt32LE(0x08074b50, 0);
  data.writeUInt32LE(crc, 4);
  data.writeBigUInt64LE(BigInt(packed), 8);
  data.writeBigUInt64LE(BigInt(size), 16);
  return data;
};

const descriptor = ({ crc, packed, size }: Entry): Buffer => {
  const data = Buffer.alloc(16);
  data.writeUInt32LE(0x08074b50, 0);
  data.writeUInt32LE(crc, 4);
  data.writeUInt32LE(packed, 8);
  data.writeUInt32LE(size, 12);
  return data;
};

/** Values that do not fit into their fields, in the order of APPNOTE 4.5.3. */
const farExtra = (values: readonly number[]): Buffer => {
  const far = values.filter((value) => value >= limit32);
  if (far.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * far.length);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(8 * far.length, 2);
  for (const [at, value] of far.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * at);
  return extra;
};

const centralHeader = ({ name, offset, crc, packed, size }: Entry): Buffer => {
  const extra = farExtra([size, packed, offset]);
  const isFar = extra.length > 0;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(isFar ? versionZip64 : version, 4);
  header.writeUInt16LE(isFar ? versionZip64 : version, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(deflateMethod, 10);
  header.writeUInt16LE(dosDate, 14);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(Math.min(packed, limit32), 20);
  header.writeUInt32LE(Math.min(size, limit32), 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(Math.min(offset, limit32), 42);
  return Buffer.concat([header, name, extra]);
};

const zip64End = (entries: number, size: number, offset: number): Buffer => {
  const data = Buffer.alloc(56 + 20);
  data.writeUInt32LE(0x06064b50, 0);
  data.writeBigUInt64LE(44n, 4);
  data.writeUInt16LE(versionZip64, 12);
  data.writeUInt16LE(versionZip64, 14);
  data.writeBigUInt64LE(BigInt(entries), 24);
  data.writeBigUInt64LE(BigInt(entries), 32);
  data.writeBigUInt64LE(BigInt(size), 40);
  data.writeBigUInt64LE(BigInt(offset), 48);
  data.writeUInt32LE(0x07064b50, 56);
  data.writeBigUInt64LE(BigInt(offset + size), 64);
  data.writeUInt32LE(1, 72);
  return data;
};

const endRecord = (entries: number, size: number, offset: number): Buffer => {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries, limit16), 8);
  end.writeUInt16LE(Math.min(entries, limit16), 10);
  end.writeUInt32LE(Math.min(size, limit32), 12);
  end.writeUInt32LE(Math.min(offset, limit32), 16);
  const isFar = offset >= limit32 || size >= limit32 || entries >= limit16;
  return isFar ? Buffer.concat([zip64End(entries, size, offset), end]) : end;
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
      yield placed(large ? largeDescriptor(entry) : descriptor(entry));
    },
    finish() {
      const directory = Buffer.concat(entries.map(centralHeader));
      return Buffer.concat([directory, endRecord(entries.length, directory.length, position)]);
    },
  };
};
