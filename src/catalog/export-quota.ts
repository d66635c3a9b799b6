/**
 * Counts exports and their bytes against the plan of an account.
 *
 * An export may begin while the quota of the day is not used up. Bytes are added while they are sent, in steps that are small
 * next to what is left; the export that reaches the quota is finished, all others that run then are broken off. So
 * however many run at once, they exceed the quota by one of them and by one step of each of the others at most.
 */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../model/permission.js';
import { type Plan, quotaExceeded } from '../model/plan.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { planOf } from './plans.js';

/** One export that is under way. Exactly one of `finish` and `cancel` is called, once. */
export interface ExportTicket {
  /**
   * Tells how much has been sent so far. A promise: nothing more may be sent before it resolves.
   * @throws AppError 402 (the promise) when the quota was reached by another export: this one is to be broken off. Other
   *   errors mean that the bytes are not counted yet; the next call adds them.
   */
  spend(bytesSent: number): Promise<void> | undefined;
  /** The answer ended, whole or cut off: it costs what was sent. */
  finish(bytesSent: number): Promise<void>;
  /** Nothing was sent (304, refused, failed): it costs nothing. */
  cancel(): Promise<void>;
}

/** A file behind a link: ranges of it within the life of the link are one export. */
export interface LinkedRead {
  /** Fingerprint of the file. */
  readonly file: string;
  /** Seconds for which ranges belong to the same export. */
  readonly seconds: number;
  /** True for the file as a whole, which is an export each time. */
  readonly whole: boolean;
}

export interface ExportQuota {
  /**
   * Counts one export of the caller. Exact under concurrent requests. Without a caller nothing is counted.
   * @throws AppError 402 when the exports or bytes of the day are used up.
   */
  startExport(caller: Caller | undefined, read?: LinkedRead): Promise<ExportTicket>;
  /**
   * Counts nothing: for an answer that only names the file.
   * @throws AppError 402 when no export could begin, nor ranges of this file be read.
   */
  requireExport(caller: Caller | undefined, file: string): Promise<void>;
}

/** For what is not counted. */
export const freeTicket: ExportTicket = {
  spend: () => undefined,
  finish: () => Promise.resolve(),
  cancel: () => Promise.resolve(),
};

/** Bytes between two additions to the count: the share of what is left, within bounds. */
const stepShare = 16;
const leastStep = 64 * 1024;
const mostStep = 8 * 1024 * 1024;

/**
 * A count that a crash of the database forgets is worth less than the wait for its disk, which every download
 * would have: the commit of such a statement does not wait for it.
 */
const withoutSync = `without_sync AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

const planSql = `plan AS (
    SELECT p.max_exports_per_day AS exports, p.max_export_bytes_per_day AS bytes
    FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = $1
  )`;
const today = `(now() AT TIME ZONE 'UTC')::date`;

/** Whether an export may begin, and whether ranges of the file `$2` are being read, as far as the statement's snapshot tells. */
const seenSql = `seen AS (
    SELECT coalesce(plan.exports > coalesce(u.exports, 0), true) AS room,
      coalesce(plan.bytes > coalesce(u.bytes, 0), true) AS bytes,
      EXISTS (SELECT 1 FROM export_reads r WHERE r.account_id = $1 AND r.file = $2::text AND r.until > now()) AS reading
    FROM plan LEFT JOIN export_usage u ON u.account_id = $1 AND u.day = ${today}
  )`;

/**
 * When several requests for ranges arrive at once, the one whose row is first opens the export; the others wait for that row and join.
 * The row of the day is last: two requests never both get the last export.
 */
const takeExport = prepared(`
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

const addBytes = prepared(`
  WITH ${withoutSync}, ${planSql}
  UPDATE export_usage u SET bytes = u.bytes + $3,
    last_export = CASE WHEN u.bytes < plan.bytes AND u.bytes + $3 >= plan.bytes THEN $4::uuid ELSE u.last_export END
  FROM plan, without_sync WHERE u.account_id = $1 AND u.day = $2::date
  RETURNING plan.bytes IS NULL OR u.bytes < plan.bytes OR u.last_export = $4::uuid AS "mayGoOn"`);

/** Takes back an export of which nothing was sent; ranges that come later open it again. Locks as `takeExport` does. */
const takeBack = prepared(`
  WITH ${withoutSync}, closed AS (
    DELETE FROM export_reads WHERE account_id = $1 AND file = $3::text RETURNING 1
  ), first AS (SELECT count(*) FROM closed)
  UPDATE export_usage SET exports = greatest(exports - 1, 0) FROM without_sync, first
  WHERE account_id = $1 AND day = $2::date`);

const closeRead = prepared('DELETE FROM export_reads WHERE account_id = $1 AND file = $2');

interface Taken {
  readonly day: string;
  /** 1, or 0 for ranges that belong to an export. */
  readonly exports: number;
  /** Bytes until the quota is reached; null: it has none. */
  readonly left: number | null;
}

interface DayUse {
  readonly exports: number;
  readonly bytes: number;
}

const exportsUsedUp = (plan: Plan, { exports, bytes }: DayUse): Error => {
  const { maxExportsPerDay, maxExportBytesPerDay } = plan;
  if (maxExportBytesPerDay !== null && bytes >= maxExportBytesPerDay)
    return quotaExceeded('exportBytesPerDay', maxExportBytesPerDay, bytes);
  return quotaExceeded('exportsPerDay', maxExportsPerDay ?? exports, exports);
};

const createTicket = (sql: Sql, accountId: number, taken: Taken, file: string | null): ExportTicket => {
  const { day, exports, left } = taken;
  const id = randomUUID();
  const step =
    left === null ? Number.POSITIVE_INFINITY : Math.min(Math.max(left / stepShare, leastStep), mostStep);
  let added = 0;
  const add = async (bytesSent: number): Promise<boolean> => {
    const bytes = bytesSent - added;
    // At once: the answer may end while the statement runs.
    added = bytesSent;
    try {
      const [row] = await sql.query<{ mayGoOn: boolean }>(addBytes, [accountId, day, bytes, id]);
      return row?.mayGoOn ?? true;
    } catch (error) {
      added -= bytes;
      throw error;
    }
  };
  const spend = async (bytesSent: number): Promise<void> => {
    if (await add(bytesSent)) return;
    throw exportsUsedUp(await planOf(sql, accountId), await readDay(sql, accountId));
  };
  return {
    spend: (bytesSent) => (bytesSent - added < step ? undefined : spend(bytesSent)),
    async finish(bytesSent) {
      await add(bytesSent);
    },
    async cancel() {
      if (exports > 0) await sql.query(takeBack, [accountId, day, file]);
    },
  };
};

const readDay = async (sql: Sql, accountId: number): Promise<DayUse> => {
  const [row] = await sql.query<DayUse>(
    `SELECT exports, bytes FROM export_usage WHERE account_id = $1 AND day = ${today}`,
    [accountId],
  );
  return row ?? { exports: 0, bytes: 0 };
};

export const createExportQuota = ({ sql }: { sql: Sql }): ExportQuota => {
  const refuse = async (accountId: number): Promise<never> => {
    throw exportsUsedUp(await planOf(sql, accountId), await readDay(sql, accountId));
  };

  return {
    async startExport(caller, read) {
      if (caller === undefined) return freeTicket;
      const { accountId } = caller;
      const file = read?.file ?? null;
      const values = [accountId, file, read?.seconds ?? 0, read?.whole ?? true];
      const [taken] = await sql.query<Taken>(takeExport, values);
      if (taken !== undefined) return createTicket(sql, accountId, taken, file);
      // Others may have taken the last export after this one had opened the file.
      if (file !== null) await sql.query(closeRead, [accountId, file]);
      return refuse(accountId);
    },

    async requireExport(caller, file) {
      if (caller === undefined) return;
      const [seen] = await sql.query<{ allowed: boolean }>(requireSql, [caller.accountId, file]);
      if (seen?.allowed !== true) await refuse(caller.accountId);
    },
  };
};

const requireSql = prepared(`
  WITH ${planSql}, ${seenSql} SELECT bytes AND (room OR reading) AS allowed FROM seen`);

/** Removes what says that ranges of a file may still be read, where they may not; returns the number. */
export const removeEndedReads = async (sql: Sql): Promise<number> => {
  const rows = await sql.query('DELETE FROM export_reads WHERE until <= now() RETURNING 1 AS one');
  return rows.length;
};
