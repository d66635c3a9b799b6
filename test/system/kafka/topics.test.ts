import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../../../src/embedded/components.js';
import { answersApiVersions } from '../../../src/embedded/kafka-probe.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { countPartitions, ensureTopics, topicNames } from '../../../src/storage/kafka/topics.js';
import { connectKafka } from '../../support/kafka.js';
import type { KafkaAccess } from '../../support/services.js';

const folder = mkdtempSync(join(tmpdir(), 'tabulary-topics-'));
let access: KafkaAccess;

const options = {
  partitions: 2,
  replication: 3,
  retentionMs: 3_600_000,
  retentionBytes: 1 << 30,
  maxMessageBytes: 1 << 20,
};

let running = createScope(silentLog);

const startBrokers = async (): Promise<void> => {
  running = createScope(silentLog);
  const embedded = await startEmbedded({
    dataDir: join(folder, 'data'),
    need: { postgres: false, kafka: true, clickhouse: false },
    kafkaNodes: 3,
    log: silentLog,
    scope: running,
  });
  const { databaseUrl: _, clickhouseUrl: __, ...kafka } = embedded.access;
  access = kafka;
};

beforeAll(startBrokers);

afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true, force: true });
});

it('are made once by processes that start at the same time', async () => {
  const names = topicNames('together');
  await Promise.all(
    Array.from({ length: 8 }, (_, at) => ensureTopics(connectKafka(`start-${at}`, access), names, options)),
  );
  const kafka = connectKafka('reader', access);
  expect(await countPartitions(kafka, names.bulk)).toBe(2);
  expect(await countPartitions(kafka, names.deadLetters)).toBe(1);
});

it('wait for brokers that are still starting', async () => {
  await running.close();
  const starting = startBrokers();
  try {
    const port = Number(access.kafkaBrokers?.split(',')[0]?.split(':')[1]);
    // It answers before the controller counts it among those that can have replicas.
    await expect.poll(() => answersApiVersions(port, 1_000), { interval: 20 }).toBe(true);
    const names = topicNames('early');
    await ensureTopics(
      connectKafka('early', { ...access, kafkaBrokers: `127.0.0.1:${port}` }),
      names,
      options,
    );
    expect(await countPartitions(connectKafka('reader', access), names.short)).toBe(2);
  } finally {
    await starting;
  }
});

it('are refused with the name of each and what the brokers said, when too few brokers come', async () => {
  const making = ensureTopics(
    connectKafka('alone', access),
    topicNames('many'),
    { ...options, replication: 5 },
    2,
  );
  await expect(making).rejects.toThrow(
    /^Kafka did not create many\.chunks\.bulk \(INVALID_REPLICATION_FACTOR: .*KAFKA_REPLICATION is the number/,
  );
});
