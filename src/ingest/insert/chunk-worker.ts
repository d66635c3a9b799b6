/**
 * What happens to one chunk that Kafka delivers.
 *
 *   1 look      the process in PostgreSQL: ended or gone -> drop; its phase says what to do
 *   2 insert    one block, token = process/attempt/chunk
 *   3 record    the chunk counts for the attempt (PostgreSQL)
 *   4 complete  with the last chunk: count the segment, publish the version
 *   5 resolve   the offset, last (the consumer does it when this handler resolves)
 *
 * Uploads of one chunk that go into pools take 1 to 4 together (short-batches.ts); what that leaves over comes here.
 *
 * Guarantees
 *   - A crash between 2 and 3 repeats the same block with the same token: ClickHouse adds nothing.
 *   - A crash between 3 and 4 delivers the chunk again: 3 changes nothing, 4 is done.
 *   - Whatever happened before, 4 publishes only when ClickHouse counts as many rows as 3 recorded; otherwise
 *     the upload is read again from Kafka into a new segment.
 *   - Throwing means "try again"; a process fails only for what repeating cannot mend.
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { ChunkHandler, Delivery } from '../../storage/kafka/chunk-consumer.js';
import type { Layout } from '../layout/layout.js';
import type { ChunkRecords } from '../lifecycle/chunk-records.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { type ProcessRecords, requireLayout, type UploadState } from '../lifecycle/process-records.js';
import { type ChunkInserter, insertOutcome } from './chunk-inserter.js';
import type { ShortBatches } from './short-batches.js';
import { type TraceWork, untraced } from './traced-work.js';

export interface ChunkWorkerOptions {
  /** Takes chunks that are whole uploads together; absent: every chunk is handled alone. */
  readonly batches?: Pick<ShortBatches, 'take'>;
  readonly processes: Pick<ProcessRecords, 'state' | 'layout'>;
  readonly chunks: Pick<ChunkRecords, 'recordSeen'>;
  readonly inserter: ChunkInserter;
  readonly dispatcher: Pick<Dispatcher, 'settle'>;
  /** Wraps the work on a chunk. @default nothing around it */
  readonly trace?: TraceWork;
  readonly log: Log;
}

/** Exceptions of ClickHouse in a row, none of them a passing one, after which the upload is failed. */
const patience = 5;

const refused: Outcome = {
  kind: 'fail',
  error: {
    code: 'store_refused',
    message: 'The data store rejected the rows. Send the upload again, and tell the operator.',
  },
};

export const createChunkWorker = (options: ChunkWorkerOptions): ChunkHandler => {
  const { batches, processes, chunks, inserter, dispatcher, trace = untraced, log } = options;
  let layoutOf: { key: string; layout: Layout } | undefined;
  const refusals = new Map<number, number>();

  const loadLayout = async ({ processId, attempt }: UploadState): Promise<Layout> => {
    const key = `${processId}/${attempt}`;
    if (layoutOf?.key !== key) layoutOf = { key, layout: await requireLayout(processes, processId) };
    return layoutOf.layout;
  };

  const note = async ({ chunk, position }: Delivery): Promise<Outcome> => {
    const { seen, chunkCount } = await chunks.recordSeen(chunk, position);
    return { kind: seen === chunkCount ? 'resume' : 'done' };
  };

  const insert = async ({ chunk, position }: Delivery, state: UploadState): Promise<Outcome> => {
    const layout = await loadLayout(state);
    const outcome = insertOutcome(await inserter.insert(state, layout, chunk), { chunk, position, layout });
    if (outcome.kind === 'misfit') {
      const { line, column } = outcome.error;
      log.info({ process: chunk.processId, chunk: chunk.number, line, column }, 'column has to be widened');
    }
    return outcome;
  };

  const step = async (delivery: Delivery, state: UploadState): Promise<Outcome> => {
    switch (state.phase) {
      case 'insert':
        // Another worker began to insert it with others and may still do so, or has died.
        if (state.inBatch) return { kind: 'repeated', layout: await loadLayout(state) };
        return insert(delivery, state);
      case 'collect':
        return note(delivery);
      case 'replay':
        // Every chunk was seen before: this is a second delivery, the replay has the first.
        return { kind: 'resume' };
      case 'ready':
      case 'merge':
      case 'merged':
        return { kind: 'publish' };
      case 'reserved':
      case 'receive':
        throw new Error(`process ${state.processId} has a chunk before it was accepted`);
      default: {
        const unknown: never = state.phase;
        throw new Error(`unknown phase ${String(unknown)}`);
      }
    }
  };

  /** An exception that passes is thrown on, so that the chunk is tried again; one that stays fails the upload. */
  const judge = ({ processId }: UploadState, error: unknown): Outcome => {
    if (!isClickHouseException(error) || isPassing(error)) throw error;
    const count = (refusals.get(processId) ?? 0) + 1;
    refusals.set(processId, count);
    if (count < patience) throw error;
    refusals.delete(processId);
    log.error({ err: error, process: processId }, 'ClickHouse refuses a chunk for good');
    return refused;
  };

  const take = async (delivery: Delivery, state: UploadState) => {
    try {
      const settled = await dispatcher.settle(state, await step(delivery, state));
      refusals.delete(state.processId);
      return settled;
    } catch (error) {
      log.debug({ requestId: delivery.requestId, reason: messageOf(error) }, 'chunk not stored');
      return dispatcher.settle(state, judge(state, error));
    }
  };

  const handleAlone = async (delivery: Delivery): Promise<void> => {
    const { chunk, requestId } = delivery;
    for (;;) {
      const state = await processes.state(chunk.processId);
      if (state === undefined || state.status !== 'pending') {
        log.debug(
          { process: chunk.processId, chunk: chunk.number, requestId },
          'chunk of an ended upload dropped',
        );
        return;
      }
      if ((await take(delivery, state)) !== 'look_again') return;
    }
  };

  return async (deliveries) => {
    if (batches === undefined) {
      for (const delivery of deliveries) await trace([delivery], () => handleAlone(delivery));
      return;
    }
    const together = await Promise.allSettled(deliveries.map(batches.take));
    for (const [at, delivery] of deliveries.entries()) {
      const taken = together[at];
      if (taken?.status === 'rejected') throw taken.reason;
      if (taken?.value !== true) await trace([delivery], () => handleAlone(delivery));
    }
  };
};
