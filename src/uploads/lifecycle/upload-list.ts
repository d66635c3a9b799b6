import { heldUntilSql } from '../../jobs/leases.js';
import { isoUtc, isoUtcOrNull } from '../../lib/time.js';
import type { ProcessError, ProcessPhase, ProcessStatus } from '../../model/process.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** An upload as operators see it. */
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
  /** Id that callers see if the process was reserved. */
  readonly shownAs: number | null;
}

export interface UploadDetails extends ListedUpload {
  /** Last heartbeat of the API that received it. */
  readonly receivedAt: string;
  /** Time at which its last chunk was in Kafka; null: the file is still being received, or was never complete. */
  readonly sealedAt: string | null;
  readonly completedAt: string | null;
  /** Time at which the lease of its worker expires; null: no worker holds it. */
  readonly leaseUntil: string | null;
  readonly version: number | null;
  readonly rows: number;
  readonly rejectedRows: number;
  readonly bytes: number;
  /** Id of the upload request in the logs. */
  readonly requestId: string;
  readonly message: string | null;
}

interface UploadRow
  extends Omit<
    UploadDetails,
    'createdAt' | 'receivedAt' | 'sealedAt' | 'completedAt' | 'leaseUntil' | 'error' | 'message'
  > {
  createdAt: Date;
  receivedAt: Date;
  sealedAt: Date | null;
  completedAt: Date | null;
  leaseUntil: Date | null;
  failure: ProcessError | null;
}

const select = `SELECT p.id AS process, p.public_id AS "shownAs", p.dataset_id AS dataset, p.status, p.phase, p.attempt,
  p.mode, p.created_at AS "createdAt", p.inserted_chunks AS inserted, p.chunk_count AS chunks, p.error AS failure,
  p.heartbeat_at AS "receivedAt", p.sealed_at AS "sealedAt", p.ended_at AS "completedAt",
  ${heldUntilSql('upload', 'p.id')} AS "leaseUntil", p.version_id AS version, p.inserted_rows AS rows, p.rejected_rows AS "rejectedRows",
  p.received_bytes AS bytes, p.request_id AS "requestId", d.name, a.name AS account
  FROM processes p JOIN datasets d ON d.id = p.dataset_id JOIN accounts a ON a.id = p.created_by`;

const detailsOf = ({ failure, ...row }: UploadRow): UploadDetails => ({
  ...row,
  createdAt: isoUtc(row.createdAt),
  receivedAt: isoUtc(row.receivedAt),
  sealedAt: isoUtcOrNull(row.sealedAt),
  completedAt: isoUtcOrNull(row.completedAt),
  leaseUntil: isoUtcOrNull(row.leaseUntil),
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

export interface UploadFilter {
  readonly status?: ProcessStatus | undefined;
  readonly dataset?: number | undefined;
  /** Id or name of the account that sent the file. */
  readonly account?: string | undefined;
  /** Code of the error of a failed one. */
  readonly error?: string | undefined;
  /** Lists only lower ids: the last id of the previous page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export const listUploads = async (
  sql: Sql,
  { status, dataset, account, error, before, limit }: UploadFilter,
): Promise<ListedUpload[]> => {
  const rows = await sql.query<UploadRow>(
    `${select}
     WHERE ($1::text IS NULL OR p.status = $1) AND ($2::bigint IS NULL OR p.dataset_id = $2)
       AND ($3::text IS NULL OR a.id::text = $3 OR lower(a.name) = lower($3))
       AND ($4::text IS NULL OR p.error ->> 'code' = $4) AND ($5::bigint IS NULL OR p.id < $5)
     ORDER BY p.id DESC LIMIT $6`,
    [status ?? null, dataset ?? null, account ?? null, error ?? null, before ?? null, limit],
  );
  return rows.map(listedOf);
};

export const readUpload = async (sql: Sql, process: number): Promise<UploadDetails | undefined> => {
  const [row] = await sql.query<UploadRow>(`${select} WHERE p.id = $1 OR p.public_id = $1`, [process]);
  return row && detailsOf(row);
};

/** A chunk that a worker has seen, and its position in Kafka. */
export interface UploadChunk {
  readonly number: number;
  readonly rows: number;
  readonly bytes: number;
  /** Line of its first record in the file. */
  readonly firstLine: number;
  readonly topic: string;
  readonly partition: number;
  /** A string, since it has 64 bits. */
  readonly offset: string;
  /** Attempt that has stored its rows; 0: none yet. */
  readonly attempt: number;
}

/** Chunks in file order. @param after Number of the last chunk of the previous page. */
export const readUploadChunks = (
  sql: Sql,
  process: number,
  { after, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<UploadChunk[]> =>
  sql.query<UploadChunk>(
    `SELECT c.number, c.rows, c.bytes, c.first_line AS "firstLine", c.topic, c.partition,
       c.kafka_offset::text AS "offset", c.inserted_attempt AS attempt
     FROM chunks c JOIN processes p ON p.id = c.process_id
     WHERE (p.id = $1 OR p.public_id = $1) AND ($2::bigint IS NULL OR c.number > $2)
     ORDER BY c.number LIMIT $3`,
    [process, after ?? null, limit],
  );
