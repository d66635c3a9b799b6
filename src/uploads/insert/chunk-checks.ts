/** Authenticates a chunk and decompresses its records. */

import { messageOf } from '../../lib/errors.js';
import { decompressZstd } from '../../lib/zstd.js';
import { type Chunk, type ChunkTopic, topicFor } from '../../model/chunk.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import { requireGenuine } from '../../storage/kafka/chunk-mac.js';
import type { Delivery } from '../../storage/kafka/delivery.js';
import { beforeAccepted } from '../../storage/postgres/process-states.js';
import type { UploadState } from '../lifecycle/process-records.js';

const forged = (message: string): ChunkFault => new ChunkFault('forged', message);

/**
 * Compares a chunk with the record of its upload. The partition is not compared: it depends on how many partitions the
 * topic had when the chunk was sent.
 * @throws ChunkFault `forged` for a chunk that the API did not send for this upload to this topic.
 */
export const requireOwn = ({ chunk, message }: Delivery, state: UploadState, topic: ChunkTopic): void => {
  const { phase, chunkKey, chunkCount } = state;
  if ((beforeAccepted as string[]).includes(phase))
    throw forged(`process ${chunk.processId} is reserved: no file was accepted for it`);
  requireGenuine(chunkKey, message);
  if (topicFor(chunk) !== topic)
    throw forged(`chunk ${chunk.number} belongs to the topic ${topicFor(chunk)}`);
  if (chunkCount === null) return;
  if (chunk.number >= chunkCount || chunk.last !== (chunk.number === chunkCount - 1))
    throw forged(`chunk ${chunk.number} does not fit an upload of ${chunkCount} chunks`);
};

/** Decompresses a chunk. @throws ChunkFault `content` if the data are not one zstd frame of the announced size */
export const recordsOf = async ({ data, rawBytes }: Chunk): Promise<Buffer> => {
  try {
    return await decompressZstd(data, rawBytes);
  } catch (error) {
    throw new ChunkFault('content', `the data cannot be decompressed: ${messageOf(error)}`, { cause: error });
  }
};
