import { isoUtc } from '../../lib/time.js';
import type { ProcessError, ProcessPhase, ProcessStatus } from '../../model/process.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** An upload as an operator sees it, whoever owns its dataset. */
export interface ListedUpload {
  readonly process: number;
  readonly dataset: number;
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
  /** Names of the dataset and of the account that sent the file. */
  readonly name: string;
  readonly account: string;
  /** The id that callers see, of a process that was reserved. */
  readonly shownAs: number | null;
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

const select = `SELECT p.id AS process, p.public_id AS "shownAs", p.dataset_id AS dataset, p.status, p.phase, p.attempt,
  p.mode, p.created_at AS "createdAt", p.inserted_chunks AS inserted, p.chunk_count AS chunks, p.error AS failure,
  p.received_at AS "receivedAt", p.completed_at AS "completedAt", p.version_id AS version, p.inserted_rows AS rows,
  p.received_bytes AS bytes, p.request_id AS "requestId", d.name, a.name AS account
  FROM processes p JOIN datasets d ON d.id = p.dataset_id JOIN accounts a ON a.id = p.created_by`;

const detailsOf = ({ failure, createdAt, receivedAt, completedAt, ...row }: UploadRow): UploadDetails => ({
  ...row,
  createdAt: isoUtc(createdAt),
  receivedAt: isoUtc(receivedAt),
  completedAt: completedAt === null ? null : isoUtc(completedAt),
  error: failure?.code ?? null,
  message: failure?.message ?? null,
});

/** Fields of a list, in their order. */
const listed = [
  'process',
  'dataset',
  'status',
  'phase',
  'attempt',
  'mode',
  'createdAt',
  'inserted',
  'chunks',
  'error',
  'name',
  'account',
  'shownAs',
] as const satisfies readonly (keyof ListedUpload)[];

const listedOf = (row: UploadRow): ListedUpload => {
  const details = detailsOf(row);
  return Object.fromEntries(listed.map((field) => [field, details[field]])) as unknown as ListedUpload;
};

/** Newest first. */
export const listUploads = async (
  sql: Sql,
  { status, dataset, limit }: { status?: ProcessStatus; dataset?: number; limit: number },
): Promise<ListedUpload[]> => {
  const rows = await sql.query<UploadRow>(
    `${select}
     WHERE ($1::text IS NULL OR p.status = $1) AND ($2::bigint IS NULL OR p.dataset_id = $2)
     ORDER BY p.id DESC LIMIT $3`,
    [status ?? null, dataset ?? null, limit],
  );
  return rows.map(listedOf);
};

export const readUpload = async (sql: Sql, process: number): Promise<UploadDetails | undefined> => {
  const [row] = await sql.query<UploadRow>(`${select} WHERE p.id = $1 OR p.public_id = $1`, [process]);
  return row && detailsOf(row);
};
