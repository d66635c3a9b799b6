/**
 * Handles uploads of one chunk in batches. A batch has the uploads that are waiting when the previous batch has been sent; it does
 * not wait to fill up.
 *
 *   0 verify    authenticate the chunk, so that a forged one cannot mark the upload
 *   1 begin     mark the uploads in PostgreSQL; one that was marked before, has ended or has another target is handled alone
 *   2 encode    check every value, count rows and dates; a file with a misfit is handled alone
 *   3 append    one insert for all rows that are stored in the same table
 *   4 settle    record the chunks and publish the versions, in one transaction for each insert
 *
 * Guarantees (docs/adr/0063-short-batches.md)
 *   - A segment of a batch is written by one insert. Only the worker that started it retries it, with the same blocks and token.
 *     A worker that receives a chunk marked but not recorded starts a new attempt, in a new segment. So it does not matter how
 *     Kafka groups the chunks when it delivers them again.
 *   - If a retry could add rows twice, an insert that was not acknowledged is not retried; its uploads start new attempts.
 *   - An insert that was acknowledged at the first try holds exactly the encoded rows. After a retry the segments are counted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkEncoder } from '../../csv/types.js';
import type { Log } from '../../lib/log.js';
import { segmentId } from '../../model/version.js';
import type { Appended, WholeSegment, Write } from '../../rows/index.js';
import { requireGenuine } from '../../storage/kafka/chunk-mac.js';
import type { Delivery } from '../../storage/kafka/delivery.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import type { WholeUpload } from '../lifecycle/chunk-records.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords, UploadState } from '../lifecycle/process-records.js';
import { type EncodedRows, encodeChunk, encoderOf } from './chunk-encoding.js';
import { insertOutcome } from './chunk-inserter.js';
import { createEncoderCache } from './encoder-cache.js';
import type { TraceWork } from './traced-work.js';

export interface ShortBatches {
  /** Handles a chunk in a batch. Returns false if it has to be handled alone. */
  take(delivery: Delivery): Promise<boolean>;
  /** Finishes batches in flight. Batches that ClickHouse or PostgreSQL refuse are left to another worker. */
  close(): void;
}

interface ShortBatchesOptions {
  readonly processes: Pick<ProcessRecords, 'beginBatch' | 'chunkKeys'>;
  readonly write: Pick<Write, 'appendTogether'>;
  readonly dispatcher: Pick<Dispatcher, 'settle' | 'settleWhole'>;
  readonly onInserted: (rows: number, rawBytes: number, seconds: number) => void;
  /** Wraps the work on a batch. */
  readonly trace: TraceWork;
  readonly log: Log;
}

/** One batch is inserted while the other is encoded or recorded. */
const batchesInFlight = 2;
const maxUploads = 128;
/** Most raw bytes of a batch with more than one upload. */
const maxBytes = 8 * 1024 * 1024;
/** Cached encoders, and the largest chunk in bytes for which a cached one is used. */
const keptEncoders = 32;
const keptBytes = 256 * 1024;
/** Attempts to record a batch before its uploads are recorded one by one. */
const recordingTries = 3;

const pauseMs = 50;

interface Waiting {
  readonly delivery: Delivery;
  readonly done: (together: boolean) => void;
  readonly failed: (error: unknown) => void;
}

interface Begun extends Waiting {
  readonly state: UploadState;
  readonly layout: Layout;
}

/** An upload whose rows are encoded. */
interface Ready extends Begun, WholeSegment {
  readonly encoded: Extract<EncodedRows, { kind: 'encoded' }>;
}

/** The upload if it can be recorded with the batch; undefined if it has bad rows or ClickHouse must compute its dates. */
const wholeOf = ({ delivery, state, encoded }: Ready): WholeUpload | undefined => {
  const { rows, rejects, dates } = encoded;
  if (rejects.length > 0 || dates === undefined) return undefined;
  const { chunk, position } = delivery;
  const { processId, datasetId, attempt, receivedBytes } = state;
  const facts = { rows, bytes: receivedBytes, ...dates };
  return { processId, datasetId, attempt, facts, chunk, position };
};

export const createShortBatches = (options: ShortBatchesOptions): ShortBatches => {
  const { processes, write, dispatcher, onInserted, trace, log } = options;
  const encoders = createEncoderCache(keptEncoders);
  const waiting: Waiting[] = [];
  let running = 0;
  const stop = new AbortController();

  /** Returns the authentic chunks that are whole uploads; settles the others. */
  const verify = async (batch: readonly Waiting[]): Promise<Waiting[]> => {
    const keys = await processes.chunkKeys(batch.map(({ delivery }) => delivery.chunk.processId));
    return batch.filter(({ delivery: { chunk, message }, done, failed }) => {
      const key = keys.get(chunk.processId);
      try {
        if (key !== undefined) requireGenuine(key, message);
      } catch (error) {
        failed(error);
        return false;
      }
      const isWhole = key !== undefined && chunk.number === 0 && chunk.last;
      if (!isWhole) done(false);
      return isWhole;
    });
  };

  const begin = async (batch: readonly Waiting[]): Promise<Begun[]> => {
    const first = new Map<number, Waiting>();
    for (const one of batch) {
      const { processId } = one.delivery.chunk;
      if (!first.has(processId)) first.set(processId, one);
    }
    const states = new Map(
      (await processes.beginBatch([...first.keys()])).map((state) => [state.processId, state]),
    );
    return batch.flatMap((one): Begun[] => {
      const state = states.get(one.delivery.chunk.processId);
      if (state !== undefined && first.get(state.processId) === one)
        return [{ ...one, state, layout: state.layout }];
      one.done(false);
      return [];
    });
  };

  /** Returns undefined if the upload does not stay in the batch; it is settled then. */
  const encode = async (begun: Begun): Promise<Ready | undefined> => {
    const { delivery, state, layout, done, failed } = begun;
    try {
      const { chunk } = delivery;
      const work = async (encoder: ChunkEncoder) => {
        const encoded = await encodeChunk(encoder, state, layout, chunk);
        if (encoded.kind !== 'encoded') return encoded;
        const { processId, attempt, place, requestId } = state;
        return {
          ...begun,
          encoded,
          to: { segment: segmentId(processId, attempt), place },
          columns: tableColumns(layout),
          // Copied, since the encoder is reused before the block is sent.
          block: Buffer.concat(encoded.block),
          rows: encoded.rows,
          requestId,
        };
      };
      const encoded = await (chunk.rawBytes > keptBytes
        ? work(encoderOf(layout, state))
        : encoders.use(layout, state, work));
      if ('block' in encoded) return encoded;
      const outcome = insertOutcome(encoded, { ...delivery, layout });
      done((await dispatcher.settle(state, outcome)) !== 'reread');
    } catch (error) {
      failed(error);
    }
    return undefined;
  };

  /** Settles one upload in its own transactions, with rows counted by ClickHouse. */
  const settleAlone = async ({ delivery, state, layout, encoded, done, failed }: Ready): Promise<void> => {
    const { rows, rejects } = encoded;
    const outcome = insertOutcome({ kind: 'inserted', rows, rejects }, { ...delivery, layout });
    await dispatcher.settle(state, outcome).then((settled) => done(settled !== 'reread'), failed);
  };

  const settleWhole = async (whole: readonly WholeUpload[]): Promise<boolean> => {
    for (let tries = 1; whole.length > 0; tries += 1) {
      try {
        await dispatcher.settleWhole(whole);
        return true;
      } catch (error) {
        if (stop.signal.aborted || tries >= recordingTries) {
          log.warn({ err: error, uploads: whole.length }, 'batch of short uploads not recorded together');
          return false;
        }
        await sleep(pauseMs);
      }
    }
    return false;
  };

  /** Settles the uploads of one insert. */
  const settle = async (appended: readonly Appended<Ready>[], startedAt: number): Promise<void> => {
    const restarted = appended.filter(({ outcome }) => outcome === 'begin_again');
    for (const { one } of restarted) one.done(false);
    const written = appended.filter(({ outcome }) => outcome !== 'begin_again');
    if (written.length === 0) return;
    const seconds = (performance.now() - startedAt) / 1000;
    for (const { one } of written) onInserted(one.rows, one.delivery.chunk.rawBytes, seconds);
    log.debug({ uploads: written.length, seconds }, 'batch of short uploads inserted');
    const whole = written.map(({ one, outcome }) => (outcome === 'stored' ? wholeOf(one) : undefined));
    const recorded = await settleWhole(whole.filter((one) => one !== undefined));
    for (const [at, { one }] of written.entries()) {
      if (recorded && whole[at] !== undefined) one.done(true);
      else await settleAlone(one);
    }
  };

  const run = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const startedAt = performance.now();
      const ready: Ready[] = [];
      for (const begun of await begin(await verify(batch))) {
        const one = await encode(begun);
        if (one !== undefined) ready.push(one);
      }
      const appending = write.appendTogether(ready, { stop: stop.signal, log });
      await Promise.all(appending.map(async (appended) => settle(await appended, startedAt)));
    } catch (error) {
      // Settled deliveries ignore this.
      for (const { failed } of batch) failed(error);
    }
  };

  const atHand = (): Waiting[] => {
    const batch: Waiting[] = [];
    for (let bytes = 0; waiting[0] !== undefined && batch.length < maxUploads; ) {
      bytes += waiting[0].delivery.chunk.rawBytes;
      if (batch.length > 0 && bytes > maxBytes) break;
      batch.push(waiting.shift() as Waiting);
    }
    return batch;
  };

  const pump = (): void => {
    while (running < batchesInFlight && waiting.length > 0) {
      running += 1;
      const batch = atHand();
      const deliveries = batch.map(({ delivery }) => delivery);
      void trace(deliveries, () => run(batch)).finally(() => {
        running -= 1;
        pump();
      });
    }
  };

  return {
    take(delivery) {
      if (stop.signal.aborted) return Promise.resolve(false);
      return new Promise<boolean>((done, failed) => {
        waiting.push({ delivery, done, failed });
        // Deferred: a caller adds several chunks in one turn of the event loop.
        queueMicrotask(pump);
      });
    },
    close() {
      stop.abort();
    },
  };
};
