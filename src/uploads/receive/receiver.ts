import { createHash } from 'node:crypto';
import { createRecordSplitter } from '../../csv/record-splitter.js';
import { checkText } from '../../csv/text-check.js';
import type { SplitChunk } from '../../csv/types.js';
import { type AppError, invalid } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { runSliced } from '../../lib/time-slicing.js';
import { maxChunkRows } from '../../model/chunk.js';
import type { ProcessView } from '../../model/process.js';
import { type Everywhere, fitsPool, type PoolLimits } from '../../rows/index.js';
import { createChunkKey } from '../../storage/kafka/chunk-mac.js';
import type { ChunkProducer } from '../../storage/kafka/chunk-producer.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import { datasetGone, type NewUpload } from '../lifecycle/acceptance.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { ProcessRecords, Received } from '../lifecycle/process-records.js';
import type { Reservations } from '../lifecycle/reservations.js';
import { checkDigests } from '../options/digest.js';
import { requireWithin, type Upload } from '../options/upload.js';
import { dialectOf } from '../options/upload-options.js';
import type { AcceptanceLimit } from './acceptance-limit.js';
import type { AccountWindows } from './account-windows.js';
import { type BodyLimits, decodeBody } from './body-decoder.js';
import { type ChunkPublisher, createChunkPublisher } from './chunk-publisher.js';
import type { LayoutProposal } from './layout-proposal.js';
import { createRefusal } from './refusal.js';
import { createSenderWatch, needsAnswer, OutcomeUnknown, requireReceived } from './sender-watch.js';
import { decodeText } from './text-encoding.js';
import type { UploadAdmission } from './upload-admission.js';

/** Receives files: decompresses, splits, infers types, and sends chunks to Kafka. */
export interface Receiver {
  /**
   * Call it before reading a request.
   * @throws AppError kind `unavailable` while another upload would endanger accepted ones
   */
  requireAdmission(): void;
  /**
   * Resolves with the pending process when every chunk of the file is in Kafka. Memory does not depend on the size of the file, since
   * the source is read only as fast as Kafka accepts chunks.
   * @throws AppError if the file is refused or the upload fails; nothing is published then
   * @throws OutcomeUnknown if it may be published: the caller must not answer with an error
   */
  receive(upload: Upload): Promise<ProcessView>;
}

interface ReceiverOptions {
  readonly processes: ProcessRecords;
  readonly reservations: Pick<Reservations, 'claim'>;
  readonly proposal: LayoutProposal;
  readonly acceptanceLimit: AcceptanceLimit;
  readonly dispatcher: Pick<Dispatcher, 'fail' | 'publish'>;
  readonly producer: ChunkProducer;
  readonly admission: Pick<UploadAdmission, 'require' | 'wait' | 'sent'>;
  readonly windows: Pick<AccountWindows, 'enter'>;
  readonly limits: BodyLimits;
  readonly firstChunkBytes: number;
  readonly chunkBytes: number;
  readonly maxRecordBytes: number;
  /** Milliseconds between two heartbeats of an upload, which record its progress. */
  readonly heartbeatMs: number;
  /** Id of the current trace; undefined: none. */
  readonly traceId: () => string | undefined;
  readonly poolLimits: PoolLimits;
  /** Undefined: one server has all rows. */
  readonly everywhere: Everywhere | undefined;
  /** @throws AppError `unavailable` if the store is on a server that is not configured. Undefined: no check is needed. */
  readonly requireServed: ((storeId: number) => Promise<void>) | undefined;
  readonly log: Log;
}

/** Rows × columns of a chunk: wide tables get fewer rows per insert. */
const maxCellsPerChunk = 8_000_000;

/** An upload whose first chunk was accepted. */
interface Accepted {
  readonly processId: number;
  readonly layout: Layout;
  readonly publisher: ChunkPublisher;
}

export const createReceiver = (options: ReceiverOptions): Receiver => {
  const { processes, proposal, acceptanceLimit, dispatcher, admission, log } = options;

  const beginSplitting = (upload: Upload) =>
    createRecordSplitter({
      dialect: dialectOf(upload.options),
      firstChunkBytes: options.firstChunkBytes,
      chunkBytes: options.chunkBytes,
      maxRecordBytes: options.maxRecordBytes,
      maxCellsPerChunk,
      maxRowsPerChunk: maxChunkRows,
    });

  /** True if the file is one chunk that fits into a pool. */
  const isSmall = (first: SplitChunk | undefined): boolean =>
    first === undefined ||
    (first.last && fitsPool(options.poolLimits, { rows: first.rows, bytes: first.bytes.length }));

  const refuse = createRefusal({ dispatcher, log });

  /** Receives one upload, from its first byte to the last chunk in Kafka. */
  const createTransfer = (upload: Upload) => {
    const splitter = beginSplitting(upload);
    const digests = checkDigests(upload.source, upload.digests);
    const sender = createSenderWatch({ upload, processes, dispatcher, log });
    const chunkKey = createChunkKey();
    let accepted: Accepted | undefined;
    let isAccepting = false;
    let bytes = 0;
    let isPlaced = options.everywhere === undefined;
    /** Hash of an appended file, to detect that it is sent twice. */
    const hash = upload.options.mode === 'append' ? createHash('sha256') : undefined;
    let fileDigest: Buffer | undefined;

    const received = (): Received => ({
      bytes,
      sentBytes: upload.body?.bytes() ?? bytes,
      expectedBytes: upload.body?.expectedBytes ?? null,
      sentChunks: accepted?.publisher.sent() ?? 0,
    });

    const accept = async (first: SplitChunk | undefined): Promise<Accepted> => {
      const { header } = splitter;
      if (header === undefined) throw invalid('empty_file', 'The file is empty: a header row is needed.');
      const { layout, notices } = await proposal.propose(upload, header, first);
      const { datasetId, storeId, accountId, keyId, requestId } = upload;
      await options.requireServed?.(storeId);
      const accepting: NewUpload = {
        datasetId,
        storeId,
        accountId,
        keyId,
        requestId,
        mode: upload.options.mode,
        layout,
        dryRun: upload.options.dryRun,
        notices,
        fileDigest,
        isSmall: isSmall(first),
        expectedVersionId: upload.expectedVersionId,
        receivedBytes: bytes,
        body: received(),
        reservedId: upload.reservedId,
        vintage: upload.vintage,
        chunkKey,
        traceId: options.traceId(),
        awaitsAnswer: needsAnswer(upload),
      };
      isAccepting = true;
      const { processId } = await acceptanceLimit(datasetId, () => processes.accept(accepting));
      return {
        processId,
        layout,
        publisher: createChunkPublisher({
          producer: options.producer,
          admission,
          windows: options.windows,
          accountId,
          processId,
          dialect: header.dialect,
          requestId,
          chunkKey,
          log,
        }),
      };
    };

    /** Checks the header before the records, so that the error names the first bad line. */
    const textFault = (split: SplitChunk | undefined): AppError | undefined => {
      const { header } = splitter;
      const ofHeader =
        accepted === undefined && header !== undefined
          ? checkText({ bytes: header.bytes, firstLine: header.line })
          : undefined;
      return ofHeader ?? (split && checkText(split));
    };

    const take = async (split: SplitChunk | undefined): Promise<void> => {
      const wrong = textFault(split);
      if (wrong !== undefined) throw wrong;
      requireWithin(splitter.rows, upload.quota.maxRows, 'quota_rows', 'rows per dataset');
      accepted ??= await accept(split);
      await placeWhenLarge(accepted);
      if (split?.last ?? true) {
        sender.watch(accepted.processId);
        await checkStorage(accepted.processId);
        sender.requirePresent();
      }
      await accepted.publisher.publish(split);
      if (split !== undefined) splitter.recycle(split);
    };

    /** Must run before the chunk is sent, since a worker stores it where the store is by then. */
    const placeWhenLarge = async ({ processId, layout }: Accepted): Promise<void> => {
      if (isPlaced) return;
      const { datasetId, storeId } = upload;
      isPlaced = await options.everywhere!.consider({
        processId,
        datasetId,
        storeId,
        replaces: upload.options.mode === 'replace',
        bytes: Math.max(bytes, upload.body?.expectedBytes ?? 0),
        columns: tableColumns(layout),
      });
    };

    /** Records the size before the check, so that two concurrent uploads cannot both use the last free bytes. */
    const checkStorage = async (processId: number): Promise<void> => {
      if (upload.requireStorage === undefined) return;
      await processes.heartbeat(processId, received());
      await upload.requireStorage();
    };

    const beat = (): void => {
      const processId = accepted?.processId ?? upload.reservedId;
      if (processId === undefined) return;
      processes
        .heartbeat(processId, received())
        .catch((error: unknown) => log.warn({ err: error }, 'heartbeat of an upload not written'));
    };

    const readAll = async (): Promise<void> => {
      const body = decodeBody(digests.source, options.limits);
      for await (const piece of decodeText(body, upload.options.encoding)) {
        bytes += piece.length;
        requireWithin(bytes, upload.quota.maxBytes, 'quota_upload_bytes', 'bytes per upload');
        hash?.update(piece);
        const splits =
          splitter.header === undefined
            ? await runSliced(splitter.inSteps.push(piece))
            : splitter.push(piece);
        for (const split of splits) await take(split);
      }
      const wrong = await upload.restOfRequest;
      if (wrong !== undefined) throw wrong;
      sender.requirePresent();
      digests.verify();
      fileDigest = hash?.digest();
      if (accepted !== undefined && fileDigest !== undefined)
        await processes.keepDigest(accepted.processId, fileDigest);
      for (const split of await runSliced(splitter.inSteps.end())) await take(split);
    };

    return {
      /** Also finds a process that was inserted although `accept` failed, because a later statement or its answer was lost. */
      processId: async () =>
        accepted?.processId ??
        upload.reservedId ??
        (isAccepting ? await processes.ofChunkKey(upload.datasetId, chunkKey) : undefined),
      async run(): Promise<ProcessView | undefined> {
        const timer = setInterval(beat, options.heartbeatMs);
        try {
          await readAll();
          if (accepted === undefined) await take(undefined);
          const { processId, publisher } = accepted ?? (await accept(undefined));
          await publisher.arrived();
          return await sender.seal(processId, received());
        } finally {
          clearInterval(timer);
        }
      },
    };
  };

  return {
    requireAdmission: admission.require,

    async receive(upload) {
      admission.require();
      await proposal.check(upload);
      if (upload.reservedId !== undefined) await options.reservations.claim(upload.reservedId, upload);
      const transfer = createTransfer(upload);
      try {
        const view = await transfer.run();
        if (view === undefined) throw datasetGone();
        requireReceived(view);
        return view;
      } catch (error) {
        // The sender watch fails it.
        if (!(error instanceof OutcomeUnknown)) await refuse(upload, transfer.processId, error);
        throw error;
      }
    },
  };
};
