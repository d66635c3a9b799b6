// The main entry of the package ignores the level (1.2.2) and would compress at level 3, at half the speed.
import { compress, decompress } from '@mongodb-js/zstd/bindings.js';
import { requireFrame } from './zstd-frame.js';

/** Fastest level that still finds matches: plain CSV becomes 3 times smaller. */
const level = 1;

/** One zstd frame (RFC 8878) of the bytes, made on the thread pool. */
export const compressZstd = (bytes: Buffer): Promise<Buffer> => compress(bytes, level);

/**
 * The content of a frame. Needs little more memory than twice `size`, even if the frame declares more.
 * @throws Error unless the bytes are one frame of exactly `size` bytes.
 */
export const decompressZstd = async (frame: Buffer, size: number): Promise<Buffer> => {
  requireFrame(frame, size);
  const bytes = await decompress(frame);
  if (bytes.length !== size) throw new Error(`the frame has ${bytes.length} bytes, not ${size}`);
  return bytes;
};
