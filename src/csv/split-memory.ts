/** Bytes beyond a chunk's size, of which one tells CR from CRLF. */
const slackBytes = 8;
/** Bytes taken at a time, so that the rest after a cut, which has to be moved, stays small. */
const stepBytes = 64 << 10;

/**
 * Memory that a stream is read into and chunks are cut from; a chunk keeps the memory that it was read into. Plain
 * fields and functions, since the scan reads them once a record.
 */
export interface SplitMemory {
  buffer: Buffer;
  /** Bytes of `buffer` in use. */
  filled: number;
  readonly chunkBytes: number;
  /** Memory of released chunks. */
  readonly spare: Buffer[];
}

/** Size at first, before anything is known of the file: most are small. */
const firstBytes = 64 << 10;

/** @param chunkBytes size of a chunk but the first */
export const createSplitMemory = (firstChunkBytes: number, chunkBytes: number): SplitMemory => {
  const buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, firstChunkBytes) + slackBytes);
  return { buffer, filled: 0, chunkBytes, spare: [] };
};

/** Copies what fits, at most a step; returns how many bytes that were. */
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

/** Leaves the memory to the chunk in it and continues in another of at least `bytes`, with the bytes from `from` on. */
export const moveOn = (memory: SplitMemory, from: number, bytes: number): void => {
  const { spare, filled } = memory;
  const wanted = Math.max(bytes + slackBytes, filled - from);
  const fitting = spare.findIndex(({ length }) => length >= wanted);
  const next = fitting < 0 ? Buffer.allocUnsafeSlow(wanted) : spare.splice(fitting, 1)[0]!;
  memory.buffer.copy(next, 0, from, filled);
  memory.buffer = next;
  memory.filled = filled - from;
};

/** Takes memory back; that of a first chunk is too small, that of an outsize record too large to be kept. */
export const recycleMemory = ({ spare, chunkBytes }: SplitMemory, memory: ArrayBufferLike): void => {
  const fits = memory.byteLength >= chunkBytes + slackBytes && memory.byteLength <= 2 * chunkBytes;
  if (spare.length < 2 && fits) spare.push(Buffer.from(memory));
};
