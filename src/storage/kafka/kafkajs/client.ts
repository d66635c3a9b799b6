import type { Admin, Consumer, Kafka, Message, Producer } from 'kafkajs';
import { Partitioners } from 'kafkajs';
import pRetry from 'p-retry';
import type { Log } from '../../../lib/log.js';

/** Connection to Kafka. Only `storage/kafka` knows that it uses kafkajs. */
export interface KafkaConnection {
  readonly kind: 'kafka';
}

const clients = new WeakMap<KafkaConnection, Kafka>();

export const connectionOf = (client: Kafka): KafkaConnection => {
  const connection: KafkaConnection = { kind: 'kafka' };
  clients.set(connection, client);
  return connection;
};

export const clientOf = (connection: KafkaConnection): Kafka => {
  const client = clients.get(connection);
  if (client === undefined) throw new Error('not a connection that createKafka has made');
  return client;
};

/** Runs work with a new admin client. */
export const withAdmin = async <T>(
  connection: KafkaConnection,
  run: (admin: Admin) => Promise<T>,
  options: Parameters<Kafka['admin']>[0] = {},
): Promise<T> => {
  const admin = clientOf(connection).admin(options);
  await admin.connect();
  try {
    return await run(admin);
  } finally {
    await admin.disconnect();
  }
};

/** A producer for messages whose partition is given or does not matter. */
export const openProducer = async (connection: KafkaConnection): Promise<Producer> => {
  const producer = clientOf(connection).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return producer;
};

/**
 * Sends a message, and returns its position once every in-sync replica has it.
 * @throws also if nothing was sent: kafkajs silently omits messages for a partition that is missing in its metadata.
 */
export const sendTo = async (
  producer: Producer,
  topic: string,
  message: Message,
): Promise<{ topic: string; partition: number; offset: string }> => {
  const [stored] = await producer.send({ topic, acks: -1, messages: [message] });
  if (stored?.baseOffset === undefined)
    throw new Error(
      `Kafka did not store the message for partition ${message.partition ?? 'any'} of ${topic}`,
    );
  return { topic, partition: stored.partition, offset: stored.baseOffset };
};

/**
 * Retries requests for metadata of topics, which kafkajs does not: a broker may not know yet a topic that was just created.
 * @throws the last error, after some ten seconds; at once an error that is not retriable.
 */
export const untilKnown = <T>(read: () => Promise<T>): Promise<T> =>
  pRetry(read, {
    retries: 15,
    minTimeout: 50,
    factor: 2,
    maxTimeout: 1_000,
    shouldRetry: ({ error }) => (error as { retriable?: unknown }).retriable === true,
  });

/** Subscribes from the beginning. */
export const subscribe = (consumer: Consumer, topic: string): Promise<void> =>
  untilKnown(() => consumer.subscribe({ topic, fromBeginning: true }));

/** Runs work with a consumer in an own group, which is deleted afterwards. The consumer does not join again after a failure. */
export const withEphemeralConsumer = async (
  connection: KafkaConnection,
  groupId: string,
  log: Log,
  work: (consumer: Consumer) => Promise<void>,
): Promise<void> => {
  const consumer = clientOf(connection).consumer({
    groupId,
    minBytes: 1,
    maxWaitTimeInMs: 500,
    maxBytesPerPartition: 1024 * 1024,
    sessionTimeout: 30_000,
    allowAutoTopicCreation: false,
    retry: { retries: 5, restartOnFailure: async () => false },
  });
  await consumer.connect();
  try {
    await work(consumer);
  } finally {
    await consumer.disconnect();
    await withAdmin(connection, (admin) => admin.deleteGroups([groupId])).catch((error: unknown) =>
      log.debug({ err: error, group: groupId }, 'ephemeral group left to expire'),
    );
  }
};
