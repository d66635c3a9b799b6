import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { type BacklogMonitor, openBacklogMonitor } from '../../../src/storage/kafka/backlog.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { readLogState } from '../../../src/storage/kafka/consumer-lag.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { createTopicReader } from '../../../src/storage/kafka/topic-reader.js';
import { ensureTopics, topicNames } from '../../../src/storage/kafka/topics.js';
import { connectKafka } from '../../support/kafka.js';

const groupPrefix = `t${randomBytes(6).toString('hex')}`;
const topics = topicNames(groupPrefix);
const partitions = 2;
const rounds = 60;

let kafka: KafkaConnection;
let admin: Admin;
let monitor: BacklogMonitor;

beforeAll(async () => {
  kafka = connectKafka('deletion-test');
  admin = clientOf(kafka).admin();
  await admin.connect();
  await ensureTopics(kafka, topics, {
    partitions,
    replication: 1,
    retentionMs: 3_600_000,
    retentionBytes: 1 << 30,
    maxMessageBytes: 1 << 20,
  });
  monitor = await openBacklogMonitor({
    kafka,
    topics,
    groupPrefix,
    ageShare: 0.5,
    lateMs: 600_000,
    log: silentLog,
  });
});

afterAll(async () => {
  await monitor.close();
  await admin.deleteTopics({ topics: Object.values(topics) });
  await admin.disconnect();
});

/** Waits until Kafka answers: it refuses the first requests for offsets of its first group. */
const untilReady = async (): Promise<void> => {
  const isReady = (): Promise<boolean> =>
    monitor.probe([]).then(
      () => true,
      () => false,
    );
  await expect.poll(isReady).toBe(true);
};

/** Runs a look that nothing disturbs. @returns what it saw, and how many of the shortest pauses fit into it. */
const lookUndisturbed = async <T>(look: () => Promise<T>): Promise<{ saw: T; pauses: number }> => {
  let pauses = 0;
  const timer = setInterval(() => {
    pauses += 1;
  }, 1);
  try {
    return { saw: await look(), pauses };
  } finally {
    clearInterval(timer);
  }
};

/** Sends new messages and looks, then sends and deletes some while `look` reads: first at its begin, then later and later. */
const lookWhileDeleted = async <T>(look: () => Promise<T>): Promise<T[]> => {
  await untilReady();
  const producer = clientOf(kafka).producer();
  await producer.connect();
  const messages = Array.from({ length: 4 }, (_, at) => ({ value: 'new', partition: at % partitions }));
  await producer.send({ topic: topics.bulk, messages });
  const { saw, pauses } = await lookUndisturbed(look);
  const seen = [saw];
  for (let round = 0; round < rounds; round += 1) {
    await producer.send({ topic: topics.bulk, messages });
    const ends = await admin.fetchTopicOffsets(topics.bulk);
    const looking = look();
    for (let pause = 0; pause < (pauses * round) / rounds; pause += 1) await sleep(1);
    await admin.deleteTopicRecords({
      topic: topics.bulk,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    seen.push(await looking);
  }
  await producer.disconnect();
  return seen;
};

it('messages that Kafka deletes while the backlog is read do not count as old', async () => {
  const probes = (await lookWhileDeleted(() => monitor.probe([]))).flat();
  expect(probes.filter(({ late, overdue }) => late || overdue)).toEqual([]);
  expect(probes.some(({ waiting }) => waiting > 0)).toBe(true);
});

it('messages that Kafka deletes while their age is read do not count as old', async () => {
  const states = await lookWhileDeleted(() => readLogState({ kafka, topics, groupPrefix }));
  const lags = states.flatMap(({ lag }) => lag);
  expect(lags.filter(({ seconds }) => seconds > 60)).toEqual([]);
  expect(lags.some(({ lag }) => lag > 0)).toBe(true);
});

/** Sends messages to the first partition of a topic. @returns the offset behind them. */
const sendShort = async (values: readonly string[]): Promise<bigint> => {
  const producer = clientOf(kafka).producer();
  await producer.connect();
  const messages = values.map((value) => ({ value, partition: 0 }));
  await producer.send({ topic: topics.short, messages });
  await producer.disconnect();
  const ends = await admin.fetchTopicOffsets(topics.short);
  return BigInt(ends.find(({ partition }) => partition === 0)?.high ?? 0);
};

it('a reader ends where the messages that it waits for do not exist', async () => {
  const reader = createTopicReader({ kafka, groupPrefix, log: silentLog, lostAfterMs: 200 });
  const high = await sendShort(['one', 'two']);
  const seen: string[] = [];
  const read = (from: bigint, to: bigint): Promise<void> =>
    reader.read(topics.short, [{ partition: 0, from, to }], async ({ value }) => {
      seen.push(String(value));
      return 'next';
    });
  await read(high - 2n, high + 5n);
  await read(high + 5n, high + 6n);
  expect(seen.slice(0, 2)).toEqual(['one', 'two']);
});

it('a reader that joins late reads what is left of a range whose end is lost', async () => {
  const late = connectKafka('late-reader');
  const client = clientOf(late);
  let looks = 0;
  let goOn = (): void => undefined;
  const looked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { admin: openAdmin, consumer: openConsumer } = client;
  // The reader gives up what is lost at the second look at the offsets.
  client.admin = (options) => {
    const opened = openAdmin.call(client, options);
    const { disconnect } = opened;
    return Object.assign(opened, {
      disconnect: async () => {
        await disconnect();
        looks += 1;
        if (looks === 2) goOn();
      },
    });
  };
  client.consumer = (options) => {
    const opened = openConsumer.call(client, options);
    const { run } = opened;
    return Object.assign(opened, {
      run: async (config: Parameters<typeof run>[0]) => {
        await looked;
        await run(config);
      },
    });
  };
  const reader = createTopicReader({ kafka: late, groupPrefix, log: silentLog, lostAfterMs: 50 });
  const high = await sendShort(['one', 'two']);
  const seen: string[] = [];
  await reader.read(topics.short, [{ partition: 0, from: high - 2n, to: high + 5n }], async ({ value }) => {
    seen.push(String(value));
    return 'next';
  });
  expect(seen).toEqual(['one', 'two']);
});
