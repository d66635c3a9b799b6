import type { Admin } from 'kafkajs';
import type { ReaderPosition } from '../message-age.js';

/**
 * Chooses the positions whose message Kafka still has. To be called for messages that a search by time found to be old: a partition
 * that retention has emptied since its offsets were read is answered with its end, as one whose messages are all older.
 */
export const stillHeld = async (
  admin: Admin,
  topic: string,
  positions: readonly ReaderPosition[],
): Promise<ReaderPosition[]> => {
  if (positions.length === 0) return [];
  const offsets = await admin.fetchTopicOffsets(topic);
  const firsts = new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)]));
  return positions.filter(({ partition, needed }) => needed >= (firsts.get(partition) ?? needed));
};
