import type { ProcessView } from '../../model/process.js';

export const viewColumns = `p.id, p.dataset_id AS "datasetId", p.status, p.mode, p.version_id AS "versionId",
  p.inserted_rows AS rows, p.received_bytes AS bytes, p.rejected_rows AS "rejectedRows", p.error, p.attempt,
  p.chunk_count AS chunks, p.inserted_chunks AS inserted,
  to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "createdAt",
  to_char(p.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "completedAt"`;

export interface ViewRow extends Omit<ProcessView, 'progress' | 'versionId'> {
  versionId: number | null;
  attempt: number;
  chunks: number | null;
  inserted: number;
}

export const viewOf = ({ attempt, chunks, inserted, ...row }: ViewRow): ProcessView => ({
  ...row,
  versionId: row.versionId === null ? null : String(row.versionId),
  progress: { received: row.bytes, chunks, inserted, rows: row.rows, attempt },
});
