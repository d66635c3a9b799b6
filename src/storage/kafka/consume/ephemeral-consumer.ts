import type { Consumer, Kafka } from 'kafkajs';
import type { Log } from '../../../lib/log.js';

/** A consumer for one reading, in a group of its own; it does not join again after a failure. */
export const ephemeralConsumer = (kafka: Kafka, groupId: string): Consumer =>
  kafka.consumer({
    groupId,
    minBytes: 1,
    maxWaitTimeInMs: 500,
    maxBytesPerPartition: 1024 * 1024,
    sessionTimeout: 30_000,
    allowAutoTopicCreation: false,
    retry: { retries: 5, restartOnFailure: async () => false },
  });

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
