/**
 * What an account keeps: the bytes of all segments that versions of its datasets have, current ones and older ones. A
 * segment that several versions or datasets of the account share counts once.
 */
import type { Sql } from '../storage/postgres/sql.js';

/** What a dataset keeps; segments that it shares with others count in each of them. */
export interface StoredDataset {
  readonly id: number;
  readonly name: string;
  /** Raw bytes of the rows of all of its versions, as they were uploaded, and of uploads on their way. */
  readonly bytes: number;
  readonly versions: number;
}

const datasetsOf = `FROM repositories o JOIN datasets d ON d.repository_id = o.id WHERE o.created_by = $1`;

/** Segments that the datasets of the account `$1` have, each once. */
const segmentsSql = `
  SELECT DISTINCT r.segment_id FROM segment_ranges r WHERE r.dataset_id IN (SELECT d.id ${datasetsOf})`;

/** Versions, and what is on its way to become one. */
export const storedBytesSql = `
  SELECT coalesce((SELECT sum(g.bytes) FROM segments g WHERE g.id IN (${segmentsSql})), 0)::bigint
    + coalesce((SELECT sum(p.received_bytes + p.reserved_bytes) FROM processes p
        WHERE p.status = 'pending' AND p.dataset_id IN (SELECT d.id ${datasetsOf})), 0)::bigint AS bytes`;

/** Bytes of what the current version of the dataset `$2` has and no dataset of the account `$1` has yet. */
const additionalSql = `
  SELECT coalesce(sum(g.bytes), 0)::bigint AS bytes
  FROM segment_ranges n JOIN segments g ON g.id = n.segment_id
  WHERE n.dataset_id = $2 AND n.until_version IS NULL AND n.segment_id NOT IN (${segmentsSql})`;

/** What a clone of the dataset would add to what the account keeps. */
export const bytesOfClone = async (sql: Sql, ownerId: number, datasetId: number): Promise<number> => {
  const [row] = await sql.query<{ bytes: number }>(additionalSql, [ownerId, datasetId]);
  return row?.bytes ?? 0;
};

const byDatasetSql = `
  SELECT d.id, d.name, (coalesce(kept.bytes, 0) + coalesce(coming.bytes, 0))::bigint AS bytes,
    (SELECT count(*) FROM versions v WHERE v.dataset_id = d.id) AS versions
  FROM repositories o JOIN datasets d ON d.repository_id = o.id
    LEFT JOIN LATERAL (SELECT sum(g.bytes) AS bytes FROM segments g WHERE g.id IN (
      SELECT r.segment_id FROM segment_ranges r WHERE r.dataset_id = d.id)) kept ON true
    LEFT JOIN LATERAL (SELECT sum(p.received_bytes + p.reserved_bytes) AS bytes FROM processes p
      WHERE p.dataset_id = d.id AND p.status = 'pending') coming ON true
  WHERE o.created_by = $1 ORDER BY bytes DESC, d.id LIMIT $2`;

/** Most datasets that an account shows with their bytes. */
export const shownDatasets = 100;

/** The datasets of an account that keep most, largest first. */
export const largestDatasets = (sql: Sql, accountId: number): Promise<StoredDataset[]> =>
  sql.query<StoredDataset>(byDatasetSql, [accountId, shownDatasets]);
