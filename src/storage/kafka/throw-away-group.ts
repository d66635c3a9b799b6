import type { Kafka } from 'kafkajs';
import type { Log } from '../../lib/log.js';

/** Deletes a consumer group that was made for one reading. One that can not be deleted expires by itself. */
export const forgetGroup = async (kafka: Kafka, groupId: string, log: Log): Promise<void> => {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch (error) {
    log.debug({ err: error, groupId }, 'throw-away group left to expire');
  } finally {
    await admin.disconnect();
  }
};
