import { conflict } from '../../lib/errors.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import { type ChunkOwner, chunkOf, chunksExpired } from '../../storage/kafka/chunk-reader.js';
import type { RawMessage, TopicReader } from '../../storage/kafka/topic-reader.js';
import type { ChunkRecords } from '../lifecycle/chunk-records.js';
import type { ProcessRecords } from '../lifecycle/process-records.js';

/** An upload whose chunks are to be found. */
interface SoughtUpload {
  readonly processId: number;
  readonly createdAt: Date;
  /** Time at which its last chunk was in Kafka; null: not known. */
  readonly sealedAt: Date | null;
}

/** Finds the chunks of an upload in Kafka, including those that no worker has recorded. */
export interface ChunkDiscovery {
  /**
   * Records the position of every chunk of the upload.
   * @throws AppError 409 `chunks_expired` if retention has removed some; 409 `not_received` if the file was not received completely
   */
  find(upload: SoughtUpload): Promise<void>;
}

interface ChunkDiscoveryOptions {
  readonly reader: TopicReader;
  /** Topics of chunks. */
  readonly topics: readonly string[];
  readonly processes: Pick<ProcessRecords, 'state'>;
  readonly chunks: Pick<ChunkRecords, 'recordSeen' | 'positions'>;
}

/** Clocks of API processes and of the database may differ by this much. */
const clockSlackMs = 60_000;

export const createChunkDiscovery = ({
  reader,
  topics,
  processes,
  chunks,
}: ChunkDiscoveryOptions): ChunkDiscovery => {
  const isKept = async (positions: readonly ChunkPosition[]): Promise<boolean> => {
    for (const topic of new Set(positions.map((position) => position.topic))) {
      const first = await reader.firstOffsets(topic);
      const isIncomplete = positions.some(
        (at) => at.topic === topic && BigInt(at.offset) < (first.get(at.partition) ?? 0n),
      );
      if (isIncomplete) return false;
    }
    return true;
  };

  /** Returns undefined for a message that names the upload in its header and is not one of its chunks. */
  const ownChunk = (owner: ChunkOwner, message: RawMessage): Chunk | undefined => {
    try {
      return chunkOf(owner, message);
    } catch (error) {
      if (!(error instanceof ChunkFault)) throw error;
      return undefined;
    }
  };

  /** Searches a topic and records the chunks found. @returns true if all of them are recorded */
  const search = async (
    topic: string,
    { createdAt, sealedAt }: SoughtUpload,
    owner: ChunkOwner,
  ): Promise<boolean> => {
    const until = (sealedAt?.getTime() ?? Date.now()) + clockSlackMs;
    const ranges = await reader.ranges(topic, createdAt.getTime() - clockSlackMs, until);
    let whole = false;
    await reader.read(topic, ranges, async (message) => {
      const { headers, partition, offset } = message;
      const chunk = headers.process === String(owner.processId) ? ownChunk(owner, message) : undefined;
      if (chunk === undefined) return 'next';
      const { seen, chunkCount } = await chunks.recordSeen(chunk, { topic, partition, offset });
      whole = seen === chunkCount;
      return whole ? 'stop' : 'next';
    });
    return whole;
  };

  /** True if retention has removed messages that were written since the upload started. */
  const hasLost = async ({ createdAt }: SoughtUpload): Promise<boolean> => {
    for (const topic of topics) {
      const since = await reader.ranges(topic, createdAt.getTime(), Date.now());
      const first = await reader.firstOffsets(topic);
      if (since.some(({ partition, from }) => from > 0n && from === first.get(partition))) return true;
    }
    return false;
  };

  return {
    async find(upload) {
      const { processId } = upload;
      const state = await processes.state(processId);
      const known = await chunks.positions(processId);
      if (!(await isKept(known))) throw chunksExpired();
      if (state === undefined) throw new Error(`process ${processId} was deleted`);
      if (known.length === state.chunkCount) return;
      for (const topic of topics) if (await search(topic, upload, state)) return;
      if (await hasLost(upload)) throw chunksExpired();
      throw conflict(
        'not_received',
        `Process ${processId} cannot be replayed: its file was not received completely. Send it again.`,
      );
    },
  };
};
