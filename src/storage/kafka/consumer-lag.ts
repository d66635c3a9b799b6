import { type Admin, AssignerProtocol, type GroupDescription } from 'kafkajs';
import type { Lane } from '../../model/chunk.js';
import type { KafkaConnection } from './connection.js';
import { withAdmin } from './kafkajs/client.js';
import { agesOf } from './message-age.js';
import { type TopicNames, topicOf } from './topics.js';

/** How far a group is behind in one partition. */
export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Messages that were not handled yet. */
  readonly lag: number;
  /** Age of the first of them in seconds, to an eighth of it; 0 without one. */
  readonly seconds: number;
}

/** Who reads for a group. */
export interface GroupState {
  readonly group: string;
  readonly members: number;
  /** Partitions that the members have, all together. */
  readonly assigned: number;
}

export interface LogState {
  readonly lag: readonly PartitionLag[];
  readonly groups: readonly GroupState[];
}

export interface LogStateOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly groupPrefix: string;
}

const lanes: readonly Lane[] = ['short', 'bulk'];

const lagOf = async (admin: Admin, group: string, topic: string): Promise<PartitionLag[]> => {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const places = ends
    .map(({ partition, high, low }) => {
      const offset = BigInt(committed?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
      // Nothing committed yet, or what was is gone by retention: the group starts at the oldest message.
      const needed = offset < BigInt(low) ? BigInt(low) : offset;
      return { partition, needed, lag: Math.max(0, Number(BigInt(high) - needed)) };
    })
    .sort((a, b) => a.partition - b.partition);
  const ages = await agesOf(
    places.filter(({ lag }) => lag > 0),
    async (ageMs) => {
      const firsts = await admin.fetchTopicOffsetsByTimestamp(topic, Math.round(Date.now() - ageMs));
      return new Map(firsts.map(({ partition, offset }) => [partition, BigInt(offset)]));
    },
  );
  return places.map(({ partition, lag }) => {
    const seconds = Math.round((ages.get(partition) ?? 0) / 1_000);
    return { group, topic, partition, lag, seconds };
  });
};

const groupOf = ({ groupId, members }: GroupDescription): GroupState => {
  const assigned = members.flatMap(({ memberAssignment }) => {
    // A member that has just joined has none yet.
    const assignment =
      memberAssignment.length === 0 ? null : AssignerProtocol.MemberAssignment.decode(memberAssignment);
    return Object.values(assignment?.assignment ?? {}).flat();
  });
  return { group: groupId, members: members.length, assigned: assigned.length };
};

/** What Kafka itself says about the consumers. Connects for the one question. */
export const readLogState = ({ kafka, topics, groupPrefix }: LogStateOptions): Promise<LogState> =>
  withAdmin(
    kafka,
    async (admin) => {
      const lag: PartitionLag[] = [];
      for (const lane of lanes)
        lag.push(...(await lagOf(admin, `${groupPrefix}.${lane}`, topicOf(topics, lane))));
      const { groups } = await admin.describeGroups(lanes.map((lane) => `${groupPrefix}.${lane}`));
      return { lag, groups: groups.map(groupOf) };
    },
    { retry: { retries: 1 } },
  );
