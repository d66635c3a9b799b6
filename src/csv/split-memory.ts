/** Bytes after a chunk; the first of them tells CR from CRLF. */
const slackBytes = 8;
/** Bytes to copy at a time: few, since bytes after a cut are copied again. */
const stepBytes = 64 << 10;

/**
 * Memory for the bytes of a stream. A chunk keeps the memory that its bytes were copied to; reading continues in other memory. Plain fields,
 * since the scan reads them for every record.
 */
export interface SplitMemory {
  buffer: Buffer;
  /** Bytes of `buffer` in use. */
  filled: number;
  readonly chunkBytes: number;
  /** Memory of released chunks. */
  readonly spare: Buffer[];
}

/** Initial size; most files are small. */
const firstBytes = 64 << 10;

/** @param chunkBytes Size of all chunks except the first. */
export const createSplitMemory = (firstChunkBytes: number, chunkBytes: number): SplitMemory => {
  const buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, firstChunkBytes) + slackBytes);
  return { buffer, filled: 0, chunkBytes, spare: [] };
};

/** Copies the bytes that fit, at most `stepBytes`. @returns their number */
export const fillMemory = (memory: SplitMemory, bytes: Uint8Array, from: number): number => {
  const taken = Math.min(bytes.length - from, memory.buffer.length - memory.filled, stepBytes);
  memory.buffer.set(bytes.subarray(from, from + taken), memory.filled);
  memory.filled += taken;
  return taken;
};

/** Drops the bytes before `from`. */
export const dropBytes = (memory: SplitMemory, from: number): void => {
  memory.buffer.copyWithin(0, from, memory.filled);
  memory.filled -= from;
};

/** Leaves the current memory to its chunk. Continues in memory of at least `bytes` bytes, with the bytes from `from` on. */
export const moveOn = (memory: SplitMemory, from: number, bytes: number): void => {
  const { spare, filled } = memory;
  const wanted = Math.max(bytes + slackBytes, filled - from);
  const fitting = spare.findIndex(({ length }) => length >= wanted);
  const next = fitting < 0 ? Buffer.allocUnsafeSlow(wanted) : spare.splice(fitting, 1)[0]!;
  memory.buffer.copy(next, 0, from, filled);
  memory.buffer = next;
  memory.filled = filled - from;
};

/** Keeps the memory of a released chunk for reuse, unless it is too small (a first chunk) or too large (a very large record). */
export const recycleMemory = ({ spare, chunkBytes }: SplitMemory, memory: ArrayBufferLike): void => {
  const fits = memory.byteLength >= chunkBytes + slackBytes && memory.byteLength <= 2 * chunkBytes;
  if (spare.length < 2 && fits) spare.push(Buffer.from(memory));
};
