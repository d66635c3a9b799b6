/**
 * Makes consumers of kafkajs go on while a broker is away.
 *
 * A broker that dies remains in the cluster's list for as long as its session lasts, nine seconds by default. kafkajs asks it
 * meanwhile, is refused, and then stops reading from all others as well, up to ten times in growing pauses, before it gives
 * up; and it asks for a new list only when the old one is as old as `metadataMaxAge`. Where the broker was the coordinator
 * of the group it does not look for the new one until it has given up, cannot leave the group, and joins as a new member
 * next to its former self, for which the group waits. Together that was up to a minute in which nothing was read. Here
 *
 *   fetch       one that finds no connection is tried again after a pause, with a new list of brokers; the others go on
 *   heartbeat   one that does not reach the coordinator means that it has moved, as if a broker had said so
 *
 * These are internals of the version that `encoder-patch.ts` insists on.
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const patched = Symbol('consumer patch');

/** Between two attempts to fetch from a broker that is away. */
const pauseMs = 500;

/** The parts of kafkajs' ConsumerGroup that matter here. */
interface ConsumerGroup {
  readonly cluster: { refreshMetadata(): Promise<void> };
  recoverFromFetch(error: Error): Promise<void>;
  heartbeat(options: object): Promise<void>;
}

type Plain = Pick<ConsumerGroup, 'recoverFromFetch' | 'heartbeat'>;

type ProtocolError = new (description: { type: string; code: number; message: string }) => Error;

const unreachable = new Set(['KafkaJSConnectionError', 'KafkaJSConnectionClosedError']);

/**
 * The methods in place of those of kafkajs.
 * @param plain Those of kafkajs.
 * @param movedError What kafkajs takes for the word of a broker that the coordinator is another one.
 */
const enduringMethods = (plain: Plain, movedError: (cause: Error) => Error) => ({
  async recoverFromFetch(this: ConsumerGroup, error: Error): Promise<void> {
    if (error.name !== 'KafkaJSConnectionError') return plain.recoverFromFetch.call(this, error);
    await sleep(pauseMs);
    await this.cluster.refreshMetadata();
  },
  async heartbeat(this: ConsumerGroup, options: object): Promise<void> {
    try {
      await plain.heartbeat.call(this, options);
    } catch (error) {
      throw error instanceof Error && unreachable.has(error.name) ? movedError(error) : error;
    }
  },
});

/** Call it before the first consumer is made; once is enough. */
export const patchKafkajsConsumer = (): void => {
  const load = createRequire(import.meta.url);
  const { prototype } = load('kafkajs/src/consumer/consumerGroup.js') as {
    prototype: ConsumerGroup & { [patched]?: true };
  };
  if (prototype[patched]) return;
  const { KafkaJSProtocolError } = load('kafkajs/src/errors.js') as { KafkaJSProtocolError: ProtocolError };
  const { recoverFromFetch, heartbeat } = prototype;
  const moved = (cause: Error): Error =>
    Object.assign(
      new KafkaJSProtocolError({ type: 'NOT_COORDINATOR_FOR_GROUP', code: 16, message: cause.message }),
      { cause },
    );
  Object.assign(prototype, enduringMethods({ recoverFromFetch, heartbeat }, moved), { [patched]: true });
};
