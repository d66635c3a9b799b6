/**
 * Decides what becomes of a chunk that could not be handled, so that it never holds up others.
 *
 *   an outage            the error is thrown on: the chunk is tried again for as long as it takes
 *   a forged message     set aside as a dead letter at once; the upload that it names is left alone
 *   unusable content     the upload fails; where chunks are not authenticated, the message is set aside instead
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
   * @throws the error when the chunk has to be tried again, or what kept its message from being set aside.
   */
  settle(delivery: Delivery, error: unknown): Promise<void>;
  /** Forgets failed tries of a chunk that was handled. */
  handled(delivery: Delivery): void;
}

interface ChunkFaultsOptions {
  readonly processes: Pick<ProcessRecords, 'state'>;
  readonly dispatcher: Pick<Dispatcher, 'settle'>;
  readonly deadLetters: Pick<DeadLetterProducer, 'keep'>;
  readonly log: Log;
}

/** Tries of a chunk that a server refuses, or that our own code fails on. */
const patience = 3;
/** Chunks whose tries are counted; the partition may go to another worker before the last one. */
const maxCounted = 10_000;

const refused: ProcessError = {
  code: 'store_refused',
  message: 'The data store rejected the rows. Send the upload again, and tell the operator.',
};

export const chunkUnusable: ProcessError = {
  code: 'chunk_unusable',
  message:
    'A part of the file cannot be used as it was received. Send the upload again, and tell the operator.',
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

  /** True when it was the last try. */
  const countTry = (delivery: Delivery): boolean => {
    const key = keyOf(delivery);
    const count = (tries.get(key) ?? 0) + 1;
    if (tries.size >= maxCounted) tries.clear();
    if (count < patience) tries.set(key, count);
    else tries.delete(key);
    return count >= patience;
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
