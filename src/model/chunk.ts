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

/** Where a chunk lies in Kafka. */
export interface ChunkPosition {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's 64-bit offset as decimal text. */
  readonly offset: string;
}

/** Short uploads do not wait behind long ones: they travel in a lane of their own. */
export type Lane = 'short' | 'bulk';
