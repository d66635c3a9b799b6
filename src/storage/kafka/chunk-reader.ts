import { type AppError, conflict, messageOf } from '../../lib/errors.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import { decodeChunk } from './chunk-codec.js';
import { requireGenuine } from './chunk-mac.js';
import type { OffsetRange, RawMessage, TopicReader } from './topic-reader.js';

/** The upload whose chunks are read. */
export interface ChunkOwner {
  readonly processId: number;
  /** Key that authenticates its chunks; null: they are not authenticated. */
  readonly chunkKey: Buffer | null;
}

/** Reads chunks of one upload again by their offsets, in the order in which Kafka returns them. */
export interface ChunkReader {
  /**
   * Calls `handle` for each position once, one after another, until it returns `stop`.
   * @throws AppError code `chunks_expired` if retention has removed some of them; ChunkFault `forged` if a message is not what was sent for
   *   the upload.
   */
  read(
    owner: ChunkOwner,
    positions: readonly ChunkPosition[],
    handle: (chunk: Chunk, position: ChunkPosition) => Promise<'next' | 'stop'>,
  ): Promise<void>;
}

const keyOf = ({ partition, offset }: Pick<ChunkPosition, 'partition' | 'offset'>): string =>
  `${partition}/${offset}`;

/** The chunk in the message. @throws ChunkFault `forged` unless it was sent for the upload. */
export const chunkOf = ({ processId, chunkKey }: ChunkOwner, message: RawMessage): Chunk => {
  let chunk: Chunk;
  try {
    if (message.value === null) throw new Error('the message has no value');
    chunk = decodeChunk(message.value);
  } catch (error) {
    throw new ChunkFault('forged', `the message is not a chunk: ${messageOf(error)}`, { cause: error });
  }
  if (chunk.processId !== processId) throw new ChunkFault('forged', 'the chunk belongs to another upload');
  requireGenuine(chunkKey, message);
  return chunk;
};

/** Error for an upload that cannot be replayed since retention has removed its chunks. */
export const chunksExpired = (): AppError =>
  conflict(
    'chunks_expired',
    'The upload cannot be replayed: the time for which received files are kept has passed.',
  );

/** Range from the first to the last position in each partition. */
const rangesOf = (positions: readonly ChunkPosition[]): OffsetRange[] => {
  const ranges = new Map<number, OffsetRange>();
  for (const { partition, offset } of positions) {
    const at = BigInt(offset);
    const { from, to } = ranges.get(partition) ?? { from: at, to: at + 1n };
    ranges.set(partition, { partition, from: at < from ? at : from, to: at >= to ? at + 1n : to });
  }
  return [...ranges.values()];
};

export const createChunkReader = (topics: TopicReader): ChunkReader => {
  const refuseExpired = async (topic: string, ranges: readonly OffsetRange[]): Promise<void> => {
    const first = await topics.firstOffsets(topic);
    if (ranges.every(({ partition, from }) => from >= (first.get(partition) ?? from + 1n))) return;
    throw chunksExpired();
  };

  return {
    async read(owner, positions, handle) {
      let stopped = false;
      for (const topic of new Set(positions.map((position) => position.topic))) {
        const wanted = positions.filter((position) => position.topic === topic);
        const ranges = rangesOf(wanted);
        await refuseExpired(topic, ranges);
        const left = new Set(wanted.map(keyOf));
        await topics.read(topic, ranges, async (message) => {
          if (!left.delete(keyOf(message))) return 'next';
          const { partition, offset } = message;
          const answer = await handle(chunkOf(owner, message), { topic, partition, offset });
          stopped = answer === 'stop';
          return answer;
        });
        if (stopped) return;
        if (left.size > 0) throw chunksExpired();
      }
    },
  };
};
