/**
 * Uploads of one chunk that go into pools, or stand beside the rows of a large dataset, many at a time. A batch is what is at hand when the one before it has been
 * sent; nobody waits for it to fill.
 *
 *   0 verify    the API sent the chunk for this upload: a forged one must not mark it
 *   1 begin     mark the uploads in PostgreSQL; what was marked before, has ended or lies elsewhere is handled alone
 *   2 encode    every value is checked, rows and dates are counted; what does not fit goes its own way
 *   3 insert    one statement per pool, all blocks under one token; one per table of a store, under none
 *   4 settle    record the chunks and publish the versions, one transaction for all
 *
 * Guarantees (docs/adr/0063-short-batches.md)
 *   - A segment of a batch is written by one statement, which is repeated only by the worker that began it, with the same
 *     blocks and token. Whoever is given a chunk that is marked and not recorded begins the next attempt in a new segment;
 *     so it does not matter in which shape Kafka delivers a batch again.
 *   - The table of a store knows no tokens: a statement into it that was not acknowledged is not repeated, and its uploads begin
 *     their next attempts.
 *   - An insert that ClickHouse has acknowledged at once holds the rows that were encoded. After a repetition the segments
 *     are counted.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { NamedColumn } from '../../model/column.js';
import { type Place, segmentId } from '../../model/version.js';
import { isPooled, storedAs } from '../../rows/index.js';
import { insideOf } from '../../rows/place.js';
import type { StoreTables } from '../../rows/tables.js';
import { isClickHouseException, isPassing } from '../../storage/clickhouse/errors.js';
import { requireGenuine } from '../../storage/kafka/chunk-mac.js';
import type { Delivery } from '../../storage/kafka/delivery.js';
import type { ChunkEncoder } from '../csv/types.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import type { WholeUpload } from '../lifecycle/chunk-records.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords, UploadState } from '../lifecycle/process-records.js';
import { type EncodedRows, encodeChunk, encoderOf } from './chunk-encoding.js';
import { insertOutcome } from './chunk-inserter.js';
import { createEncoderCache } from './encoder-cache.js';
import { type TraceWork, untraced } from './traced-work.js';

export interface ShortBatches {
  /** Handles a chunk together with others. False: it has to be handled alone. */
  take(delivery: Delivery): Promise<boolean>;
  /** Lets batches under way end; those that ClickHouse or PostgreSQL do not take are given up, for another worker. */
  close(): void;
}

export interface ShortBatchesOptions {
  readonly processes: Pick<ProcessRecords, 'beginBatch' | 'chunkKeys'>;
  readonly tables: Pick<StoreTables, 'insertBlocks' | 'appendBlocks'>;
  readonly dispatcher: Pick<Dispatcher, 'settle' | 'settleWhole'>;
  readonly onInserted: (rows: number, rawBytes: number, seconds: number) => void;
  /** Wraps the work on a batch. @default nothing around it */
  readonly trace?: TraceWork;
  readonly log: Log;
}

/** Batches at a time: one is with ClickHouse while the other is encoded or recorded. */
const batchesInFlight = 2;
const maxUploads = 128;
/** Raw bytes of a batch, but for its first upload. */
const maxBytes = 8 * 1024 * 1024;
/** Encoders that are kept, and bytes of the largest chunk for which one is. */
const keptEncoders = 32;
const keptBytes = 256 * 1024;
/** Tries to record a batch before its uploads are recorded one by one. */
const recordingTries = 3;

const pauseMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 5_000);

interface Waiting {
  readonly delivery: Delivery;
  readonly done: (together: boolean) => void;
  readonly failed: (error: unknown) => void;
}

interface Begun extends Waiting {
  readonly state: UploadState;
  readonly layout: Layout;
}

/** What goes into the statement of its table. */
interface Ready extends Begun {
  readonly encoded: Extract<EncodedRows, { kind: 'encoded' }>;
  readonly block: Buffer;
}

const tokenOf = (batch: readonly Ready[]): string =>
  `batch/${createHash('sha256')
    .update(batch.map(({ state }) => segmentId(state.processId, state.attempt)).join())
    .digest('base64url')}`;

const columnsOf = (batch: readonly Ready[]): NamedColumn[] => {
  const columns = batch.flatMap(({ layout }) => tableColumns(layout));
  return [...new Map(columns.map((column) => [column.name, column])).values()];
};

const slotsOf = (batch: readonly Ready[]): string[] => [
  ...new Set(
    batch.flatMap(({ state, layout }) =>
      tableColumns(layout).map((column) => storedAs(column, state.placement).name),
    ),
  ),
];

/** Uploads that go into one table. */
interface TableBatch {
  /** That of the first of them; slot maps may differ. */
  readonly placement: Place;
  readonly uploads: Ready[];
}

const byTable = (ready: readonly Ready[]): TableBatch[] => {
  const tables = new Map<string, TableBatch>();
  for (const one of ready) {
    const { placement } = one.state;
    const { shard, home, pool, storeId } = insideOf(placement);
    const key = `${shard}/${home}/${pool?.pool ?? storeId}`;
    const batch = tables.get(key) ?? { placement, uploads: [] };
    batch.uploads.push(one);
    tables.set(key, batch);
  }
  return [...tables.values()];
};

/** The facts of an upload that needs no question any more; undefined for one that does. */
const wholeOf = ({ delivery, state, encoded }: Ready): WholeUpload | undefined => {
  const { rows, rejects, dates } = encoded;
  // Without rows nothing was inserted: the table may lack columns of the file.
  if (rows === 0 && !isPooled(state.placement)) return undefined;
  if (rejects.length > 0 || dates === undefined) return undefined;
  const { chunk, position } = delivery;
  const { processId, datasetId, attempt, receivedBytes } = state;
  const facts = { rows, bytes: receivedBytes, ...dates };
  return { processId, datasetId, attempt, facts, chunk, position };
};

export const createShortBatches = (options: ShortBatchesOptions): ShortBatches => {
  const { processes, tables, dispatcher, onInserted, trace = untraced, log } = options;
  const encoders = createEncoderCache(keptEncoders);
  const waiting: Waiting[] = [];
  let running = 0;
  let closed = false;

  /** Calls until it works; what stays wrong, or a worker that stops, ends it. */
  const persist = async <T>(
    work: (attempt: number) => Promise<T>,
    stays: (error: unknown, tries: number) => boolean,
  ) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work(attempt);
      } catch (error) {
        if (closed || stays(error, attempt + 1)) throw error;
        log.warn(
          { err: error, reason: messageOf(error), attempt },
          'batch of short uploads not stored, trying again',
        );
        await sleep(pauseMs(attempt));
      }
    }
  };

  /** The chunks that are whole uploads; others are handled alone. */
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

  /** Undefined: it goes its own way. */
  const encode = async (begun: Begun): Promise<Ready | undefined> => {
    const { delivery, state, layout, done, failed } = begun;
    try {
      const { chunk } = delivery;
      const work = async (encoder: ChunkEncoder) => {
        const encoded = await encodeChunk(encoder, state, layout, chunk);
        if (encoded.kind !== 'encoded') return encoded;
        // Copied: others are encoded before it is sent.
        return { ...begun, encoded, block: Buffer.concat(encoded.block) };
      };
      const encoded = await (chunk.rawBytes > keptBytes
        ? work(encoderOf(layout, state))
        : encoders.use(layout, state, work));
      if ('block' in encoded) return encoded;
      const outcome = insertOutcome(encoded, { ...delivery, layout });
      done((await dispatcher.settle(state, outcome)) !== 'look_again');
    } catch (error) {
      failed(error);
    }
    return undefined;
  };

  /** Gives whether the rows are those that were encoded, for certain. */
  const insertInto = async ({ placement, uploads }: TableBatch): Promise<boolean> => {
    const filled = uploads
      .filter(({ encoded }) => encoded.rows > 0)
      .sort((a, b) => a.state.processId - b.state.processId);
    if (filled.length === 0) return true;
    const rows = filled.reduce((sum, { encoded }) => sum + encoded.rows, 0);
    const token = tokenOf(filled);
    const blocks = filled.map(({ block }) => block);
    const queryId = (): string => `${filled[0]?.state.requestId}/${token}/${crypto.randomUUID()}`;
    if (!isPooled(placement)) {
      const columns = columnsOf(filled);
      await tables.appendBlocks({ placement, columns, blocks, rows, queryId: queryId() });
      return true;
    }
    const to = { placement, slots: slotsOf(filled) };
    return persist(
      async (attempt) => {
        await tables.insertBlocks({ ...to, blocks, rows, token, queryId: queryId() });
        return attempt === 0;
      },
      (error) => isClickHouseException(error) && !isPassing(error),
    );
  };

  /** What is not simple, or could not be recorded with the others: counted by ClickHouse, in transactions of its own. */
  const settleAlone = async ({ delivery, state, layout, encoded, done, failed }: Ready): Promise<void> => {
    const { rows, rejects } = encoded;
    const outcome = insertOutcome({ kind: 'inserted', rows, rejects }, { ...delivery, layout });
    await dispatcher.settle(state, outcome).then((settled) => done(settled !== 'look_again'), failed);
  };

  const settleTogether = async (batch: readonly Ready[], counted: boolean): Promise<void> => {
    const whole = batch.map((one) => (counted ? wholeOf(one) : undefined));
    const simple = whole.filter((one) => one !== undefined);
    const recorded =
      simple.length > 0 &&
      (await persist(
        () => dispatcher.settleWhole(simple),
        (_error, tries) => tries >= recordingTries,
      ).then(
        () => true,
        (error: unknown) => {
          log.warn({ err: error, uploads: simple.length }, 'batch of short uploads not recorded together');
          return false;
        },
      ));
    for (const [at, one] of batch.entries()) {
      if (recorded && whole[at] !== undefined) one.done(true);
      else await settleAlone(one);
    }
  };

  const store = async (tableBatch: TableBatch, startedAt: number): Promise<void> => {
    const { placement, uploads: batch } = tableBatch;
    const counted = await insertInto(tableBatch).catch((error: unknown) => {
      if (isPooled(placement) && (!isClickHouseException(error) || isPassing(error))) throw error;
      log.warn({ err: error, uploads: batch.length }, 'batch of short uploads refused, trying one by one');
      return undefined;
    });
    if (counted === undefined) {
      for (const { done } of batch) done(false);
      return;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    for (const { encoded, delivery } of batch) onInserted(encoded.rows, delivery.chunk.rawBytes, seconds);
    log.debug({ uploads: batch.length, seconds }, 'batch of short uploads inserted');
    await settleTogether(batch, counted);
  };

  const run = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const startedAt = performance.now();
      const ready: Ready[] = [];
      for (const begun of await begin(await verify(batch))) {
        const one = await encode(begun);
        if (one !== undefined) ready.push(one);
      }
      await Promise.all(byTable(ready).map((some) => store(some, startedAt)));
    } catch (error) {
      // Those that are done already do not hear of it.
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
      if (closed) return Promise.resolve(false);
      return new Promise<boolean>((done, failed) => {
        waiting.push({ delivery, done, failed });
        // Whoever hands over several does so in one turn of the event loop.
        queueMicrotask(pump);
      });
    },
    close() {
      closed = true;
    },
  };
};
