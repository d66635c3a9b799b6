import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { type ChunkConsumer, createChunkConsumer } from '../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf, openProducer, subscribe, withAdmin } from '../../../src/storage/kafka/kafkajs/client.js';
import { createStickyAssigner } from '../../../src/storage/kafka/kafkajs/sticky-assigner.js';
import { connectKafka, createTopic } from '../../support/kafka.js';

let kafka: KafkaConnection;
let [topic, groupId] = ['', ''];

beforeEach(async () => {
  topic = `t${randomBytes(6).toString('hex')}.chunks`;
  groupId = `${topic}.group`;
  kafka = connectKafka(topic);
  await withAdmin(kafka, (admin) => createTopic(admin, topic, 2));
});

afterEach(() => withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] })));

const send = async (partition: number, value: string): Promise<void> => {
  const producer = await openProducer(kafka);
  await producer.send({ topic, messages: [{ partition, value }] });
  await producer.disconnect();
};

const group = async (): Promise<{ state: string; members: number }> => {
  const { groups } = await withAdmin(kafka, (admin) => admin.describeGroups([groupId]));
  return { state: groups[0]?.state ?? '', members: groups[0]?.members.length ?? 0 };
};

/** A consumer that crashes as often as told: kafkajs stops a consumer whose handler throws a TypeError. */
const start = async (crashes: number, fault = new TypeError('a fault of kafkajs')) => {
  const [joined, kept]: [string[], number[]] = [[], []];
  let left = crashes;
  let crash = (): void => undefined;
  const crashed = new Promise<void>((resolve) => {
    crash = resolve;
  });
  const consumer: ChunkConsumer = await createChunkConsumer({
    kafka,
    groupId,
    topicName: topic,
    atOnce: 1,
    handle: () => expect.unreachable('no message is a chunk'),
    onJoin: (memberId) => {
      joined.push(memberId);
    },
    deadLetters: {
      keep: async (_message, { partition }) => {
        left -= 1;
        crash();
        if (left >= 0) throw fault;
        kept.push(partition);
      },
      close: async () => undefined,
    },
    log: silentLog,
  });
  return { consumer, joined, kept, crashed };
};

it('a consumer that kafkajs stops joins again as another member, as often as needed', async () => {
  const { consumer, joined, kept } = await start(3);
  await send(0, 'not a chunk');
  await expect.poll(() => kept).toEqual([0]);
  expect(new Set(joined).size).toBe(4);
  await consumer.close();
  expect(await group()).toEqual({ state: 'Empty', members: 0 });
});

it.each([
  ['one that kafkajs gives up', false],
  ['one that kafkajs would restart', true],
])(
  'a consumer that is closed while it joins again does not stay in its group: %s',
  async (_which, retriable) => {
    const { consumer } = await start(1, Object.assign(new TypeError('a fault of kafkajs'), { retriable }));
    let goOn = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const [assigned, taken]: [number[], number[]] = [[], []];
    // A member that handles a message hears of a rebalance when it is done; all who join wait for it.
    const slow = clientOf(kafka).consumer({
      groupId,
      partitionAssigners: [createStickyAssigner(() => ({ worker: 'slow', held: [] }))],
      heartbeatInterval: 100,
      maxWaitTimeInMs: 100,
    });
    slow.on(slow.events.GROUP_JOIN, ({ payload }) => {
      assigned.splice(0, 2, ...(payload.memberAssignment[topic] ?? []));
    });
    await slow.connect();
    await subscribe(slow, topic);
    await slow.run({
      eachMessage: async ({ partition }) => {
        taken.push(partition);
        await blocked;
      },
    });
    await expect.poll(group).toEqual({ state: 'Stable', members: 2 });
    await expect.poll(() => assigned).toHaveLength(1);
    const own = assigned[0]!;
    await send(own, 'for the slow one');
    await expect.poll(() => taken).toContain(own);
    await send(1 - own, 'crash');
    await expect.poll(group).toEqual({ state: 'PreparingRebalance', members: 2 });
    const closed = consumer.close();
    goOn();
    await closed;
    expect((await group()).members).toBe(1);
    await expect.poll(() => assigned).toEqual([0, 1]);
    await slow.disconnect();
  },
);

it('a consumer leaves its group whenever it is closed after a crash', async () => {
  const fault = Object.assign(new TypeError('a fault of kafkajs'), { retriable: true });
  await send(0, 'not a chunk');
  for (let afterMs = 0; afterMs < 250; afterMs += 15) {
    const { consumer, crashed } = await start(1, fault);
    await crashed;
    await sleep(afterMs);
    await consumer.close();
    // One that still joins has not been counted yet.
    await sleep(200);
    expect(await group(), `closed after ${afterMs} ms`).toEqual({ state: 'Empty', members: 0 });
    groupId = `${topic}.${afterMs}`;
  }
});
