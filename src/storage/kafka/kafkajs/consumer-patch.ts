/**
 * Consumers of kafkajs continue while a broker is away (tulios/kafkajs#1439: minutes without messages for each broker that
 * is restarted).
 *
 * A broker that dies stays in the metadata of the cluster until its session ends, nine seconds by default. kafkajs keeps
 * fetching from it, is refused, and then stops fetching from all brokers, up to ten times with growing pauses; it reads new
 * metadata only after `metadataMaxAge`. If the broker was the group coordinator, the consumer does not look for the new one
 * until it has given up, cannot leave the group, and joins as a new member while the group waits for the old one. Together
 * that was up to a minute. With this patch
 *
 *   fetch       one that cannot connect is retried after a pause, with new metadata; the others continue
 *   heartbeat   one that cannot reach the coordinator counts as "not coordinator", so the new one is looked up
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between attempts to fetch from a broker that is away. */
const pauseMs = 500;

/** Members of kafkajs' ConsumerGroup that the patch uses. */
interface ConsumerGroup {
  readonly cluster: { refreshMetadata(): Promise<void> };
  recoverFromFetch(error: Error): Promise<void>;
  heartbeat(options: object): Promise<void>;
}

type Plain = Pick<ConsumerGroup, 'recoverFromFetch' | 'heartbeat'>;

type ProtocolError = new (description: { type: string; code: number; message: string }) => Error;

const unreachable = new Set(['KafkaJSConnectionError', 'KafkaJSConnectionClosedError']);

/** Methods that replace those of `ConsumerGroup`. */
export const consumerMethods = (
  { recoverFromFetch, heartbeat }: Plain,
  { KafkaJSProtocolError }: { KafkaJSProtocolError: ProtocolError },
) => ({
  async recoverFromFetch(this: ConsumerGroup, error: Error): Promise<void> {
    if (error.name !== 'KafkaJSConnectionError') return recoverFromFetch.call(this, error);
    await sleep(pauseMs);
    await this.cluster.refreshMetadata();
  },
  async heartbeat(this: ConsumerGroup, options: object): Promise<void> {
    try {
      await heartbeat.call(this, options);
    } catch (error) {
      if (!(error instanceof Error) || !unreachable.has(error.name)) throw error;
      const moved = { type: 'NOT_COORDINATOR_FOR_GROUP', code: 16, message: error.message };
      throw Object.assign(new KafkaJSProtocolError(moved), { cause: error });
    }
  },
});
