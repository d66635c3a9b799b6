import type { ChunkPosition } from '../../model/chunk.js';
import type { KafkaConnection } from './connection.js';
import { openProducer, sendTo } from './kafkajs/client.js';

/** A message in the dead-letter topic. */
export interface DeadLetter {
  readonly origin: ChunkPosition;
  /** Position of the copy. */
  readonly copy: ChunkPosition;
  readonly reason: string;
  /** Size of the value. */
  readonly bytes: number;
}

type HeaderValue = Buffer | string;

/** A message that is kept or sent back. */
export interface KeptMessage {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, HeaderValue | HeaderValue[] | undefined>> | undefined;
}

/** Stores messages that cannot be used, with the reason and their origin. */
export interface DeadLetterProducer {
  /** @throws the error of Kafka or PostgreSQL: the caller must not commit the message before it is copied and recorded. */
  keep(message: KeptMessage, origin: ChunkPosition, reason: string): Promise<void>;
  close(): Promise<void>;
}

interface DeadLetterProducerOptions {
  readonly kafka: KafkaConnection;
  /** Name of the topic for dead letters. */
  readonly topicName: string;
  /** Records it for the operator. */
  readonly record: (letter: DeadLetter) => Promise<void>;
}

/** Added headers, which are removed from a message that is sent back. */
const addedHeaders = {
  reason: 'dead-letter-reason',
  at: 'dead-letter-at',
  topic: 'origin-topic',
  partition: 'origin-partition',
  offset: 'origin-offset',
  cut: 'dead-letter-cut',
} as const;

const ownHeaders = new Set<string>(Object.values(addedHeaders));

/** Header with the id that the message had among the dead letters. */
const replayedHeader = 'replayed-dead-letter';

/** Kept bytes of key and value of a message that is too large for the topic with its headers. */
const keptBytes = 64 * 1024;

/** The kept bytes of the message; the whole message stays at its origin until retention removes it. */
const headOf = ({ key, value }: KeptMessage): KeptMessage => ({
  key: key?.subarray(0, keptBytes) ?? null,
  value: value?.subarray(0, keptBytes) ?? null,
});

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error &&
  ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(Reflect.get(error, 'type'));

export const createDeadLetterProducer = async ({
  kafka,
  topicName: topic,
  record,
}: DeadLetterProducerOptions): Promise<DeadLetterProducer> => {
  const producer = await openProducer(kafka);
  return {
    async keep({ key, value, headers }, origin, reason) {
      const added = {
        [addedHeaders.reason]: reason,
        [addedHeaders.at]: new Date().toISOString(),
        [addedHeaders.topic]: origin.topic,
        [addedHeaders.partition]: String(origin.partition),
        [addedHeaders.offset]: origin.offset,
      };
      const copy = await sendTo(producer, topic, { key, value, headers: { ...headers, ...added } }).catch(
        (error: unknown) => {
          if (!isTooLarge(error)) throw error;
          const cut = { [addedHeaders.cut]: String(value?.length ?? 0) };
          return sendTo(producer, topic, { ...headOf({ key, value }), headers: { ...added, ...cut } });
        },
      );
      await record({ origin, copy, reason, bytes: value?.length ?? 0 });
    },
    close: () => producer.disconnect(),
  };
};

/**
 * Sends a dead letter back to its original partition, unchanged.
 * @throws the error of Kafka; the message may have arrived nevertheless.
 */
export const requeue = async (
  kafka: KafkaConnection,
  { key, value, headers }: KeptMessage,
  { topic, partition }: Pick<ChunkPosition, 'topic' | 'partition'>,
  id: number,
): Promise<void> => {
  const original = Object.fromEntries(
    Object.entries(headers ?? {}).filter(([name]) => !ownHeaders.has(name)),
  );
  const message = { partition, key, value, headers: { ...original, [replayedHeader]: String(id) } };
  const producer = await openProducer(kafka);
  try {
    await sendTo(producer, topic, message);
  } finally {
    await producer.disconnect();
  }
};
