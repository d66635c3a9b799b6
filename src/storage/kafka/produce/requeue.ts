import { type Kafka, Partitioners } from 'kafkajs';
import { deadLetterHeaders } from './dead-letters.js';

/** Header that tells of a message which number it had among the parked ones. */
const replayedHeader = 'replayed-parked-message';

/** What of a message is sent again. */
export interface ReturnedMessage {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a parked message back to the partition it came from, as it was.
 * @throws whatever Kafka threw; the message may have arrived then all the same.
 */
export const returnToLane = async (
  kafka: Kafka,
  message: ReturnedMessage,
  origin: { readonly topic: string; readonly partition: number },
  id: number,
): Promise<void> => {
  const ours = new Set<string>(Object.values(deadLetterHeaders));
  const headers = Object.fromEntries(Object.entries(message.headers).filter(([name]) => !ours.has(name)));
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  try {
    await producer.send({
      topic: origin.topic,
      acks: -1,
      messages: [
        {
          partition: origin.partition,
          key: message.key,
          value: message.value,
          headers: { ...headers, [replayedHeader]: String(id) },
        },
      ],
    });
  } finally {
    await producer.disconnect();
  }
};
