/** Statements about the exports of a day and the files that are read in ranges. No other file writes their tables. */
import { prepared, type Sql } from '../storage/postgres/sql.js';

/**
 * Commits without waiting for the disk, since every download would have to wait. A crash of the database may lose the most recent counts.
 */
const withoutSync = `without_sync AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

const planSql = `plan AS (
    SELECT p.max_exports_per_day AS exports, p.max_export_bytes_per_day AS bytes
    FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = $1
  )`;
const today = `(now() AT TIME ZONE 'UTC')::date`;

/** Whether an export may start, and whether ranges of the file `$2` are being read, in the snapshot of the statement. */
const seenSql = `seen AS (
    SELECT coalesce(plan.exports > coalesce(u.exports, 0), true) AS room,
      coalesce(plan.bytes > coalesce(u.bytes, 0), true) AS bytes,
      EXISTS (SELECT 1 FROM export_reads r WHERE r.account_id = $1 AND r.file = $2::text AND r.until > now()) AS reading
    FROM plan LEFT JOIN export_usage u ON u.account_id = $1 AND u.day = ${today}
  )`;

/**
 * If several requests for ranges arrive at once, the first to insert its row opens the export; the others wait for that row and join. The
 * row of the day is updated last, so two requests never both get the last export.
 */
export const recordExport = prepared(`
  WITH ${withoutSync}, ${planSql}, ${seenSql}, opened AS (
    INSERT INTO export_reads AS r (account_id, file, until)
    SELECT $1, $2, now() + $3 * interval '1 second' FROM seen WHERE $2::text IS NOT NULL AND room AND bytes
    ON CONFLICT (account_id, file) DO UPDATE SET until = excluded.until WHERE $4 OR r.until <= now()
    RETURNING 1
  ), counted AS (
    SELECT CASE WHEN $2::text IS NULL OR EXISTS (SELECT 1 FROM opened) THEN 1
      WHEN NOT $4 AND (room OR reading) THEN 0 END AS exports FROM seen
  ), taken AS (
    INSERT INTO export_usage AS u (account_id, day, exports)
    SELECT $1, ${today}, counted.exports FROM plan, counted, without_sync
    WHERE counted.exports IS NOT NULL AND coalesce(plan.bytes, 1) > 0
      AND (counted.exports = 0 OR coalesce(plan.exports, 1) > 0)
    ON CONFLICT (account_id, day) DO UPDATE SET exports = u.exports + excluded.exports
    WHERE (SELECT (excluded.exports = 0 OR plan.exports IS NULL OR u.exports < plan.exports)
             AND (plan.bytes IS NULL OR u.bytes < plan.bytes) FROM plan)
    RETURNING u.day::text AS day, u.bytes
  )
  SELECT taken.day, counted.exports, plan.bytes - taken.bytes AS "left" FROM taken, counted, plan`);

export const addBytes = prepared(`
  WITH ${withoutSync}, ${planSql}
  UPDATE export_usage u SET bytes = u.bytes + $3,
    last_export = CASE WHEN u.bytes < plan.bytes AND u.bytes + $3 >= plan.bytes THEN $4::uuid ELSE u.last_export END
  FROM plan, without_sync WHERE u.account_id = $1 AND u.day = $2::date
  RETURNING plan.bytes IS NULL OR u.bytes < plan.bytes OR u.last_export = $4::uuid AS "isAllowed"`);

/** Removes an export of which nothing was sent; later ranges open it again. Locks in the same order as `recordExport`. */
export const removeExport = prepared(`
  WITH ${withoutSync}, closed AS (
    DELETE FROM export_reads WHERE account_id = $1 AND file = $3::text RETURNING 1
  ), first AS (SELECT count(*) FROM closed)
  UPDATE export_usage SET exports = greatest(exports - 1, 0) FROM without_sync, first
  WHERE account_id = $1 AND day = $2::date`);

export const closeRead = prepared('DELETE FROM export_reads WHERE account_id = $1 AND file = $2');

/** Whether an export, or reads of ranges of a file, may start. */
export const mayExport = prepared(`
  WITH ${planSql}, ${seenSql} SELECT bytes AND (room OR reading) AS allowed FROM seen`);

/** Usage of an account on this day. */
export const exportsOfToday = prepared(
  `SELECT exports, bytes FROM export_usage WHERE account_id = $1 AND day = ${today}`,
);

/** A deleted account has no rows. Sorted, so that two processes that write the same accounts cannot deadlock. */
export const addExports = prepared(`
  INSERT INTO export_usage AS u (account_id, day, exports, bytes)
  SELECT a.id, (now() AT TIME ZONE 'UTC')::date, c.exports, c.bytes
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS c (account_id, exports, bytes)
    JOIN accounts a ON a.id = c.account_id ORDER BY a.id
  ON CONFLICT (account_id, day) DO UPDATE SET exports = u.exports + excluded.exports, bytes = u.bytes + excluded.bytes`);

/** Deletes expired reads of ranges. @returns their number */
export const removeEndedReads = async (sql: Sql): Promise<number> => {
  const rows = await sql.query('DELETE FROM export_reads WHERE until <= now() RETURNING 1 AS one');
  return rows.length;
};
