/**
 * Decides how to treat a chunk that could not be handled, so that it never blocks others.
 *
 *   an outage            the error is rethrown, and the chunk is retried until the outage ends
 *   a forged message     becomes a dead letter at once; the upload that it names is not changed
 *   unusable content     the upload fails; if it is not pending, the message becomes a dead letter
 *   refused by a server  the same after three tries
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import type { ProcessError } from '../../model/process.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { DeadLetterProducer } from '../../storage/kafka/dead-letters.js';
import type { Delivery } from '../../storage/kafka/delivery.js';
import { isDataFault } from '../../storage/outage.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords } from '../lifecycle/process-records.js';

export interface ChunkFaults {
  /**
   * Resolves once the chunk needs no further work.
   * @throws the given error if the chunk has to be retried, or an error of the dead letter topic
   */
  settle(delivery: Delivery, error: unknown): Promise<void>;
  /** Forgets the failed attempts of a chunk that was handled. */
  handled(delivery: Delivery): void;
}

interface ChunkFaultsOptions {
  readonly processes: Pick<ProcessRecords, 'state'>;
  readonly dispatcher: Pick<Dispatcher, 'settle'>;
  readonly deadLetters: Pick<DeadLetterProducer, 'keep'>;
  readonly log: Log;
}

/** Attempts to store a chunk that a server refuses or our own code fails on. */
const maxTries = 3;
/** Most chunks whose attempts are counted. An entry remains if the partition moves to another worker before the last attempt. */
const maxCounted = 10_000;

const refused: ProcessError = {
  code: 'store_refused',
  message: 'The data store rejected the rows. Send the file again, and inform the operator.',
};

export const chunkUnusable: ProcessError = {
  code: 'chunk_unusable',
  message:
    'A part of the file cannot be used as it was received. Send the file again, and inform the operator.',
};

const keyOf = ({ position: { topic, partition, offset } }: Delivery): string =>
  `${topic}/${partition}/${offset}`;

const isRefusal = (error: unknown): boolean => isClickHouseException(error) && !isPassing(error);

export const createChunkFaults = ({
  processes,
  dispatcher,
  deadLetters,
  log,
}: ChunkFaultsOptions): ChunkFaults => {
  const tries = new Map<string, number>();

  /** Counts a failed attempt. @returns true if it was the last one */
  const countTry = (delivery: Delivery): boolean => {
    const key = keyOf(delivery);
    const count = (tries.get(key) ?? 0) + 1;
    if (tries.size >= maxCounted) tries.clear();
    if (count < maxTries) tries.set(key, count);
    else tries.delete(key);
    return count >= maxTries;
  };

  const setAside = ({ message, position }: Delivery, error: unknown): Promise<void> =>
    deadLetters.keep(message, position, `not stored: ${messageOf(error)}`);

  const giveUp = async (delivery: Delivery, error: unknown): Promise<void> => {
    const state = await processes.state(delivery.chunk.processId);
    if (state?.status !== 'pending') return setAside(delivery, error);
    const { processId: process, requestId } = state;
    const { number: chunk } = delivery.chunk;
    if (isRefusal(error))
      log.error({ err: error, process, chunk, requestId }, 'ClickHouse refuses a chunk for good');
    else log.error({ err: error, process, chunk, requestId }, 'chunk cannot be stored, its upload fails');
    await dispatcher.settle(state, { kind: 'fail', error: isRefusal(error) ? refused : chunkUnusable });
  };

  return {
    async settle(delivery, error) {
      if (error instanceof ChunkFault)
        return error.kind === 'forged' ? setAside(delivery, error) : giveUp(delivery, error);
      if (!isRefusal(error) && !isDataFault(error)) throw error;
      if (!countTry(delivery)) throw error;
      await giveUp(delivery, error);
    },
    handled: (delivery) => {
      if (tries.size > 0) tries.delete(keyOf(delivery));
    },
  };
};
