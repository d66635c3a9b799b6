import { type Kafka, type KafkaMessage, Partitioners } from 'kafkajs';
import type { ChunkPosition } from '../../../model/chunk.js';

/** A message that lies in the dead-letter topic. */
export interface DeadLetter {
  readonly origin: ChunkPosition;
  /** Where the copy lies. */
  readonly copy: ChunkPosition;
  readonly reason: string;
  /** Size of the value. */
  readonly bytes: number;
}

/** Keeps messages that can not be understood, with the reason and where they came from. */
export interface DeadLetterProducer {
  /** @throws whatever went wrong: the caller must not go past the message before it is parked and written down. */
  park(message: KafkaMessage, origin: ChunkPosition, reason: string): Promise<void>;
  close(): Promise<void>;
}

export interface DeadLetterProducerOptions {
  readonly kafka: Kafka;
  /** Topic that holds parked messages. */
  readonly topic: string;
  /** Writes it down for the operator. */
  readonly record: (parked: DeadLetter) => Promise<void>;
}

/** Headers that parking adds; a message that goes back leaves them behind. */
export const deadLetterHeaders = {
  reason: 'parked-reason',
  at: 'parked-at',
  topic: 'origin-topic',
  partition: 'origin-partition',
  offset: 'origin-offset',
} as const;

export const createDeadLetterProducer = async ({
  kafka,
  topic,
  record,
}: DeadLetterProducerOptions): Promise<DeadLetterProducer> => {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return {
    async park(message, origin, reason) {
      const [stored] = await producer.send({
        topic,
        acks: -1,
        messages: [
          {
            key: message.key,
            value: message.value,
            headers: {
              ...message.headers,
              [deadLetterHeaders.reason]: reason,
              [deadLetterHeaders.at]: new Date().toISOString(),
              [deadLetterHeaders.topic]: origin.topic,
              [deadLetterHeaders.partition]: String(origin.partition),
              [deadLetterHeaders.offset]: origin.offset,
            },
          },
        ],
      });
      if (stored?.baseOffset === undefined) throw new Error('Kafka did not say where a parked message lies');
      const copy = { topic, partition: stored.partition, offset: stored.baseOffset };
      await record({ origin, copy, reason, bytes: message.value?.length ?? 0 });
    },
    close: () => producer.disconnect(),
  };
};
