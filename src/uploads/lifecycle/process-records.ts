import type { ProcessPhase, ProcessStatus, ProcessView } from '../../model/process.js';
import { type Place, segmentNumbers } from '../../model/version.js';
import { placeSql, takenTogetherSql } from '../../rows/sql.js';
import { inStates, isEnded, isInLine, isPending } from '../../storage/postgres/process-states.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import type { Layout } from '../layout/layout.js';
import { isUnderstoodSql } from '../options/needs.js';
import { type AcceptedUpload, accept, type NewUpload } from './acceptance.js';
import { keepDigest } from './notices.js';
import { isProcess } from './process-ids.js';
import { createProcessViews, type ProcessViews, type ViewRow, viewColumns, viewOf } from './process-view.js';

/** State of an upload that a worker needs before it stores a chunk. */
export interface UploadState {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** Number of the upload in its dataset, part of the positions of its rows. The same for every attempt. */
  readonly uploadNumber: number;
  /** Location of the segment of the attempt. */
  readonly place: Place;
  readonly status: ProcessStatus;
  readonly phase: ProcessPhase;
  readonly attempt: number;
  /** Number of chunks; null while the last one has not been seen. */
  readonly chunkCount: number | null;
  readonly insertedChunks: number;
  readonly insertedRows: number;
  readonly rejectedRows: number;
  readonly receivedBytes: number;
  /** A worker has begun to insert the chunk of this attempt in a batch. */
  readonly inBatch: boolean;
  /** True if this release knows all options in the layout; otherwise the upload is left to newer workers. */
  readonly isUnderstood: boolean;
  /** Id of the upload request, from the log of the request to the query id of the insert. */
  readonly requestId: string;
  /** Key that authenticates its chunks; null: it has no file. */
  readonly chunkKey: Buffer | null;
}

/** Progress of receiving a file. */
export interface Received {
  /** Bytes of the file, unpacked. */
  readonly bytes: number;
  /** Bytes of the request's body, as sent. */
  readonly sentBytes: number;
  /** Size of the request's body; null: not known. */
  readonly expectedBytes: number | null;
  /** Chunks sent to Kafka. */
  readonly sentChunks: number;
}

interface SealedUpload {
  readonly view: ProcessView;
  /** A worker has stored it already; the caller of `seal` publishes what is due. */
  readonly isStored: boolean;
}

/** Records of uploads in PostgreSQL: their creation and their state. Transitions are in transition-records.ts. */
export interface ProcessRecords extends ProcessViews {
  /**
   * Inserts the process and its first segment. Ids within a dataset grow in the order of these calls.
   * @throws AppError 412 when the current version is not the expected one.
   */
  accept(upload: NewUpload): Promise<AcceptedUpload>;
  /** Heartbeat of the receiving API, with its progress. False if the process is no longer pending. */
  heartbeat(processId: number, received: Received): Promise<boolean>;
  /** Records the digest of the file of a pending append, before its last chunk is sent. */
  keepDigest(processId: number, digest: Buffer): Promise<void>;
  /**
   * Records that every chunk is in Kafka and that the sender gets its answer. From now on the upload may be published.
   * Returns undefined if the dataset was deleted.
   */
  seal(processId: number, received: Received): Promise<SealedUpload | undefined>;
  state(processId: number): Promise<UploadState | undefined>;
  /**
   * Marks uploads whose only chunk may be inserted in a batch: first attempts that go into a pool. Returns the marked ones, each
   * only once.
   */
  beginBatch(processIds: readonly number[]): Promise<(UploadState & { readonly layout: Layout })[]>;
  /** Chunk keys of the accepted pending uploads among these; null for an upload without a key. */
  chunkKeys(processIds: readonly number[]): Promise<ReadonlyMap<number, Buffer | null>>;
  layout(processId: number): Promise<Layout | undefined>;
  /** The pending process of a dataset with this chunk key. */
  ofChunkKey(datasetId: number, chunkKey: Buffer): Promise<number | undefined>;
}

/** `UploadState` of `processes p` and its `datasets d`. */
export const stateColumns = `p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.status, p.phase,
  p.upload_number AS "uploadNumber", p.attempt, p.chunk_count AS "chunkCount", p.inserted_chunks AS "insertedChunks",
  p.inserted_rows AS "insertedRows", p.rejected_rows AS "rejectedRows", p.received_bytes AS "receivedBytes",
  p.request_id AS "requestId", p.chunk_key AS "chunkKey", p.in_batch AND p.attempt = 1 AS "inBatch",
  ${isUnderstoodSql('p')} AS "isUnderstood",
  (SELECT ${placeSql('g')} FROM segments g
    WHERE g.id = p.id * ${segmentNumbers.perProcess} + p.attempt) AS place`;

/** SQL for the values of `receivedValues`; late updates never lower them. */
const receivedSql = `received_bytes = greatest(received_bytes, $2), sent_bytes = greatest(sent_bytes, $3),
  expected_bytes = $4, sent_chunks = greatest(sent_chunks, $5)`;

const receivedValues = (processId: number, { bytes, sentBytes, expectedBytes, sentChunks }: Received) => [
  processId,
  bytes,
  sentBytes,
  expectedBytes,
  sentChunks,
];

const heartbeatSql = prepared(`
  UPDATE processes SET heartbeat_at = now(), ${receivedSql}
  WHERE ${isProcess('$1', 'processes')} AND ${isPending()} RETURNING 1`);

const sealSql = prepared(
  `UPDATE processes p SET sealed_at = now(), awaits_answer = awaits_answer AND ${isEnded('p')}, ${receivedSql}
   WHERE p.id = $1
   RETURNING ${viewColumns}, ${inStates(['ready'], 'p')} AS "isStored"`,
);

const beginBatchSql = prepared(`
  UPDATE processes p SET in_batch = true FROM datasets d
  WHERE d.id = p.dataset_id AND p.id = ANY ($1) AND ${inStates(['insert'], 'p')} AND p.attempt = 1
    AND NOT p.in_batch AND p.inserted_chunks = 0 AND ${isUnderstoodSql('p')} AND ${takenTogetherSql({
      id: `p.id * ${segmentNumbers.perProcess} + 1`,
      datasetId: 'd.id',
      storeId: 'd.store_id',
      isJoined: "p.mode <> 'replace' AND NOT p.dry_run",
    })}
  RETURNING ${stateColumns}, p.layout`);

const chunkKeysSql = prepared(
  `SELECT id, chunk_key AS "chunkKey" FROM processes WHERE id = ANY ($1) AND ${isInLine()}`,
);

export const createProcessRecords = (sql: Sql): ProcessRecords => ({
  accept: (upload) => accept(sql, upload),

  async heartbeat(processId, received) {
    const rows = await sql.query(heartbeatSql, receivedValues(processId, received));
    return rows.length > 0;
  },

  keepDigest: (processId, digest) => keepDigest(sql, processId, digest),

  async seal(processId, received) {
    const [row] = await sql.query<ViewRow & { isStored: boolean }>(
      sealSql,
      receivedValues(processId, received),
    );
    if (row === undefined) return undefined;
    const { isStored, ...seen } = row;
    return { view: viewOf(seen), isStored };
  },

  async state(processId) {
    const [row] = await sql.query<UploadState>(
      `SELECT ${stateColumns} FROM processes p JOIN datasets d ON d.id = p.dataset_id WHERE p.id = $1`,
      [processId],
    );
    return row;
  },

  beginBatch: (processIds) => sql.query<UploadState & { layout: Layout }>(beginBatchSql, [processIds]),

  async chunkKeys(processIds) {
    const rows = await sql.query<{ id: number; chunkKey: Buffer | null }>(chunkKeysSql, [processIds]);
    return new Map(rows.map(({ id, chunkKey }) => [id, chunkKey]));
  },

  async layout(processId) {
    const [row] = await sql.query<{ layout: Layout }>('SELECT layout FROM processes WHERE id = $1', [
      processId,
    ]);
    return row?.layout;
  },

  async ofChunkKey(datasetId, chunkKey) {
    const [row] = await sql.query<{ id: number }>(
      `SELECT id FROM processes WHERE dataset_id = $1 AND chunk_key = $2 AND ${isPending()}`,
      [datasetId, chunkKey],
    );
    return row?.id;
  },

  ...createProcessViews(sql),
});

/** Layout of a process that must exist. */
export const requireLayout = async (
  processes: Pick<ProcessRecords, 'layout'>,
  processId: number,
): Promise<Layout> => {
  const layout = await processes.layout(processId);
  if (layout === undefined) throw new Error(`process ${processId} was deleted`);
  return layout;
};

/**
 * Reassigns uploads that a deleted account made to datasets of others, to the owners of these. Pending ones will fail, since
 * their key no longer exists.
 */
export const reassignProcesses = async (tx: Sql, accountId: number): Promise<void> => {
  await tx.query(
    `UPDATE processes p SET created_by = r.created_by,
       key_id = CASE WHEN ${isPending('p')} AND p.key_id IS NOT NULL THEN 0 END
     FROM datasets d JOIN repositories r ON r.id = d.repository_id
     WHERE d.id = p.dataset_id AND p.created_by = $1 AND r.created_by <> $1`,
    [accountId],
  );
};
