/** The records of a chunk are one zstd frame. */
export { compressZstd as compressChunk, decompressZstd as decompressChunk } from '../../../lib/zstd.js';
