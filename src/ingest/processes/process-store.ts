import { AppError } from '../../lib/errors.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import type { ProcessError, ProcessPhase, ProcessStatus, ProcessView } from '../../model/process.js';
import { segmentId } from '../../model/version.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Layout } from '../layout/layout.js';
import { type ViewRow, viewColumns, viewOf } from './process-view.js';
import type { Reject } from './rejects.js';

/** What a worker must know of an upload before it touches a chunk of it. */
export interface UploadState {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  readonly status: ProcessStatus;
  readonly phase: ProcessPhase;
  readonly attempt: number;
  /** Number of chunks; null while the last one has not been seen. */
  readonly chunkCount: number | null;
  readonly insertedChunks: number;
  readonly insertedRows: number;
  readonly rejectedRows: number;
  readonly receivedBytes: number;
  /** Id of the upload request: one id from the request's log to the insert's query id. */
  readonly requestId: string;
}

export interface AcceptedUpload {
  readonly processId: number;
  readonly createdAt: Date;
}

/** What became of the records of a chunk. */
export interface StoredChunk {
  readonly rows: number;
  readonly rejects: readonly Reject[];
}

export interface SeenChunks {
  readonly seen: number;
  readonly chunkCount: number | null;
}

/** The records of uploads in PostgreSQL. Each function is one statement or one transaction. */
export interface ProcessStore {
  /**
   * Makes the process and its first segment. Ids of one dataset grow in the order of these calls.
   * @throws AppError 412 when the current version is not the expected one.
   */
  accept(upload: {
    datasetId: number;
    storeId: number;
    accountId: number;
    requestId: string;
    mode: string;
    layout: Layout;
    receivedBytes: number;
    expectedVersionId: number | undefined;
  }): Promise<AcceptedUpload>;
  /** Tells that the receiving API is alive. False when the process is no longer pending. */
  heartbeat(processId: number, receivedBytes: number): Promise<boolean>;
  /** Tells that every chunk is in Kafka. */
  seal(processId: number, receivedBytes: number): Promise<void>;
  state(processId: number): Promise<UploadState | undefined>;
  layout(processId: number): Promise<Layout | undefined>;
  /**
   * Records that the rows of a chunk are stored by this attempt. Undefined when the attempt is over (another one
   * has begun, or the process has ended). Repeating it changes nothing.
   */
  recordInserted(
    chunk: Chunk,
    at: ChunkPosition,
    attempt: number,
    stored: StoredChunk,
  ): Promise<UploadState | undefined>;
  /** Records where a chunk lies, without having stored its rows. */
  recordSeen(chunk: Chunk, at: ChunkPosition): Promise<SeenChunks>;
  /** insert -> collect. Does nothing when the attempt is over. */
  collect(processId: number, attempt: number): Promise<void>;
  /** Begins the next attempt with this layout in a new segment. Undefined when `attempt` is over. */
  beginAttempt(processId: number, attempt: number, layout: Layout): Promise<UploadState | undefined>;
  /** Positions of all chunks of an upload, in file order. */
  chunkPositions(processId: number): Promise<ChunkPosition[]>;
  /** Positions of the chunks whose rows this attempt has not stored yet, in file order. */
  chunksToInsert(processId: number, attempt: number): Promise<ChunkPosition[]>;
  /** Ends a pending process as failed. False when it had ended before. */
  fail(processId: number, error: ProcessError): Promise<boolean>;
  view(datasetId: number, processId: number): Promise<ProcessView | undefined>;
  /** Newest first. */
  list(datasetId: number, page: { top: number; before: number | undefined }): Promise<ProcessView[]>;
}

const stateColumns = `p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.status, p.phase,
  p.attempt, p.chunk_count AS "chunkCount", p.inserted_chunks AS "insertedChunks",
  p.inserted_rows AS "insertedRows", p.rejected_rows AS "rejectedRows", p.received_bytes AS "receivedBytes",
  p.request_id AS "requestId"`;

const addSegment = (sql: Sql, id: number, processId: number, storeId: number): Promise<unknown> =>
  sql.query('INSERT INTO segments (id, store_id, process_id) VALUES ($1, $2, $3)', [id, storeId, processId]);

/** 412: the upload was made for another version than the current one. */
export const otherVersion = (): AppError =>
  new AppError('precondition', 'other_version', 'The current version is not the one that If-Match names.');

const acceptIn = async (sql: Sql, upload: Parameters<ProcessStore['accept']>[0]): Promise<AcceptedUpload> => {
  const { datasetId, storeId, accountId, requestId, mode, layout, receivedBytes, expectedVersionId } = upload;
  // The lock makes ids of one dataset grow in the order in which uploads are accepted.
  const [dataset] = await sql.query<{ current: number | null }>(
    'SELECT current_version_id AS current FROM datasets WHERE id = $1 FOR NO KEY UPDATE',
    [datasetId],
  );
  if (expectedVersionId !== undefined && dataset?.current !== expectedVersionId) throw otherVersion();
  const [row] = await sql.query<{ id: number; createdAt: Date }>(
    `INSERT INTO processes (dataset_id, mode, layout, created_by, request_id, received_bytes, expected_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id, created_at AS "createdAt"`,
    [datasetId, mode, JSON.stringify(layout), accountId, requestId, receivedBytes, expectedVersionId ?? null],
  );
  if (row === undefined) throw new Error('a process was inserted but not returned');
  await addSegment(sql, segmentId(row.id, 1), row.id, storeId);
  return { processId: row.id, createdAt: row.createdAt };
};

export const createProcessStore = (sql: Sql): ProcessStore => ({
  accept: (upload) => sql.tx((tx) => acceptIn(tx, upload)),

  async heartbeat(processId, receivedBytes) {
    const rows = await sql.query(
      `UPDATE processes SET received_at = now(), received_bytes = greatest(received_bytes, $2)
       WHERE id = $1 AND status = 'pending' RETURNING 1`,
      [processId, receivedBytes],
    );
    return rows.length > 0;
  },

  async seal(processId, receivedBytes) {
    await sql.query(
      'UPDATE processes SET sealed_at = now(), received_bytes = greatest(received_bytes, $2) WHERE id = $1',
      [processId, receivedBytes],
    );
  },

  async state(processId) {
    const [row] = await sql.query<UploadState>(
      `SELECT ${stateColumns} FROM processes p JOIN datasets d ON d.id = p.dataset_id WHERE p.id = $1`,
      [processId],
    );
    return row;
  },

  async layout(processId) {
    const [row] = await sql.query<{ layout: Layout }>('SELECT layout FROM processes WHERE id = $1', [
      processId,
    ]);
    return row?.layout;
  },

  async recordInserted(chunk, at, attempt, { rows, rejects }) {
    // One statement: the chunk counts once for an attempt, and only while the attempt is the current one.
    const [row] = await sql.query<UploadState>(
      `WITH current AS (
         SELECT id FROM processes WHERE id = $1 AND attempt = $2 AND status = 'pending' AND phase IN ('insert', 'replay')
         FOR NO KEY UPDATE
       ), recorded AS (
         INSERT INTO chunks (process_id, number, rows, bytes, first_line, topic, partition, position, inserted_attempt)
         SELECT id, $3, $4, $5, $6, $7, $8, $9, $2 FROM current
         ON CONFLICT (process_id, number) DO UPDATE SET inserted_attempt = $2, rows = excluded.rows
           WHERE chunks.inserted_attempt <> $2
         RETURNING 1
       ), set_aside AS (
         INSERT INTO rejects (process_id, attempt, row, line, column_name, reason, message, raw)
         SELECT $1, $2, r.row, r.line, r."column", r.reason, r.message, r.raw
         FROM recorded, json_to_recordset($11::json)
           AS r (row bigint, line bigint, "column" text, reason text, message text, raw text)
         RETURNING 1
       )
       UPDATE processes p SET
         inserted_chunks = p.inserted_chunks + (SELECT count(*) FROM recorded),
         inserted_rows = p.inserted_rows + $4 * (SELECT count(*) FROM recorded),
         rejected_rows = p.rejected_rows + (SELECT count(*) FROM set_aside),
         chunk_count = CASE WHEN $10 THEN $3 + 1 ELSE p.chunk_count END
       FROM current, datasets d WHERE p.id = current.id AND d.id = p.dataset_id
       RETURNING ${stateColumns}`,
      [
        chunk.processId,
        attempt,
        chunk.number,
        rows,
        chunk.rawBytes,
        chunk.firstLine,
        at.topic,
        at.partition,
        at.offset,
        chunk.last,
        JSON.stringify(rejects),
      ],
    );
    return row;
  },

  recordSeen: (chunk, at) =>
    sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM processes WHERE id = $1 FOR NO KEY UPDATE', [chunk.processId]);
      await tx.query(
        `INSERT INTO chunks (process_id, number, rows, bytes, first_line, topic, partition, position)
         SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM processes WHERE id = $1
         ON CONFLICT (process_id, number) DO NOTHING`,
        [
          chunk.processId,
          chunk.number,
          chunk.rows,
          chunk.rawBytes,
          chunk.firstLine,
          at.topic,
          at.partition,
          at.offset,
        ],
      );
      const [row] = await tx.query<SeenChunks>(
        `UPDATE processes p SET chunk_count = CASE WHEN $2 THEN $3 + 1 ELSE p.chunk_count END WHERE p.id = $1
         RETURNING p.chunk_count AS "chunkCount",
           (SELECT count(*) FROM chunks c WHERE c.process_id = p.id) AS seen`,
        [chunk.processId, chunk.last, chunk.number],
      );
      return row ?? { seen: 0, chunkCount: null };
    }),

  async collect(processId, attempt) {
    await sql.query(
      `UPDATE processes SET phase = 'collect'
       WHERE id = $1 AND attempt = $2 AND status = 'pending' AND phase = 'insert'`,
      [processId, attempt],
    );
  },

  beginAttempt: (processId, attempt, layout) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<UploadState>(
        `UPDATE processes p SET phase = 'replay', attempt = p.attempt + 1, layout = $3,
           inserted_chunks = 0, inserted_rows = 0, rejected_rows = 0
         FROM datasets d WHERE d.id = p.dataset_id AND p.id = $1 AND p.attempt = $2 AND p.status = 'pending'
         RETURNING ${stateColumns}`,
        [processId, attempt, JSON.stringify(layout)],
      );
      if (row === undefined) return undefined;
      await tx.query('DELETE FROM rejects WHERE process_id = $1', [processId]);
      await addSegment(tx, segmentId(processId, row.attempt), processId, row.storeId);
      return row;
    }),

  chunkPositions: (processId) =>
    sql.query<ChunkPosition>(
      'SELECT topic, partition, position::text AS offset FROM chunks WHERE process_id = $1 ORDER BY number',
      [processId],
    ),

  chunksToInsert: (processId, attempt) =>
    sql.query<ChunkPosition>(
      `SELECT topic, partition, position::text AS offset FROM chunks
       WHERE process_id = $1 AND inserted_attempt <> $2 ORDER BY number`,
      [processId, attempt],
    ),

  async fail(processId, error) {
    const rows = await sql.query(
      `UPDATE processes SET status = 'failed', error = $2, completed_at = now()
       WHERE id = $1 AND status = 'pending' RETURNING 1`,
      [processId, JSON.stringify(error)],
    );
    return rows.length > 0;
  },

  async view(datasetId, processId) {
    const [row] = await sql.query<ViewRow>(
      `SELECT ${viewColumns} FROM processes p WHERE p.id = $2 AND p.dataset_id = $1`,
      [datasetId, processId],
    );
    return row === undefined ? undefined : viewOf(row);
  },

  async list(datasetId, { top, before }) {
    const rows = await sql.query<ViewRow>(
      `SELECT ${viewColumns} FROM processes p
       WHERE p.dataset_id = $1 AND ($2::bigint IS NULL OR p.id < $2) ORDER BY p.id DESC LIMIT $3`,
      [datasetId, before ?? null, top],
    );
    return rows.map(viewOf);
  },
});
