import { isoUtc } from '../../lib/time.js';
import type { ProcessError, ProcessPhase, ProcessStatus } from '../../model/process.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** An upload as an operator sees it, whoever owns its dataset. */
export interface ListedUpload {
  readonly process: number;
  readonly dataset: number;
  /** The id that callers see, where it was given out before. */
  readonly shownAs: number | null;
  readonly status: ProcessStatus;
  readonly phase: ProcessPhase;
  readonly attempt: number;
  /** Null while it is reserved. */
  readonly mode: string | null;
  readonly createdAt: string;
  /** Chunks stored, and chunks in all; null while the file is still coming. */
  readonly inserted: number;
  readonly chunks: number | null;
  /** Code of the error of a failed one. */
  readonly error: string | null;
}

export interface UploadDetails extends ListedUpload {
  /** Last sign of life of the API that received it. */
  readonly receivedAt: string;
  readonly completedAt: string | null;
  readonly version: number | null;
  readonly rows: number;
  readonly bytes: number;
  readonly requestId: string;
  readonly message: string | null;
}

interface UploadRow
  extends Omit<UploadDetails, 'createdAt' | 'receivedAt' | 'completedAt' | 'error' | 'message'> {
  createdAt: Date;
  receivedAt: Date;
  completedAt: Date | null;
  failure: ProcessError | null;
}

const columns = `id AS process, public_id AS "shownAs", dataset_id AS dataset, status, phase, attempt, mode, created_at AS "createdAt",
  inserted_chunks AS inserted, chunk_count AS chunks, error AS failure, received_at AS "receivedAt",
  completed_at AS "completedAt", version_id AS version, inserted_rows AS rows, received_bytes AS bytes,
  request_id AS "requestId"`;

const detailsOf = ({ failure, createdAt, receivedAt, completedAt, ...row }: UploadRow): UploadDetails => ({
  ...row,
  createdAt: isoUtc(createdAt),
  receivedAt: isoUtc(receivedAt),
  completedAt: completedAt === null ? null : isoUtc(completedAt),
  error: failure?.code ?? null,
  message: failure?.message ?? null,
});

const listedOf = (row: UploadRow): ListedUpload => {
  const { process, shownAs, dataset, status, phase, attempt, mode, createdAt, inserted, chunks, error } =
    detailsOf(row);
  return { process, shownAs, dataset, status, phase, attempt, mode, createdAt, inserted, chunks, error };
};

/** Newest first. */
export const listUploads = async (
  sql: Sql,
  { status, dataset, limit }: { status?: ProcessStatus; dataset?: number; limit: number },
): Promise<ListedUpload[]> => {
  const rows = await sql.query<UploadRow>(
    `SELECT ${columns} FROM processes
     WHERE ($1::text IS NULL OR status = $1) AND ($2::bigint IS NULL OR dataset_id = $2)
     ORDER BY id DESC LIMIT $3`,
    [status ?? null, dataset ?? null, limit],
  );
  return rows.map(listedOf);
};

export const readUpload = async (sql: Sql, process: number): Promise<UploadDetails | undefined> => {
  const [row] = await sql.query<UploadRow>(
    `SELECT ${columns} FROM processes WHERE id = $1 OR public_id = $1`,
    [process],
  );
  return row && detailsOf(row);
};
