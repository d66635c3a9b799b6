import type { KafkaConnection } from './connection.js';
import { withCluster } from './kafkajs/raw-request.js';

/** A member of a consumer group, with their names in Kafka. */
interface GroupMember {
  readonly groupId: string;
  readonly memberId: string;
}

/** Removes members from their groups, as if they had left. Unknown members are ignored. */
export const removeMembers = (kafka: KafkaConnection, members: readonly GroupMember[]): Promise<void> =>
  withCluster(kafka, async (cluster) => {
    for (const { groupId, memberId } of members) {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      try {
        await coordinator.leaveGroup({ groupId, memberId });
      } catch (error) {
        if ((error as { type?: unknown }).type !== 'UNKNOWN_MEMBER_ID') throw error;
      }
    }
  });
