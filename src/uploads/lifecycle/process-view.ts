/** Processes as the API shows them. */
import type { ProcessView, RowChanges } from '../../model/process.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { isProcess, publicIdSql } from './process-ids.js';

const isoSql = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`;

/** A `ViewRow` of `processes p`. */
export const viewColumns = `${publicIdSql('p')} AS id, p.dataset_id AS "datasetId", p.status, p.mode, p.version_id AS "versionId",
  p.inserted_rows AS rows, p.received_bytes AS bytes, p.rejected_rows AS "rejectedRows",
  p.changes, p.dry_run AS "dryRun", p.error, p.notices, p.attempt,
  p.sent_bytes AS received, p.expected_bytes AS expected, p.sealed_at IS NOT NULL AS sealed,
  p.chunk_count AS chunks, p.sent_chunks AS sent, p.inserted_chunks AS inserted,
  ${isoSql('p.created_at')} AS "createdAt", ${isoSql('p.ended_at')} AS "completedAt",
  ${isoSql('p.expires_at')} AS "expiresAt"`;

export interface ViewRow extends Omit<ProcessView, 'progress' | 'versionId' | keyof RowChanges> {
  changes: RowChanges | null;
  versionId: number | null;
  attempt: number;
  received: number;
  expected: number | null;
  /** The file was received to its end. */
  sealed: boolean;
  chunks: number | null;
  sent: number;
  inserted: number;
}

type Steps = Pick<ViewRow, 'status' | 'received' | 'expected' | 'sealed' | 'chunks' | 'sent' | 'inserted'>;

/** Progress: receiving and storing count half each. Only a completed process has 100. */
const percentOf = ({ status, received, expected, sealed, chunks, sent, inserted }: Steps) => {
  if (status === 'completed') return 100;
  const whole = sealed || chunks !== null;
  if (!whole && expected === null) return received === 0 ? 0 : null;
  const receivedShare = whole ? 1 : Math.min(1, received / Math.max(1, expected ?? 0));
  const stored = Math.min(1, inserted / Math.max(1, chunks ?? sent));
  return Math.min(99, Math.floor(50 * receivedShare * (1 + stored)));
};

export const viewOf = (row: ViewRow): ProcessView => {
  const { attempt, received, expected, sealed: _sealed, chunks, sent, inserted, changes, ...view } = row;
  return {
    ...view,
    inserted: changes?.inserted ?? null,
    replaced: changes?.replaced ?? null,
    unchanged: changes?.unchanged ?? null,
    removed: changes?.removed ?? null,
    versionId: view.versionId === null ? null : String(view.versionId),
    progress: {
      received,
      expected,
      percent: percentOf(row),
      chunks,
      sent: Math.max(sent, inserted),
      inserted,
      rows: view.rows,
      attempt,
    },
  };
};

const viewSql = prepared(
  `SELECT ${viewColumns} FROM processes p WHERE p.dataset_id = $1 AND ${isProcess('$2', 'p')}`,
);

export interface ProcessViews {
  view(datasetId: number, processId: number): Promise<ProcessView | undefined>;
  /** Views of the processes that exist, in no order. */
  views(processIds: readonly number[]): Promise<ProcessView[]>;
  /** Newest first. */
  list(datasetId: number, page: { top: number; before: number | undefined }): Promise<ProcessView[]>;
}

export const createProcessViews = (sql: Sql): ProcessViews => {
  const read = async (rest: string, values: unknown[]): Promise<ProcessView[]> =>
    (await sql.query<ViewRow>(`SELECT ${viewColumns} FROM processes p WHERE ${rest}`, values)).map(viewOf);

  return {
    async view(datasetId, processId) {
      const [row] = await sql.query<ViewRow>(viewSql, [datasetId, processId]);
      return row && viewOf(row);
    },
    views: (processIds) => read(isProcess('ANY ($1)', 'p'), [processIds]),
    list: (datasetId, { top, before }) =>
      read(
        `p.dataset_id = $1 AND ($2::bigint IS NULL OR ${publicIdSql('p')} < $2)
         ORDER BY ${publicIdSql('p')} DESC LIMIT $3`,
        [datasetId, before ?? null, top],
      ),
  };
};
