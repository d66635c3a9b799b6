import { AppError } from '../../lib/errors.js';
import type { Placement } from '../../model/placement.js';
import type { ProcessPhase, ProcessStatus, ProcessView, RowChanges } from '../../model/process.js';
import { segmentId, segmentNumbers } from '../../model/version.js';
import { placementSql } from '../../storage/postgres/placements.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import { findSlots, nearMap } from '../layout/slot-maps.js';
import { firstState } from './transitions.js';

/** What a worker must know of an upload before it touches a chunk of it. */
export interface UploadState {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** Where the segment of the attempt lies. */
  readonly placement: Placement;
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

export interface NewUpload {
  readonly datasetId: number;
  readonly storeId: number;
  readonly accountId: number;
  readonly keyId: number | null;
  readonly requestId: string;
  readonly mode: string;
  readonly layout: Layout;
  readonly dryRun?: boolean;
  /** The file is one chunk that a pool may take. */
  readonly isSmall: boolean;
  readonly receivedBytes: number;
  /** The version that must be the current one; undefined: any. */
  readonly expectedVersionId: number | undefined;
}

/** The records of uploads in PostgreSQL: how they begin, and how they are read. What moves them: transition-records.ts. */
export interface ProcessRecords {
  /**
   * Makes the process and its first segment. Ids of one dataset grow in the order of these calls.
   * @throws AppError 412 when the current version is not the expected one.
   */
  accept(upload: NewUpload): Promise<AcceptedUpload>;
  /** Tells that the receiving API is alive. False when the process is no longer pending. */
  heartbeat(processId: number, receivedBytes: number): Promise<boolean>;
  /** Tells that every chunk is in Kafka. */
  seal(processId: number, receivedBytes: number): Promise<void>;
  state(processId: number): Promise<UploadState | undefined>;
  layout(processId: number): Promise<Layout | undefined>;
  view(datasetId: number, processId: number): Promise<ProcessView | undefined>;
  /** Those of some processes that there are, in no order. */
  views(processIds: readonly number[]): Promise<ProcessView[]>;
  /** Newest first. */
  list(datasetId: number, page: { top: number; before: number | undefined }): Promise<ProcessView[]>;
}

/** `ProcessView` of `processes p`. */
const viewColumns = `p.id, p.dataset_id AS "datasetId", p.status, p.mode, p.version_id AS "versionId",
  p.inserted_rows AS rows, p.received_bytes AS bytes, p.rejected_rows AS "rejectedRows",
  p.changes, p.dry_run AS "dryRun", p.error, p.attempt,
  p.chunk_count AS chunks, p.inserted_chunks AS inserted,
  to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "createdAt",
  to_char(p.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "completedAt"`;

interface ViewRow extends Omit<ProcessView, 'progress' | 'versionId' | keyof RowChanges> {
  changes: RowChanges | null;
  versionId: number | null;
  attempt: number;
  chunks: number | null;
  inserted: number;
}

const viewOf = ({ attempt, chunks, inserted, changes, ...row }: ViewRow): ProcessView => ({
  ...row,
  inserted: changes?.inserted ?? null,
  replaced: changes?.replaced ?? null,
  unchanged: changes?.unchanged ?? null,
  removed: changes?.removed ?? null,
  versionId: row.versionId === null ? null : String(row.versionId),
  progress: { received: row.bytes, chunks, inserted, rows: row.rows, attempt },
});

/** `UploadState` of `processes p` and its `datasets d`. */
export const stateColumns = `p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.status, p.phase,
  p.attempt, p.chunk_count AS "chunkCount", p.inserted_chunks AS "insertedChunks",
  p.inserted_rows AS "insertedRows", p.rejected_rows AS "rejectedRows", p.received_bytes AS "receivedBytes",
  p.request_id AS "requestId",
  (SELECT ${placementSql('g')} FROM segments g
    WHERE g.id = p.id * ${segmentNumbers.perProcess} + p.attempt) AS placement`;

/** A segment is known before its first row is written. */
export const addSegment = (
  sql: Sql,
  id: number,
  processId: number,
  storeId: number,
  slotMapId: number | null,
): Promise<unknown> =>
  sql.query('INSERT INTO segments (id, store_id, process_id, slot_map_id) VALUES ($1, $2, $3, $4)', [
    id,
    storeId,
    processId,
    slotMapId,
  ]);

/** 412: the upload was made for another version than the current one. */
export const otherVersion = (): AppError =>
  new AppError('precondition', 'other_version', 'The current version is not the one that If-Match names.');

const acceptIn = async (sql: Sql, upload: NewUpload): Promise<AcceptedUpload> => {
  const { datasetId, storeId, accountId, keyId, requestId, mode, layout, receivedBytes, expectedVersionId } =
    upload;
  // The lock makes ids of one dataset grow in the order in which uploads are accepted.
  const [dataset] = await sql.query<{ current: number | null }>(
    'SELECT current_version_id AS current FROM datasets WHERE id = $1 FOR NO KEY UPDATE',
    [datasetId],
  );
  if (expectedVersionId !== undefined && dataset?.current !== expectedVersionId) throw otherVersion();
  const [row] = await sql.query<{ id: number; createdAt: Date }>(
    `INSERT INTO processes (dataset_id, phase, mode, layout, created_by, key_id, request_id, received_bytes,
       expected_version, dry_run)
     VALUES ($1, '${firstState}', $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id, created_at AS "createdAt"`,
    [
      datasetId,
      mode,
      JSON.stringify(layout),
      accountId,
      keyId,
      requestId,
      receivedBytes,
      expectedVersionId ?? null,
      upload.dryRun ?? false,
    ],
  );
  if (row === undefined) throw new Error('a process was inserted but not returned');
  const slotMapId = upload.isSmall
    ? await findSlots(sql, storeId, tableColumns(layout), await nearMap(sql, datasetId, mode))
    : null;
  await addSegment(sql, segmentId(row.id, 1), row.id, storeId, slotMapId);
  return { processId: row.id, createdAt: row.createdAt };
};

export const createProcessRecords = (sql: Sql): ProcessRecords => ({
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

  async view(datasetId, processId) {
    const [row] = await sql.query<ViewRow>(
      `SELECT ${viewColumns} FROM processes p WHERE p.id = $2 AND p.dataset_id = $1`,
      [datasetId, processId],
    );
    return row === undefined ? undefined : viewOf(row);
  },

  async views(processIds) {
    const rows = await sql.query<ViewRow>(`SELECT ${viewColumns} FROM processes p WHERE p.id = ANY ($1)`, [
      processIds,
    ]);
    return rows.map(viewOf);
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

/** The layout of a process that exists. */
export const requireLayout = async (
  processes: Pick<ProcessRecords, 'layout'>,
  processId: number,
): Promise<Layout> => {
  const layout = await processes.layout(processId);
  if (layout === undefined) throw new Error(`process ${processId} has gone`);
  return layout;
};
