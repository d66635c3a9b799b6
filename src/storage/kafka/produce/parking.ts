import { type Kafka, type KafkaMessage, Partitioners } from 'kafkajs';
import type { ChunkPosition } from '../../../model/chunk.js';

/** A message that lies in the dead-letter topic. */
export interface ParkedMessage {
  readonly origin: ChunkPosition;
  /** Where the copy lies. */
  readonly copy: ChunkPosition;
  readonly reason: string;
  /** Size of the value. */
  readonly bytes: number;
}

/** Keeps messages that can not be understood, with the reason and where they came from. */
export interface Parking {
  /** @throws whatever went wrong: the caller must not go past the message before it is parked and written down. */
  park(message: KafkaMessage, origin: ChunkPosition, reason: string): Promise<void>;
  close(): Promise<void>;
}

export interface ParkingOptions {
  readonly kafka: Kafka;
  /** Topic that holds parked messages. */
  readonly topic: string;
  /** Writes it down for the operator. */
  readonly record: (parked: ParkedMessage) => Promise<void>;
}

/** Headers that parking adds; a message that goes back leaves them behind. */
export const parkingHeaders = {
  reason: 'parked-reason',
  at: 'parked-at',
  topic: 'origin-topic',
  partition: 'origin-partition',
  offset: 'origin-offset',
} as const;

export const createParking = async ({ kafka, topic, record }: ParkingOptions): Promise<Parking> => {
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
              [parkingHeaders.reason]: reason,
              [parkingHeaders.at]: new Date().toISOString(),
              [parkingHeaders.topic]: origin.topic,
              [parkingHeaders.partition]: String(origin.partition),
              [parkingHeaders.offset]: origin.offset,
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
