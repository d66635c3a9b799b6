import type { Admin } from 'kafkajs';
import type { KafkaConnection } from './connection.js';
import { withAdmin } from './kafkajs/client.js';
import type { TopicNames } from './topics.js';

/** How far a group is behind in one partition. */
export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Messages that were not handled yet. */
  readonly lag: number;
}

export interface LogState {
  readonly lag: readonly PartitionLag[];
}

export interface LogStateOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly groupPrefix: string;
}

const lagOf = async (admin: Admin, group: string, topic: string): Promise<PartitionLag[]> => {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  return ends
    .map(({ partition, high, low }) => {
      const offset = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
      // Nothing committed yet, or what was is gone by retention: the group starts at the oldest message.
      const from = Math.max(Number(offset), Number(low));
      return { group, topic, partition, lag: Math.max(0, Number(high) - from) };
    })
    .sort((a, b) => a.partition - b.partition);
};

/** What Kafka itself says about the consumers. Connects for the one question. */
export const readLogState = async ({ kafka, topics, groupPrefix }: LogStateOptions): Promise<LogState> => {
  const lag = await withAdmin(
    kafka,
    async (admin) => [
      ...(await lagOf(admin, `${groupPrefix}.short`, topics.short)),
      ...(await lagOf(admin, `${groupPrefix}.bulk`, topics.bulk)),
    ],
    { retry: { retries: 1 } },
  );
  return { lag };
};
