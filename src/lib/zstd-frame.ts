/** Reads the structure of a zstd frame (RFC 8878, 3.1.1) without decompressing it, since a few bytes can make a decoder fill the memory. */

const magic = 0xfd2fb528;
const maxBlockBytes = 128 * 1024;
/** Frames with a larger decoder window are refused; ours need at most 512 KiB. */
const maxWindowBytes = 8 * 1024 * 1024;

const blockTypes = ['raw', 'rle', 'compressed', 'reserved'] as const;

interface FrameHeader {
  readonly end: number;
  readonly windowBytes: number;
  /** Size of the content; undefined if the frame does not declare it. */
  readonly contentBytes: number | undefined;
  readonly hasChecksum: boolean;
}

const contentSizeBytes = (flag: number, isSingleSegment: boolean): number =>
  flag === 0 ? (isSingleSegment ? 1 : 0) : 2 ** flag;

const readLength = (frame: Buffer, at: number, bytes: number): number => {
  if (bytes === 8) return Number(frame.readBigUInt64LE(at));
  const size = frame.readUIntLE(at, bytes);
  return bytes === 2 ? size + 256 : size;
};

const windowSize = (descriptor: number): number => {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
};

const readHeader = (frame: Buffer): FrameHeader => {
  if (frame.readUInt32LE(0) !== magic) throw new Error('it is not a zstd frame');
  const descriptor = frame.readUInt8(4);
  if ((descriptor & 0b11) !== 0) throw new Error('the frame needs a dictionary');
  if ((descriptor & 0b1000) !== 0) throw new Error('the frame uses a reserved bit');
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const sizeAt = isSingleSegment ? 5 : 6;
  const sizeBytes = contentSizeBytes(descriptor >> 6, isSingleSegment);
  const contentBytes = sizeBytes === 0 ? undefined : readLength(frame, sizeAt, sizeBytes);
  return {
    end: sizeAt + sizeBytes,
    windowBytes: isSingleSegment ? (contentBytes ?? 0) : windowSize(frame.readUInt8(5)),
    contentBytes,
    hasChecksum: (descriptor & 0b100) !== 0,
  };
};

interface FrameBlocks {
  readonly end: number;
  /** Maximum bytes of the decompressed blocks. */
  readonly maxBytes: number;
}

const readBlocks = (frame: Buffer, start: number): FrameBlocks => {
  let maxBytes = 0;
  for (let at = start; ; ) {
    const header = frame.readUIntLE(at, 3);
    const size = header >> 3;
    const type = blockTypes[(header >> 1) & 0b11];
    if (type === 'reserved' || size > maxBlockBytes) throw new Error('a block of the frame is not valid');
    maxBytes += type === 'compressed' ? maxBlockBytes : size;
    at += 3 + (type === 'rle' ? 1 : size);
    if ((header & 1) === 1) return { end: at, maxBytes };
  }
};

/** Maximum bytes to allocate: twice the content plus two blocks, since a compressor may split its input into blocks that are not full. */
const maxBytesOf = (size: number): number => 2 * size + 2 * maxBlockBytes;

/**
 * @throws Error unless the bytes are exactly one frame, without a dictionary, that decompresses to `size` bytes and to few more at most.
 */
export const requireFrame = (frame: Buffer, size: number): void => {
  // A header that ends too early is a RangeError of the buffer.
  const { end, windowBytes, contentBytes, hasChecksum } = readHeader(frame);
  if (contentBytes !== undefined && contentBytes !== size)
    throw new Error(`the frame has ${contentBytes} bytes, not ${size}`);
  if (windowBytes > Math.max(maxWindowBytes, size)) throw new Error('the window of the frame is too large');
  const blocks = readBlocks(frame, end);
  if (blocks.end + (hasChecksum ? 4 : 0) !== frame.length)
    throw new Error('the bytes are not exactly one frame');
  if (blocks.maxBytes < size) throw new Error(`the frame has at most ${blocks.maxBytes} bytes, not ${size}`);
  if (blocks.maxBytes > maxBytesOf(size)) throw new Error(`the frame may have many more than ${size} bytes`);
};
