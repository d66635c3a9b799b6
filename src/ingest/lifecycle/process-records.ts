import { AppError, conflict } from '../../lib/errors.js';
import type { Notice, ProcessPhase, ProcessStatus, ProcessView } from '../../model/process.js';
import { type Place, segmentId, segmentNumbers, type Vintage } from '../../model/version.js';
import { addSegment } from '../../rows/segment-records.js';
import { findSlots, nearMap } from '../../rows/slot-maps.js';
import { poolClassFor } from '../../rows/slots.js';
import { addSegmentSql, joinsTableSql, knownSlotsSql, nearMapSql, placeSql } from '../../rows/sql.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import { keepDigest, keptNotices } from './notices.js';
import { isProcess } from './process-ids.js';
import { createProcessViews, type ProcessViews, type ViewRow, viewColumns, viewOf } from './process-view.js';
import { firstState, inLineSql, inStates, moveSql } from './transitions.js';

/** What a worker must know of an upload before it touches a chunk of it. */
export interface UploadState {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** Where the segment of the attempt lies. */
  readonly placement: Place;
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
  /** Id of the upload request: one id from the request's log to the insert's query id. */
  readonly requestId: string;
  /** Key that authenticates its chunks; null: it has no file, so no chunk belongs to it. */
  readonly chunkKey: Buffer | null;
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
  readonly notices?: readonly Notice[];
  /** Of a file that is appended, where it is whole by now. */
  readonly fileDigest?: Buffer | undefined;
  /** The file is one chunk that a pool may take. */
  readonly isSmall: boolean;
  /** Bytes of the file so far, unpacked. */
  readonly receivedBytes: number;
  /** Of the request's body; undefined: the file is all there is. */
  readonly body?: Pick<Received, 'sentBytes' | 'expectedBytes'>;
  /** The version that must be the current one; undefined: any. */
  readonly expectedVersionId: number | undefined;
  /** The id that was given out for it; undefined: none was. */
  readonly reservedId?: number | undefined;
  readonly vintage?: Vintage | undefined;
  /** Key that authenticates its chunks. @default none: chunks are taken as they are */
  readonly chunkKey?: Buffer;
  /** Trace of the upload request. */
  readonly traceId?: string | undefined;
  /** It is not published before `seal`. @default false */
  readonly awaitsAnswer?: boolean;
}

/** How far the receiving of a file is. */
export interface Received {
  /** Bytes of the file, unpacked. */
  readonly bytes: number;
  /** Bytes of the request's body, as sent. */
  readonly sentBytes: number;
  /** Those that it has in all; null: not known. */
  readonly expectedBytes: number | null;
  /** Chunks handed to Kafka. */
  readonly sentChunks: number;
}

export interface SealedUpload {
  readonly view: ProcessView;
  /** A worker has stored it already, and left it to whoever seals it to publish what is due. */
  readonly isStored: boolean;
}

/** The records of uploads in PostgreSQL: how they begin, and how they are read. What moves them: transition-records.ts. */
export interface ProcessRecords extends ProcessViews {
  /**
   * Makes the process and its first segment. Ids of one dataset grow in the order of these calls.
   * @throws AppError 412 when the current version is not the expected one.
   */
  accept(upload: NewUpload): Promise<AcceptedUpload>;
  /** Tells that the receiving API is alive, and how far it is. False when the process is no longer pending. */
  heartbeat(processId: number, received: Received): Promise<boolean>;
  /** Tells what the file of a pending append is, before its last chunk leaves. */
  keepDigest(processId: number, digest: Buffer): Promise<void>;
  /**
   * Records that every chunk is in Kafka and the sender gets its answer: from here on the upload may be published.
   * Undefined when the dataset was deleted meanwhile.
   */
  seal(processId: number, received: Received): Promise<SealedUpload | undefined>;
  state(processId: number): Promise<UploadState | undefined>;
  /**
   * Marks those of some uploads whose only chunk may be inserted together with others: first attempts that lie in pools.
   * Each is given once and never again.
   */
  beginBatch(processIds: readonly number[]): Promise<(UploadState & { readonly layout: Layout })[]>;
  /** Keys of the chunks of uploads that are pending and accepted, null for one without. */
  chunkKeys(processIds: readonly number[]): Promise<ReadonlyMap<number, Buffer | null>>;
  layout(processId: number): Promise<Layout | undefined>;
}

/** `UploadState` of `processes p` and its `datasets d`. */
export const stateColumns = `p.id AS "processId", p.dataset_id AS "datasetId", d.store_id AS "storeId", p.status, p.phase,
  p.attempt, p.chunk_count AS "chunkCount", p.inserted_chunks AS "insertedChunks",
  p.inserted_rows AS "insertedRows", p.rejected_rows AS "rejectedRows", p.received_bytes AS "receivedBytes",
  p.request_id AS "requestId", p.chunk_key AS "chunkKey", p.in_batch AND p.attempt = 1 AS "inBatch",
  (SELECT ${placeSql('g')} FROM segments g
    WHERE g.id = p.id * ${segmentNumbers.perProcess} + p.attempt) AS placement`;

/** 412: the upload was made for another version than the current one. */
export const otherVersion = (): AppError =>
  new AppError('precondition', 'other_version', 'The current version is not the one that If-Match names.');

const accepted = moveSql('accepted');

interface NewRow {
  readonly id: number;
  readonly createdAt: Date;
}

/** `$1` to `$12` of the statements that accept an upload. */
const newValues = (upload: NewUpload): unknown[] => {
  const { receivedBytes, body } = upload;
  return [
    upload.datasetId,
    upload.mode,
    JSON.stringify(upload.layout),
    upload.accountId,
    upload.keyId,
    upload.requestId,
    receivedBytes,
    upload.expectedVersionId ?? null,
    upload.dryRun ?? false,
    body?.sentBytes ?? receivedBytes,
    body?.expectedBytes ?? null,
    keptNotices(upload.notices ?? []),
  ];
};

/**
 * One statement, since short uploads spend their time on trips. The lock comes before the id. `$15`: names of the columns of a
 * file that goes to a pool, whose smallest class is `$16`, beside the current version if `$17`; `$18`: the map that was found
 * for it; `$19`: it goes beside the current version wherever that lies. No process where slots have to be taken first, or another
 * version is expected.
 */
const acceptSql = prepared(`
  WITH held AS (
    SELECT id, current_version_id AS current FROM datasets WHERE id = $1 FOR NO KEY UPDATE
  ), near AS (
    SELECT * FROM (${nearMapSql('$1')}) AS n WHERE $17::boolean
  ), beside AS (
    SELECT $19::boolean AND ${joinsTableSql('$1', '$14::bigint')} AS joins
  ), map AS (
    SELECT $18::bigint AS id WHERE $18::bigint IS NOT NULL
    UNION ALL SELECT NULL FROM beside WHERE joins
    UNION ALL SELECT k.id FROM beside, LATERAL (${knownSlotsSql({
      storeId: '$14::bigint',
      near: '(SELECT id FROM near)',
      names: '$15::text[]',
      smallest: '$16::text',
    })}) AS k WHERE $18::bigint IS NULL AND NOT joins
  ), process AS (
    INSERT INTO processes (dataset_id, phase, mode, layout, created_by, key_id, request_id, received_bytes,
      expected_version, dry_run, sent_bytes, expected_bytes, notices, vintage, chunk_key, trace_id, awaits_answer)
    SELECT held.id, '${firstState}', $2, $3::jsonb, $4::bigint, $5::bigint, $6, $7::bigint, $8::bigint, $9::boolean,
      $10::bigint, $11::bigint, $12::jsonb, $13::jsonb, $20::bytea, $21, $22::boolean
    FROM held WHERE ($8::bigint IS NULL OR held.current = $8) AND ($15::text[] IS NULL OR EXISTS (SELECT 1 FROM map))
    RETURNING id, created_at
  ), segment AS (${addSegmentSql(
    {
      id: `process.id * ${segmentNumbers.perProcess} + 1`,
      processId: 'process.id',
      storeId: '$14::bigint',
      slotMapId: '(SELECT id FROM map)',
    },
    'FROM process',
  )})
  SELECT process.id, process.created_at AS "createdAt", $8::bigint IS NULL OR coalesce(held.current = $8, false) AS expected
  FROM held LEFT JOIN process ON true`);

/** Where nothing has to be looked up by key, and nothing kept back, its rows can stand beside those of the version. */
const isPlainAppend = ({ mode, dryRun = false }: NewUpload): boolean => mode === 'append' && !dryRun;

const joinsSql = prepared(`SELECT ${joinsTableSql('$1', '$2::bigint')} AS joins`);

/** Where a short file goes; null: into the table of the store. Call it in a transaction that holds the dataset. */
const placeOf = async (tx: Sql, upload: NewUpload): Promise<number | null> => {
  const { datasetId, storeId, mode, layout } = upload;
  if (isPlainAppend(upload)) {
    const [row] = await tx.query<{ joins: boolean }>(joinsSql, [datasetId, storeId]);
    if (row?.joins === true) return null;
  }
  return findSlots(tx, storeId, tableColumns(layout), await nearMap(tx, datasetId, mode));
};

/** @param slotMapId Null: the segment lies in the table of the store; undefined: in a map that has all columns already. */
const insert = async (
  sql: Sql,
  upload: NewUpload,
  slotMapId?: number | null,
): Promise<NewRow | undefined> => {
  const columns = slotMapId === undefined ? tableColumns(upload.layout) : undefined;
  const [row] = await sql.query<(NewRow | Record<keyof NewRow, null>) & { expected: boolean }>(acceptSql, [
    ...newValues(upload),
    upload.vintage === undefined ? null : JSON.stringify(upload.vintage),
    upload.storeId,
    columns?.map(({ name }) => name) ?? null,
    (columns && poolClassFor(columns)) ?? null,
    upload.mode !== 'replace',
    slotMapId ?? null,
    columns !== undefined && isPlainAppend(upload),
    upload.chunkKey ?? null,
    upload.traceId ?? null,
    upload.awaitsAnswer ?? false,
  ]);
  if (row === undefined)
    throw new AppError('not_found', 'dataset_gone', 'The dataset was deleted in the meantime.');
  if (!row.expected) throw otherVersion();
  return row.id === null ? undefined : row;
};

/** The row that was reserved: its id becomes the newest one, and the id that was given out stays shown. */
const fill = async (tx: Sql, upload: NewUpload, slotMapId: number | null): Promise<NewRow> => {
  const [row] = await tx.query<NewRow>(
    `UPDATE processes SET ${accepted.set}, id = DEFAULT, public_id = id, mode = $2, layout = $3, key_id = $5,
       request_id = $6, received_bytes = $7, expected_version = $8, dry_run = $9, sent_bytes = $10,
       expected_bytes = $11, notices = $12, received_at = now(), chunk_key = $14, trace_id = $15
     WHERE id = $13 AND dataset_id = $1 AND created_by = $4 AND ${accepted.when}
     RETURNING id, created_at AS "createdAt"`,
    [...newValues(upload), upload.reservedId, upload.chunkKey ?? null, upload.traceId ?? null],
  );
  if (row === undefined)
    throw conflict('process_ended', `Process ${upload.reservedId} has ended before its file was read.`);
  await addSegment(tx, { id: segmentId(row.id, 1), processId: row.id, storeId: upload.storeId, slotMapId });
  return row;
};

/** With slots that have to be taken, or a row that was reserved. */
const acceptIn = async (tx: Sql, upload: NewUpload): Promise<NewRow> => {
  const { datasetId, isSmall, expectedVersionId, reservedId } = upload;
  // The lock makes ids of one dataset grow in the order in which uploads are accepted.
  const dataset = await holdDataset(tx, datasetId);
  if (expectedVersionId !== undefined && dataset?.current !== expectedVersionId) throw otherVersion();
  const slotMapId = isSmall ? await placeOf(tx, upload) : null;
  if (reservedId !== undefined) return fill(tx, upload, slotMapId);
  const row = await insert(tx, upload, slotMapId);
  if (row === undefined) throw new Error('a process was not inserted');
  return row;
};

const accept = async (sql: Sql, upload: NewUpload): Promise<AcceptedUpload> => {
  const direct =
    upload.reservedId === undefined
      ? await insert(sql, upload, upload.isSmall ? undefined : null)
      : undefined;
  const { id, createdAt } = direct ?? (await sql.tx((tx) => acceptIn(tx, upload)));
  if (upload.fileDigest !== undefined) await keepDigest(sql, id, upload.fileDigest);
  return { processId: id, createdAt };
};

/** For the values of `receivedValues`; what comes late takes nothing back. */
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
  UPDATE processes SET received_at = now(), ${receivedSql}
  WHERE ${isProcess('$1', 'processes')} AND status = 'pending' RETURNING 1`);

const sealSql = prepared(
  `UPDATE processes p SET sealed_at = now(), awaits_answer = awaits_answer AND status <> 'pending', ${receivedSql}
   WHERE p.id = $1
   RETURNING ${viewColumns}, ${inStates(['ready'], 'p')} AS "isStored"`,
);

const beginBatchSql = prepared(`
  UPDATE processes p SET in_batch = true FROM datasets d
  WHERE d.id = p.dataset_id AND p.id = ANY ($1) AND ${inStates(['insert'], 'p')} AND p.attempt = 1
    AND NOT p.in_batch AND p.inserted_chunks = 0 AND EXISTS (SELECT 1 FROM segments g
      WHERE g.id = p.id * ${segmentNumbers.perProcess} + 1 AND (g.slot_map_id IS NOT NULL
        OR p.mode = 'append' AND NOT p.dry_run AND ${joinsTableSql('d.id', 'd.store_id')}))
  RETURNING ${stateColumns}, p.layout`);

const chunkKeysSql = prepared(
  `SELECT id, chunk_key AS "chunkKey" FROM processes WHERE id = ANY ($1) AND ${inLineSql()}`,
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

  ...createProcessViews(sql),
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

/**
 * Uploads of an account that goes to datasets of others count as sent by whose they are. Pending ones are not published: their
 * key is none that exists.
 */
export const giveProcessesToOwners = async (tx: Sql, accountId: number): Promise<void> => {
  await tx.query(
    `UPDATE processes p SET created_by = r.created_by,
       key_id = CASE WHEN p.status = 'pending' AND p.key_id IS NOT NULL THEN 0 END
     FROM datasets d JOIN repositories r ON r.id = d.repository_id
     WHERE d.id = p.dataset_id AND p.created_by = $1 AND r.created_by <> $1`,
    [accountId],
  );
};
