import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { patchKafkajs } from '../../../../../src/storage/kafka/kafkajs/patch.js';

const load = createRequire(import.meta.url);
const errors = load('kafkajs/src/errors.js');

interface Group {
  recoverFromFetch(error: Error): Promise<void>;
  heartbeat(options: { interval: number }): Promise<void>;
}

/** A member as kafkajs makes it, of a cluster and a coordinator that are given. */
const memberOf = (cluster: object, coordinator: object = {}): Group => {
  patchKafkajs();
  const ConsumerGroup = load('kafkajs/src/consumer/consumerGroup.js');
  const quiet = { namespace: () => quiet, debug: () => undefined, warn: () => undefined };
  const member = new ConsumerGroup({
    logger: quiet,
    cluster,
    topics: [],
    topicConfigurations: {},
    assigners: [],
  });
  return Object.assign(member, { coordinator, memberId: 'm', generationId: 1, lastRequest: 0 });
};

describe('a fetch', () => {
  it('that finds no connection asks for the brokers again, and does not end those from others', async () => {
    let refreshed = 0;
    const member = memberOf({
      refreshMetadata: async () => {
        refreshed += 1;
      },
    });
    const refusal = new errors.KafkaJSConnectionError('connect ECONNREFUSED', { broker: 'b:1' });
    await expect(member.recoverFromFetch(refusal)).resolves.toBeUndefined();
    expect(refreshed).toBe(1);
  });

  it('that fails otherwise is treated as kafkajs does it', async () => {
    const removed: object[] = [];
    const member = memberOf({ removeBroker: (broker: object) => removed.push(broker) });
    await member.recoverFromFetch(new errors.KafkaJSConnectionClosedError('closed', { host: 'b', port: 1 }));
    expect(removed).toEqual([{ host: 'b', port: 1 }]);
    await expect(member.recoverFromFetch(new Error('other'))).rejects.toThrow('other');
  });
});

describe('a heartbeat', () => {
  const beat = (failure: Error) =>
    memberOf(
      {},
      {
        heartbeat: async () => {
          throw failure;
        },
      },
    ).heartbeat({ interval: 0 });

  it('that does not reach the coordinator makes the member look for the new one', async () => {
    for (const failure of [
      new errors.KafkaJSConnectionError('connect ECONNREFUSED', { broker: 'b:1' }),
      new errors.KafkaJSConnectionClosedError('closed', { host: 'b', port: 1 }),
    ]) {
      const told = await beat(failure).catch((error: unknown) => error);
      expect(errors.isRebalancing(told)).toBe(true);
      expect(told).toMatchObject({ retriable: true, cause: failure });
    }
  });

  it('that the coordinator refuses fails as it did', async () => {
    const refusal = new errors.KafkaJSProtocolError({
      type: 'UNKNOWN_MEMBER_ID',
      code: 25,
      message: 'unknown',
    });
    await expect(beat(refusal)).rejects.toBe(refusal);
  });
});
