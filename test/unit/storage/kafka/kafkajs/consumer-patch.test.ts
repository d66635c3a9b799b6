import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { patchKafkajs } from '../../../../../src/storage/kafka/kafkajs/patch.js';

const load = createRequire(import.meta.url);
const errors = load('kafkajs/src/errors.js');

interface Group {
  recoverFromFetch(error: Error): Promise<void>;
  heartbeat(options: { interval: number }): Promise<void>;
}

/** Group member of kafkajs with the given cluster and coordinator. */
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
  it('that cannot connect refreshes the metadata and does not fail', async () => {
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

  it('that fails otherwise is handled by kafkajs', async () => {
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

  it('that does not reach the coordinator fails with a retriable rebalance error', async () => {
    for (const failure of [
      new errors.KafkaJSConnectionError('connect ECONNREFUSED', { broker: 'b:1' }),
      new errors.KafkaJSConnectionClosedError('closed', { host: 'b', port: 1 }),
    ]) {
      const reported = await beat(failure).catch((error: unknown) => error);
      expect(errors.isRebalancing(reported)).toBe(true);
      expect(reported).toMatchObject({ retriable: true, cause: failure });
    }
  });

  it('that the coordinator refuses fails with the same error', async () => {
    const refusal = new errors.KafkaJSProtocolError({
      type: 'UNKNOWN_MEMBER_ID',
      code: 25,
      message: 'unknown',
    });
    await expect(beat(refusal)).rejects.toBe(refusal);
  });
});
