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
  /** True for the last chunk of the upload, from which the number of chunks is known. */
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

/** Topics of chunks. Short uploads have their own topic, so that they do not wait behind long ones. */
export const chunkTopics = ['short', 'bulk'] as const;

export type ChunkTopic = (typeof chunkTopics)[number];

/** An upload of one chunk is short. */
export const topicFor = ({ number, last }: Pick<Chunk, 'number' | 'last'>): ChunkTopic =>
  last && number === 0 ? 'short' : 'bulk';

/** Maximum rows of a chunk; limits the memory of a worker for rows of a few bytes. */
export const maxChunkRows = 1_000_000;

/** Maximum raw bytes of a chunk: the upper limit of `CHUNK_BYTES`, so that lowering the setting refuses no chunk in flight. */
export const maxChunkRawBytes = 64 * 1024 * 1024;

const isCount = (value: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && value >= 0 && value <= most;

/** Name of a field of the chunk whose value is impossible; undefined: none. */
export const invalidFieldOf = (chunk: Omit<Chunk, 'data'>): keyof Chunk | undefined => {
  const { processId, number, firstRow, rows, firstLine, rawBytes } = chunk;
  if (!isCount(processId) || processId === 0) return 'processId';
  if (!isCount(number)) return 'number';
  if (!isCount(rawBytes, maxChunkRawBytes)) return 'rawBytes';
  // A record has at least one byte, except the last one, whose line end may be missing.
  if (!isCount(rows, Math.min(maxChunkRows, rawBytes + 1))) return 'rows';
  if (!isCount(firstRow, recordsPerUpload - rows)) return 'firstRow';
  if (!isCount(firstLine) || firstLine === 0) return 'firstLine';
  return undefined;
};
