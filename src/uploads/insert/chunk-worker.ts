/**
 * Steps for one chunk that Kafka delivers.
 *
 *   1 check     read the process from PostgreSQL; drop the chunk if it has ended; authenticate the chunk; act by the phase
 *   2 insert    one block, token = process/attempt/chunk
 *   3 record    count the chunk for the attempt (PostgreSQL)
 *   4 complete  with the last chunk: count the segment, publish the version
 *   5 resolve   the consumer commits the offset when this handler resolves
 *
 * Uploads of one chunk that go into pools take steps 1 to 4 together (short-batches.ts). All other chunks are handled here.
 *
 * Guarantees
 *   - A crash between 2 and 3 repeats the same block with the same token: ClickHouse adds nothing.
 *   - A crash between 3 and 4 delivers the chunk again: 3 changes nothing, then 4 runs.
 *   - In every case 4 publishes only when ClickHouse counts as many rows as 3 recorded; otherwise
 *     the upload is replayed from Kafka into a new segment.
 *   - An error that is thrown means "retry". A permanent error fails the upload or becomes a dead letter (chunk-faults.ts).
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ChunkTopic } from '../../model/chunk.js';
import type { ChunkHandler } from '../../storage/kafka/chunk-consumer.js';
import type { Delivery } from '../../storage/kafka/delivery.js';
import type { Layout } from '../layout/layout.js';
import type { ChunkRecords } from '../lifecycle/chunk-records.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { type ProcessRecords, requireLayout, type UploadState } from '../lifecycle/process-records.js';
import { requireOwn } from './chunk-checks.js';
import type { ChunkFaults } from './chunk-faults.js';
import { type ChunkInserter, insertOutcome } from './chunk-inserter.js';
import type { ShortBatches } from './short-batches.js';
import type { TraceWork } from './traced-work.js';

interface ChunkWorkerOptions {
  /** Handles chunks that are whole uploads in batches. @default every chunk is handled alone */
  readonly batches?: Pick<ShortBatches, 'take'>;
  readonly processes: Pick<ProcessRecords, 'state' | 'layout'>;
  readonly chunks: Pick<ChunkRecords, 'recordSeen'>;
  readonly inserter: ChunkInserter;
  readonly dispatcher: Pick<Dispatcher, 'settle'>;
  readonly faults: ChunkFaults;
  /** Topic that the worker consumes. */
  readonly topic: ChunkTopic;
  /** Wraps the work on a chunk. */
  readonly trace: TraceWork;
  readonly log: Log;
}

export const createChunkWorker = (options: ChunkWorkerOptions): ChunkHandler => {
  const { batches, processes, chunks, inserter, dispatcher, faults, topic, trace, log } = options;
  let layoutOf: { key: string; layout: Layout } | undefined;

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
        if (!state.isUnderstood) {
          log.info({ process: state.processId }, 'upload left to a newer worker');
          return { kind: 'deferred' };
        }
        // Another worker marked it for a batch. It may still insert it, or it has died.
        if (state.inBatch) return { kind: 'repeated', layout: await loadLayout(state) };
        return insert(delivery, state);
      case 'collect':
        return note(delivery);
      case 'replay':
        // The replay has every chunk already; this is a second delivery.
        return { kind: 'resume' };
      case 'ready':
      case 'merge':
      case 'merged':
        return { kind: 'publish' };
      case 'reserved':
      case 'receive':
        throw new Error('requireOwn accepts no chunk of a process that was not accepted');
      default: {
        const unknown: never = state.phase;
        throw new Error(`unknown phase ${String(unknown)}`);
      }
    }
  };

  const handleAlone = async (delivery: Delivery): Promise<void> => {
    const { chunk } = delivery;
    for (;;) {
      const state = await processes.state(chunk.processId);
      if (state === undefined || state.status !== 'pending') {
        log.debug({ process: chunk.processId, chunk: chunk.number }, 'chunk of an ended upload dropped');
        return;
      }
      requireOwn(delivery, state, topic);
      if ((await dispatcher.settle(state, await step(delivery, state))) !== 'reread') return;
    }
  };

  const handle = async (delivery: Delivery, failure?: unknown): Promise<void> => {
    try {
      if (failure !== undefined) throw failure;
      await trace([delivery], () => handleAlone(delivery));
      faults.handled(delivery);
    } catch (error) {
      log.debug({ process: delivery.chunk.processId, reason: messageOf(error) }, 'chunk not stored');
      await faults.settle(delivery, error);
    }
  };

  return async (deliveries) => {
    const together =
      batches === undefined ? [] : await Promise.allSettled(deliveries.map((one) => batches.take(one)));
    for (const [at, delivery] of deliveries.entries()) {
      const taken = together[at];
      if (taken?.status === 'rejected') await handle(delivery, taken.reason);
      else if (taken?.value !== true) await handle(delivery);
    }
  };
};
