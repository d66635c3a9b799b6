/**
 * Bytes that an account stores: the segments of all versions of its datasets. A segment shared by several versions or datasets
 * of the account counts once.
 */
import { isPending } from '../storage/postgres/process-states.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Bytes that a dataset stores; a segment shared with other datasets counts in each of them. */
export interface StoredDataset {
  readonly id: number;
  readonly name: string;
  /** Uncompressed bytes of the rows of all versions, as uploaded, and of pending uploads. */
  readonly bytes: number;
  /** Part of `bytes` that the current version uses; the remainder belongs only to older versions. */
  readonly currentBytes: number;
  readonly versions: number;
}

/** Datasets of the account `$1`, with the bytes of the segments that each references. */
const own = `own AS MATERIALIZED (
    SELECT d.id, d.name, d.store_id, coalesce(k.bytes, 0) AS bytes
    FROM repositories o JOIN datasets d ON d.repository_id = o.id LEFT JOIN dataset_storage k ON k.dataset_id = d.id
    WHERE o.created_by = $1)`;

/** Only datasets of one store share segments, so each segment counts once per store and account. */
const sharedSegments = `
  SELECT r.segment_id FROM own JOIN shared USING (store_id), LATERAL (
    SELECT segment_id FROM segment_ranges WHERE dataset_id = own.id AND until_version IS NULL
    UNION ALL
    SELECT segment_id FROM segment_ranges WHERE dataset_id = own.id AND until_version IS NOT NULL) AS r`;

/** Bytes of versions and of pending uploads. */
export const storedBytesSql = `
  WITH ${own}, shared AS MATERIALIZED (SELECT store_id FROM own GROUP BY store_id HAVING count(*) > 1)
  SELECT coalesce((SELECT sum(own.bytes) FROM own WHERE own.store_id NOT IN (TABLE shared)), 0)::bigint
    + coalesce((SELECT sum(g.bytes) FROM segments g WHERE g.id IN (${sharedSegments})), 0)::bigint
    + coalesce((SELECT sum(p.received_bytes + p.reserved_bytes) FROM processes p
        WHERE ${isPending('p')} AND p.dataset_id IN (SELECT own.id FROM own)), 0)::bigint AS bytes`;

/** Bytes of segments of the current version of dataset `$2` that no dataset of the account `$1` references yet. */
const additionalSql = `
  SELECT coalesce(sum(g.bytes), 0)::bigint AS bytes
  FROM segment_ranges n JOIN segments g ON g.id = n.segment_id
  WHERE n.dataset_id = $2 AND n.until_version IS NULL AND NOT EXISTS (
    SELECT 1 FROM segment_ranges r JOIN datasets d ON d.id = r.dataset_id JOIN repositories o ON o.id = d.repository_id
    WHERE r.segment_id = n.segment_id AND o.created_by = $1)`;

/** Bytes that a clone of the dataset would add to those of the account. */
export const bytesOfClone = async (sql: Sql, ownerId: number, datasetId: number): Promise<number> => {
  const [row] = await sql.query<{ bytes: number }>(additionalSql, [ownerId, datasetId]);
  return row?.bytes ?? 0;
};

const byDatasetSql = `
  WITH ${own}, coming AS (
    SELECT p.dataset_id, sum(p.received_bytes + p.reserved_bytes) AS bytes FROM processes p
    WHERE ${isPending('p')} AND p.dataset_id IN (SELECT own.id FROM own) GROUP BY p.dataset_id
  ), largest AS (
    SELECT own.id, own.name, (own.bytes + coalesce(coming.bytes, 0))::bigint AS bytes
    FROM own LEFT JOIN coming ON coming.dataset_id = own.id ORDER BY bytes DESC, own.id LIMIT $2
  )
  SELECT l.id, l.name, l.bytes, (SELECT count(*) FROM versions v WHERE v.dataset_id = l.id) AS versions,
    (SELECT coalesce(sum(g.bytes), 0)::bigint FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
     WHERE r.dataset_id = l.id AND r.until_version IS NULL) AS "currentBytes"
  FROM largest l ORDER BY l.bytes DESC, l.id`;

/** Maximum number of datasets in an account's overview. */
export const shownDatasets = 100;

/** Largest datasets of an account, largest first. */
export const largestDatasets = (sql: Sql, accountId: number): Promise<StoredDataset[]> =>
  sql.query<StoredDataset>(byDatasetSql, [accountId, shownDatasets]);
