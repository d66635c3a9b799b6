/** Accepts uploads: inserts the process and its first segment. */
import { AppError, conflict, notFound } from '../../lib/errors.js';
import { uploadsPerDataset } from '../../model/position.js';
import type { Notice } from '../../model/process.js';
import { segmentId, segmentNumbers, type Vintage } from '../../model/version.js';
import { register, takeSlots, type Wish, type WishValue, wishValue } from '../../rows/index.js';
import { registerSql } from '../../rows/sql.js';
import {
  holdDataset,
  numberUpload,
  numberUploadSql,
  requireUploadNumber,
} from '../../storage/postgres/datasets.js';
import { named, type Sql } from '../../storage/postgres/sql.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import { keepDigest, keptNotices } from './notices.js';
import { firstState, moveSql } from './transitions.js';

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
  /** Hash of an appended file; absent if it has not been received completely. */
  readonly fileDigest?: Buffer | undefined;
  /** The file is one chunk that fits into a pool. */
  readonly isSmall: boolean;
  /** Bytes of the file so far, unpacked. */
  readonly receivedBytes: number;
  /** Size of the request body; undefined: only the bytes of the file are counted. */
  readonly body?: {
    readonly sentBytes: number;
    /** Null: not known. */
    readonly expectedBytes: number | null;
  };
  /** The version that must be the current one; undefined: any. */
  readonly expectedVersionId: number | undefined;
  /** Id of the reserved process that it fills; undefined: none. */
  readonly reservedId?: number | undefined;
  readonly vintage?: Vintage | undefined;
  /** Key that authenticates its chunks. @default none, and chunks are not authenticated */
  readonly chunkKey?: Buffer;
  /** Trace of the upload request. */
  readonly traceId?: string | undefined;
  /** True: not published before `seal`. @default false */
  readonly awaitsAnswer?: boolean;
}

/** 412: the upload was made for another version than the current one. */
export const otherVersion = (): AppError =>
  new AppError('precondition', 'other_version', 'The current version is not the one that If-Match names.');

export const datasetGone = (): AppError =>
  notFound('dataset_gone', 'The dataset was deleted in the meantime.');

const accepted = moveSql('accepted');

interface NewRow {
  readonly id: number;
  readonly createdAt: Date;
}

/** Parameters of the statements that accept an upload. */
const valuesOf = (upload: NewUpload) => ({
  ...upload,
  layout: JSON.stringify(upload.layout),
  expectedVersionId: upload.expectedVersionId,
  dryRun: upload.dryRun ?? false,
  sentBytes: upload.body?.sentBytes ?? upload.receivedBytes,
  expectedBytes: upload.body?.expectedBytes,
  notices: keptNotices(upload.notices ?? []),
  vintage: upload.vintage && JSON.stringify(upload.vintage),
  chunkKey: upload.chunkKey,
  traceId: upload.traceId,
  awaitsAnswer: upload.awaitsAnswer ?? false,
});

const registered = registerSql(
  { datasetId: ':datasetId', storeId: ':storeId::bigint', wish: ':wish::jsonb' },
  {
    id: `process.id * ${segmentNumbers.perProcess} + 1`,
    processId: 'process.id',
    uploadNumber: 'process.upload_number',
  },
  'FROM process',
);

/**
 * One statement, since round trips take most of the time of a short upload. The lock is taken before the id is allocated. Inserts
 * no process, and leaves the number unused, if slots have to be taken first or another version is expected.
 */
const acceptSql = named(`
  WITH held AS (${numberUploadSql(':datasetId')}), ${registered.places}, process AS (
    INSERT INTO processes (dataset_id, upload_number, phase, mode, layout, created_by, key_id, request_id, received_bytes,
      expected_version, dry_run, sent_bytes, expected_bytes, notices, vintage, chunk_key, trace_id, awaits_answer)
    SELECT held.id, held.number, '${firstState}', :mode, :layout::jsonb, :accountId::bigint, :keyId::bigint, :requestId,
      :receivedBytes::bigint, :expectedVersionId::bigint, :dryRun::boolean, :sentBytes::bigint, :expectedBytes::bigint,
      :notices::jsonb, :vintage::jsonb, :chunkKey::bytea, :traceId, :awaitsAnswer::boolean
    FROM held WHERE (:expectedVersionId::bigint IS NULL OR held.current = :expectedVersionId) AND held.number < ${uploadsPerDataset} AND ${registered.isPlaced}
    RETURNING id, created_at, upload_number
  ), segment AS (${registered.segment})
  SELECT process.id, process.created_at AS "createdAt", held.number,
    :expectedVersionId::bigint IS NULL OR coalesce(held.current = :expectedVersionId, false) AS expected
  FROM held LEFT JOIN process ON true`);

/** True if the rows are only added after those of the version, and are published. */
const isPlainAppend = ({ mode, dryRun = false }: NewUpload): boolean => mode === 'append' && !dryRun;

/** A short file is stored where the current version is, unless it replaces that version. A long one is stored in the dataset's table. */
const wishOf = (upload: NewUpload): Wish => {
  const { datasetId, mode, layout, isSmall } = upload;
  if (!isSmall) return {};
  return {
    columns: tableColumns(layout),
    ...(mode === 'replace' ? {} : { near: { datasetId } }),
    ...(isPlainAppend(upload) ? { appendedTo: datasetId } : {}),
  };
};

const insert = async (sql: Sql, upload: NewUpload, wish: WishValue): Promise<NewRow | undefined> => {
  const [row] = await sql.query<
    (NewRow | Record<keyof NewRow, null>) & { expected: boolean; number: number }
  >(acceptSql, acceptSql.values({ ...valuesOf(upload), wish }));
  if (row === undefined) throw datasetGone();
  if (!row.expected) throw otherVersion();
  requireUploadNumber(row.number);
  return row.id === null ? undefined : row;
};

const fillSql = named(`
  UPDATE processes SET ${accepted.set}, id = DEFAULT, public_id = id, upload_number = :uploadNumber, mode = :mode,
    layout = :layout, key_id = :keyId, request_id = :requestId, received_bytes = :receivedBytes,
    expected_version = :expectedVersionId, dry_run = :dryRun, sent_bytes = :sentBytes, expected_bytes = :expectedBytes,
    notices = :notices, heartbeat_at = now(), chunk_key = :chunkKey, trace_id = :traceId
  WHERE id = :reservedId AND dataset_id = :datasetId AND created_by = :accountId AND ${accepted.when}
  RETURNING id, created_at AS "createdAt"`);

/** Fills a reserved process. It gets a new id, the highest one, and callers still see the reserved id. */
const fill = async (tx: Sql, upload: NewUpload, uploadNumber: number): Promise<NewRow> => {
  const [row] = await tx.query<NewRow>(fillSql, fillSql.values({ ...valuesOf(upload), uploadNumber }));
  if (row === undefined)
    throw conflict('process_ended', `Process ${upload.reservedId} has ended before its file was read.`);
  const { storeId } = upload;
  await register(tx, { id: segmentId(row.id, 1), processId: row.id, storeId }, wishOf(upload));
  return row;
};

/** Accepts an upload that needs new slots in a pool, or that fills a reserved process. */
const acceptIn = async (tx: Sql, upload: NewUpload): Promise<NewRow> => {
  const { datasetId, storeId, expectedVersionId, reservedId } = upload;
  if (reservedId !== undefined) {
    const dataset = await numberUpload(tx, datasetId);
    if (dataset === undefined) throw datasetGone();
    if (expectedVersionId !== undefined && dataset.current !== expectedVersionId) throw otherVersion();
    return fill(tx, upload, dataset.number);
  }
  // The statement takes this lock as well; slots must be taken under it.
  if ((await holdDataset(tx, datasetId)) === undefined) throw datasetGone();
  const row = await insert(tx, upload, await takeSlots(tx, storeId, wishOf(upload)));
  if (row === undefined) throw new Error('a process was not inserted');
  return row;
};

/**
 * Inserts the process and its first segment. Ids within a dataset grow in the order of these calls.
 * @throws AppError 412 when the current version is not the expected one.
 */
export const accept = async (sql: Sql, upload: NewUpload): Promise<AcceptedUpload> => {
  const direct =
    upload.reservedId === undefined ? await insert(sql, upload, wishValue(wishOf(upload))) : undefined;
  const { id, createdAt } = direct ?? (await sql.tx((tx) => acceptIn(tx, upload)));
  if (upload.fileDigest !== undefined) await keepDigest(sql, id, upload.fileDigest);
  return { processId: id, createdAt };
};
