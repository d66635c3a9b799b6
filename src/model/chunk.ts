import { recordsPerUpload } from './position.js';

/** A run of whole CSV records of one upload: one Kafka message, one insert, one block, one token. */
export interface Chunk {
  readonly processId: number;
  /** Position of the chunk in its upload, from 0. */
  readonly number: number;
  /** Position of its first record among the data rows, from 0. */
  readonly firstRow: number;
  readonly rows: number;
  /** Physical line of its first record, from 1; the header is line 1. */
  readonly firstLine: number;
  /** True for the last chunk of the upload: with it the number of chunks is known. */
  readonly last: boolean;
  /** Size of the records before compression. */
  readonly rawBytes: number;
  /** The records, one zstd frame. */
  readonly data: Buffer;
}

/** Position of a chunk in Kafka. */
export interface ChunkPosition {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's 64-bit offset as decimal text. */
  readonly offset: string;
}

/** Topics of chunks: short uploads have their own, so that they do not wait behind long ones. */
export const chunkTopics = ['short', 'bulk'] as const;

export type ChunkTopic = (typeof chunkTopics)[number];

/** An upload of one chunk is short. */
export const topicFor = ({ number, last }: Pick<Chunk, 'number' | 'last'>): ChunkTopic =>
  last && number === 0 ? 'short' : 'bulk';

/** Rows of a chunk: bounds what a worker needs for rows of a few bytes. */
export const maxChunkRows = 1_000_000;

/** Raw bytes of a chunk: the most that `CHUNK_BYTES` may be set to, so that a lower setting refuses no chunk on its way. */
export const maxChunkRawBytes = 64 * 1024 * 1024;

const isCount = (value: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && value >= 0 && value <= most;

/** Name of a field of the chunk whose value no upload has; undefined: none. */
export const invalidFieldOf = (chunk: Omit<Chunk, 'data'>): keyof Chunk | undefined => {
  const { processId, number, firstRow, rows, firstLine, rawBytes } = chunk;
  if (!isCount(processId) || processId === 0) return 'processId';
  if (!isCount(number)) return 'number';
  if (!isCount(rawBytes, maxChunkRawBytes)) return 'rawBytes';
  // A record takes a byte at least, but for the last one, whose line end may be missing.
  if (!isCount(rows, Math.min(maxChunkRows, rawBytes + 1))) return 'rows';
  if (!isCount(firstRow, recordsPerUpload - rows)) return 'firstRow';
  if (!isCount(firstLine) || firstLine === 0) return 'firstLine';
  return undefined;
};
