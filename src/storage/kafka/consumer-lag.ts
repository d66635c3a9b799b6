import { type Admin, AssignerProtocol, type GroupDescription } from 'kafkajs';
import { chunkTopics } from '../../model/chunk.js';
import type { KafkaConnection } from './connection.js';
import { withAdmin } from './kafkajs/client.js';
import { readLogSizes } from './kafkajs/log-sizes.js';
import { stillHeld } from './kafkajs/still-held.js';
import { agesOf } from './message-age.js';
import type { TopicNames } from './topics.js';

/** Lag of a group in one partition. */
interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Messages that have not been handled. */
  readonly lag: number;
  /** Bytes of these messages, by the mean size of the partition; null if Kafka does not report the sizes of its logs. */
  readonly bytes: number | null;
  /** Age of the first of them in seconds, to an eighth of it; 0: there is none, or retention has just removed it. */
  readonly seconds: number;
}

/** One consumer of a group. */
interface MemberState {
  readonly member: string;
  /** Address of the consumer, as Kafka reports it. */
  readonly host: string;
  readonly partitions: readonly number[];
}

/** Consumers of a group. */
export interface GroupState {
  readonly group: string;
  /** State in Kafka: `Stable`, `PreparingRebalance`, `CompletingRebalance`, `Empty`, `Dead`. */
  readonly state: string;
  readonly members: number;
  /** Partitions assigned to the members in all. */
  readonly assigned: number;
  readonly assignments: readonly MemberState[];
}

export interface LogState {
  readonly lag: readonly PartitionLag[];
  readonly groups: readonly GroupState[];
}

interface LogStateOptions {
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly groupPrefix: string;
}

const logSizeWithinMs = 3_000;

/** A partition with a backlog, as Kafka reports it. */
interface PartitionBacklog {
  readonly partition: number;
  readonly lag: number;
  /** Messages in the partition. */
  readonly held: number;
}

/** Bytes of the backlog, by partition; undefined if Kafka does not report them, since sizes need a separate privilege. */
const bytesOf = async (
  kafka: KafkaConnection,
  topic: string,
  backlogs: readonly PartitionBacklog[],
): Promise<((backlog: PartitionBacklog) => number) | undefined> => {
  if (backlogs.every(({ lag }) => lag === 0)) return () => 0;
  try {
    const sizes = await readLogSizes(kafka, new Map([[topic, backlogs.length]]), logSizeWithinMs);
    return ({ partition, lag, held }) => {
      const size = sizes.find((one) => one.topic === topic && one.partition === partition)?.bytes ?? 0;
      return held === 0 ? 0 : Math.round((size * lag) / held);
    };
  } catch {
    // Not a fault: the answer shows that the bytes are unknown.
    return undefined;
  }
};

const lagOf = async (
  kafka: KafkaConnection,
  admin: Admin,
  group: string,
  topic: string,
): Promise<PartitionLag[]> => {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const backlogs = ends
    .map(({ partition, high, low }) => {
      const offset = BigInt(committed?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
      // Without a committed offset, or if retention has removed it, the group starts at the oldest message.
      const needed = offset < BigInt(low) ? BigInt(low) : offset;
      const held = Number(BigInt(high) - BigInt(low));
      return { partition, needed, held, lag: Math.max(0, Number(BigInt(high) - needed)) };
    })
    .sort((a, b) => a.partition - b.partition);
  const behind = backlogs.filter(({ lag }) => lag > 0);
  const ages = await agesOf(behind, async (ageMs) => {
    const firsts = await admin.fetchTopicOffsetsByTimestamp(topic, Math.round(Date.now() - ageMs));
    return new Map(firsts.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
  const held = new Set((await stillHeld(admin, topic, behind)).map(({ partition }) => partition));
  const bytes = await bytesOf(kafka, topic, backlogs);
  return backlogs.map((backlog) => {
    const { partition, lag } = backlog;
    const age = held.has(partition) ? (ages.get(partition) ?? 0) : 0;
    const seconds = Math.round(age / 1_000);
    return { group, topic, partition, lag, bytes: bytes?.(backlog) ?? null, seconds };
  });
};

const groupOf = ({ groupId, state, members }: GroupDescription): GroupState => {
  const assignments = members
    .map(({ memberId, clientHost, memberAssignment }): MemberState => {
      // A member that has just joined has no assignment yet.
      const assignment =
        memberAssignment.length === 0 ? null : AssignerProtocol.MemberAssignment.decode(memberAssignment);
      const partitions = Object.values(assignment?.assignment ?? {}).flat();
      return {
        member: memberId,
        host: clientHost.replace(/^\//, ''),
        partitions: partitions.sort((a, b) => a - b),
      };
    })
    .sort((a, b) => (a.member < b.member ? -1 : 1));
  const assigned = assignments.reduce((sum, { partitions }) => sum + partitions.length, 0);
  return { group: groupId, state, members: members.length, assigned, assignments };
};

/** Reads the state of the consumers from Kafka. Connects for this request only. */
export const readLogState = ({ kafka, topics, groupPrefix }: LogStateOptions): Promise<LogState> =>
  withAdmin(
    kafka,
    async (admin) => {
      const lag: PartitionLag[] = [];
      for (const topic of chunkTopics)
        lag.push(...(await lagOf(kafka, admin, `${groupPrefix}.${topic}`, topics[topic])));
      const names = chunkTopics.map((topic) => `${groupPrefix}.${topic}`);
      const { groups } = await admin.describeGroups(names);
      // Kafka returns them in any order.
      const inOrder = groups.sort((a, b) => names.indexOf(a.groupId) - names.indexOf(b.groupId));
      return { lag, groups: inOrder.map(groupOf) };
    },
    { retry: { retries: 1 } },
  );
