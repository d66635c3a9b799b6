import { type Kafka, type KafkaMessage, Partitioners } from 'kafkajs';
import type { ChunkPosition } from '../../model/chunk.js';

/** Keeps messages that can not be understood, with the reason and where they came from. */
export interface Parking {
  /** @throws whatever Kafka threw: the caller must not go past the message before it is parked. */
  park(message: KafkaMessage, origin: ChunkPosition, reason: string): Promise<void>;
  close(): Promise<void>;
}

export interface ParkingOptions {
  readonly kafka: Kafka;
  /** Topic that holds parked messages. */
  readonly topic: string;
  /** Called for each parked message, to count it. */
  readonly onParked: (origin: ChunkPosition, reason: string) => void;
}

export const createParking = async ({ kafka, topic, onParked }: ParkingOptions): Promise<Parking> => {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return {
    async park(message, origin, reason) {
      await producer.send({
        topic,
        acks: -1,
        messages: [
          {
            key: message.key,
            value: message.value,
            headers: {
              ...message.headers,
              'parked-reason': reason,
              'parked-at': new Date().toISOString(),
              'origin-topic': origin.topic,
              'origin-partition': String(origin.partition),
              'origin-offset': origin.offset,
            },
          },
        ],
      });
      onParked(origin, reason);
    },
    close: () => producer.disconnect(),
  };
};
