/**
 * What happens to one chunk that Kafka delivers.
 *
 *   1 look      the process in PostgreSQL: ended or gone -> drop; its phase says what to do
 *   2 insert    one block, token = process/attempt/chunk
 *   3 record    the chunk counts for the attempt (PostgreSQL)
 *   4 complete  with the last chunk: count the segment, publish the version
 *   5 resolve   the offset, last (the consumer does it when this handler resolves)
 *
 * Guarantees
 *   - A crash between 2 and 3 repeats the same block with the same token: ClickHouse adds nothing.
 *   - A crash between 3 and 4 delivers the chunk again: 3 changes nothing, 4 is done.
 *   - Whatever happened before, 4 publishes only when ClickHouse counts as many rows as 3 recorded; otherwise
 *     the upload is read again from Kafka into a new segment.
 *   - Throwing means "try again"; a process fails only for what repeating can not mend.
 */
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import type { ChunkHandler, Delivery } from '../../storage/kafka/consume/chunk-consumer.js';
import type { Layout } from '../layout/layout.js';
import type { ProcessStore, UploadState } from '../processes/process-store.js';
import type { VersionPublisher } from '../versions/version-publisher.js';
import type { BadRowBounds } from './bad-row-bounds.js';
import type { ChunkInserter } from './chunk-inserter.js';
import type { Replayer } from './replayer.js';
import type { SegmentVerifier } from './segment-verifier.js';

export interface ChunkWorkerOptions {
  readonly processes: ProcessStore;
  readonly inserter: ChunkInserter;
  readonly bounds: BadRowBounds;
  readonly verifier: SegmentVerifier;
  readonly publisher: VersionPublisher;
  readonly replayer: Replayer;
  readonly log: Log;
}

/** Exceptions of ClickHouse in a row, none of them a passing one, after which the upload is failed. */
const patience = 5;

export const createChunkWorker = (options: ChunkWorkerOptions): ChunkHandler => {
  const { processes, inserter, bounds, verifier, publisher, replayer, log } = options;
  let layoutOf: { key: string; layout: Layout } | undefined;
  const refusals = new Map<number, number>();

  const loadLayout = async (state: UploadState): Promise<Layout> => {
    const key = `${state.processId}/${state.attempt}`;
    if (layoutOf?.key !== key) {
      const layout = await processes.layout(state.processId);
      if (layout === undefined) throw new Error(`process ${state.processId} has gone`);
      layoutOf = { key, layout };
    }
    return layoutOf.layout;
  };

  const noteSeen = async ({ chunk, position }: Delivery): Promise<void> => {
    const { seen, chunkCount } = await processes.recordSeen(chunk, position);
    if (seen === chunkCount) replayer.start(chunk.processId);
  };

  const insert = async (delivery: Delivery, state: UploadState): Promise<'done' | 'look_again'> => {
    const { chunk, position } = delivery;
    const outcome = await inserter.insert(state, await loadLayout(state), chunk);
    if (outcome.kind === 'bad_file') {
      await processes.fail(chunk.processId, outcome.error);
      await publisher.publishDue(state.datasetId);
      return 'done';
    }
    if (outcome.kind === 'violation') {
      log.info(
        { process: chunk.processId, chunk: chunk.number, ...outcome.error },
        'column has to be widened',
      );
      await processes.collect(chunk.processId, state.attempt);
      return 'look_again';
    }
    const after = await processes.recordInserted(chunk, position, state.attempt, outcome);
    if (after === undefined) return 'look_again';
    if (await bounds.refuse(after, await loadLayout(state))) return 'done';
    if (after.insertedChunks === after.chunkCount) await verifier.verify(after);
    return 'done';
  };

  const failWhenHopeless = async (state: UploadState, error: unknown): Promise<void> => {
    if (!isClickHouseException(error) || isPassing(error)) throw error;
    const count = (refusals.get(state.processId) ?? 0) + 1;
    refusals.set(state.processId, count);
    if (count < patience) throw error;
    refusals.delete(state.processId);
    log.error({ err: error, process: state.processId }, 'store refuses a chunk for good');
    const message = 'The data store refused the rows. The upload can be sent again; tell the operator.';
    await processes.fail(state.processId, { code: 'store_refused', message });
    await publisher.publishDue(state.datasetId);
  };

  return async (delivery) => {
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
      switch (state.phase) {
        case 'insert':
          try {
            const outcome = await insert(delivery, state);
            refusals.delete(state.processId);
            if (outcome === 'done') return;
          } catch (error) {
            log.debug({ requestId, reason: messageOf(error) }, 'insert did not succeed');
            await failWhenHopeless(state, error);
            return;
          }
          break;
        case 'collect':
          await noteSeen(delivery);
          return;
        case 'replay':
          // Every chunk was seen before: this is a second delivery, the replay has the first.
          replayer.start(chunk.processId);
          return;
        case 'ready':
        case 'merge':
        case 'merged':
          await publisher.publishDue(state.datasetId);
          return;
        default: {
          const unknown: never = state.phase;
          throw new Error(`unknown phase ${String(unknown)}`);
        }
      }
    }
  };
};
