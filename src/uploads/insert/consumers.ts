/** Chunk consumers of a worker: starts and closes them together, and checks that all of them are alive. */
import type { ChunkConsumer } from '../../storage/kafka/chunk-consumer.js';

/** Silence after which a consumer counts as dead, in milliseconds: several empty fetches. */
const silenceMs = 30_000;

export interface Consumers {
  /**
   * Starts a consumer. One that joins after `close` is closed at once.
   * @param open Joins the group.
   */
  start(open: () => Promise<ChunkConsumer>): Promise<void>;
  /** Call it when all consumers have joined. */
  ready(): void;
  /** @throws Error while consumers are joining, and if one is silent */
  check(): Promise<void>;
  /** Closes all consumers in parallel, since each may wait half a second for its last fetch. */
  close(): Promise<void>;
}

export const createConsumers = (): Consumers => {
  const joined = new Set<ChunkConsumer>();
  let isReady = false;
  let isClosed = false;
  return {
    async start(open) {
      const consumer = await open();
      if (isClosed) await consumer.close();
      else joined.add(consumer);
    },
    ready() {
      isReady = true;
    },
    async check() {
      if (!isReady) throw new Error('consumers have not joined yet');
      const silent = Date.now() - Math.min(...[...joined].map((consumer) => consumer.lastTickAt()));
      if (silent > silenceMs) throw new Error(`a consumer was silent for ${silent} ms`);
    },
    async close() {
      isClosed = true;
      await Promise.all([...joined].map((consumer) => consumer.close()));
    },
  };
};
