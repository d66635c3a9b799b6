import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { withAdmin } from '../../../src/storage/kafka/kafkajs/client.js';
import { explainRefusal } from '../../../src/storage/kafka/refusal.js';
import { ensureTopics, topicNames } from '../../../src/storage/kafka/topics.js';
import { connectKafka, settingsOf } from '../../support/kafka.js';

const prefix = `t${randomBytes(6).toString('hex')}`;
const options = {
  partitions: 2,
  replication: 1,
  retentionMs: 3_600_000,
  retentionBytes: 1 << 30,
  maxMessageBytes: 1 << 20,
};

it('topics are created once by processes that start at the same time', async () => {
  const names = topicNames(prefix);
  const start = (_: unknown, at: number): Promise<void> =>
    ensureTopics(connectKafka(`start-${at}`), names, options);
  await Promise.all(Array.from({ length: 8 }, start));
  await withAdmin(connectKafka('reader'), async (admin) => {
    const topics = Object.values(names);
    const { topics: made } = await admin.fetchTopicMetadata({ topics });
    expect(made.map(({ name, partitions }) => [name, partitions.length]).sort()).toEqual([
      [names.bulk, 2],
      [names.short, 2],
      [names.deadLetters, 1],
    ]);
    await admin.deleteTopics({ topics });
  });
});

it('topics that Kafka refuses are reported with the reason and the setting', async () => {
  const names = topicNames(`${prefix}.many`);
  const creation = explainRefusal(settingsOf(inject('kafka')), () =>
    ensureTopics(connectKafka('alone'), names, { ...options, replication: 10 }),
  );
  await expect(creation).rejects.toMatchObject({
    code: 'kafka_refused',
    message: expect.stringMatching(
      /^Kafka did not create t\w+\.many\.chunks\.bulk \(INVALID_REPLICATION_FACTOR: .*KAFKA_REPLICATION must not exceed/,
    ),
  });
});
