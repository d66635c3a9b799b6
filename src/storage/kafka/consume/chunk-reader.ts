import { randomUUID } from 'node:crypto';
import type { Consumer, Kafka } from 'kafkajs';
import { AppError } from '../../../lib/errors.js';
import type { Log } from '../../../lib/log.js';
import type { Chunk, ChunkPosition } from '../../../model/chunk.js';
import { decodeChunk } from '../wire/chunk-codec.js';
import { ephemeralConsumer, forgetGroup } from './ephemeral-consumer.js';
import { subscribe } from './subscription.js';

/** Reads chunks again from where they lie, in whatever order Kafka gives them. */
export interface ChunkReader {
  /**
   * Calls `handle` once for each position, one after the other, until it gives `stop`.
   * @throws AppError code `chunks_expired` when retention has removed some of them.
   */
  read(
    positions: readonly ChunkPosition[],
    handle: (chunk: Chunk, position: ChunkPosition) => Promise<'next' | 'stop'>,
  ): Promise<void>;
}

export interface ChunkReaderOptions {
  readonly kafka: Kafka;
  /** Start of the name of the throw-away consumer groups. */
  readonly groupPrefix: string;
  readonly log: Log;
}

interface Wanted {
  readonly offsets: Set<string>;
  first: bigint;
  last: bigint;
}

const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`;

const group = (
  positions: readonly ChunkPosition[],
): Map<string, Wanted & { topic: string; partition: number }> => {
  const wanted = new Map<string, Wanted & { topic: string; partition: number }>();
  for (const { topic, partition, offset } of positions) {
    const key = keyOf(topic, partition);
    const at = BigInt(offset);
    const entry = wanted.get(key) ?? { topic, partition, offsets: new Set<string>(), first: at, last: at };
    entry.offsets.add(offset);
    if (at < entry.first) entry.first = at;
    if (at > entry.last) entry.last = at;
    wanted.set(key, entry);
  }
  return wanted;
};

type Groups = ReturnType<typeof group>;

export const createChunkReader = ({ kafka, groupPrefix, log }: ChunkReaderOptions): ChunkReader => {
  const refuseExpired = async (groups: Groups): Promise<void> => {
    const admin = kafka.admin();
    await admin.connect();
    try {
      for (const topic of new Set([...groups.values()].map((entry) => entry.topic))) {
        for (const { partition, low } of await admin.fetchTopicOffsets(topic)) {
          const entry = groups.get(keyOf(topic, partition));
          if (entry !== undefined && entry.first < BigInt(low)) {
            throw new AppError(
              'conflict',
              'chunks_expired',
              'The upload can not be replayed: the time for which received files are kept has passed.',
            );
          }
        }
      }
    } finally {
      await admin.disconnect();
    }
  };

  const consume = (consumer: Consumer, groups: Groups, handle: Parameters<ChunkReader['read']>[1]) =>
    new Promise<void>((resolve, reject) => {
      let left = [...groups.values()].reduce((sum, entry) => sum + entry.offsets.size, 0);
      const seekAll = () => {
        for (const { topic, partition, first } of groups.values()) {
          consumer.seek({ topic, partition, offset: String(first) });
        }
      };
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
        for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
          const unused = partitions.filter((partition) => !groups.has(keyOf(topic, partition)));
          if (unused.length > 0) consumer.pause([{ topic, partitions: unused }]);
        }
        seekAll();
      });
      consumer
        .run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: async ({ batch, heartbeat, resolveOffset, isStale, isRunning }) => {
            const entry = groups.get(keyOf(batch.topic, batch.partition));
            const timer = setInterval(() => {
              heartbeat().catch((error: unknown) =>
                log.debug({ err: error }, 'heartbeat of a replay failed'),
              );
            }, 2_000);
            try {
              for (const message of batch.messages) {
                if (isStale() || !isRunning()) return;
                // Messages of other uploads may follow in the same batch.
                if (left === 0) break;
                if (entry?.offsets.has(message.offset) && message.value !== null) {
                  const position = { topic: batch.topic, partition: batch.partition, offset: message.offset };
                  const answer = await handle(decodeChunk(message.value), position);
                  entry.offsets.delete(message.offset);
                  left = answer === 'stop' ? 0 : left - 1;
                }
                resolveOffset(message.offset);
              }
              if (entry === undefined || entry.offsets.size === 0) {
                consumer.pause([{ topic: batch.topic, partitions: [batch.partition] }]);
              }
              if (left === 0) resolve();
            } catch (error) {
              reject(error);
              throw error;
            } finally {
              clearInterval(timer);
            }
          },
        })
        .catch(reject);
    });

  return {
    async read(positions, handle) {
      if (positions.length === 0) return;
      const groups = group(positions);
      await refuseExpired(groups);
      const groupId = `${groupPrefix}.replay.${randomUUID()}`;
      const consumer = ephemeralConsumer(kafka, groupId);
      await consumer.connect();
      try {
        for (const topic of new Set(positions.map((position) => position.topic))) {
          await subscribe(consumer, topic);
        }
        await consume(consumer, groups, handle);
      } finally {
        await consumer.disconnect();
        await forgetGroup(kafka, groupId, log);
      }
    },
  };
};
