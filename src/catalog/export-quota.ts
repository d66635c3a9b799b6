/**
 * Counts exports and their bytes against the plan of an account.
 *
 * An export may start while the quota of the day is not used up. Bytes are added while they are sent, in steps that are small compared with
 * the remaining quota. The export that reaches the quota may finish; all others in progress are aborted. So concurrent exports exceed the
 * quota by at most one of them, and one step of each of the others.
 */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../model/permission.js';
import { type Plan, quotaExceeded } from '../model/plan.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { ExportCounts } from './export-counts.js';
import { type ExportTicket, freeTicket, stepOf } from './export-ticket.js';
import {
  addBytes,
  closeRead,
  exportsOfToday,
  mayExport,
  recordExport,
  removeExport,
} from './export-usage.js';
import { planOf } from './plans.js';

/** A file behind a link: ranges of it within the lifetime of the link are one export. */
export interface LinkedRead {
  /** Fingerprint of the file. */
  readonly file: string;
  /** Seconds for which ranges belong to the same export. */
  readonly seconds: number;
  /** True if the whole file is read; each such read is an export. */
  readonly whole: boolean;
}

export type ExportQuota = ReturnType<typeof createExportQuota>;

interface Taken {
  readonly day: string;
  /** 1, or 0 for ranges that belong to an export. */
  readonly exports: number;
  /** Bytes until the quota is reached; null: no quota. */
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
  const step = stepOf(left);
  let added = 0;
  const add = async (bytesSent: number): Promise<boolean> => {
    const bytes = bytesSent - added;
    // Updated at once, since the answer may end while the statement runs.
    added = bytesSent;
    try {
      const [row] = await sql.query<{ isAllowed: boolean }>(addBytes, [accountId, day, bytes, id]);
      return row?.isAllowed ?? true;
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
    isPart: exports === 0,
    spend: (bytesSent) => (bytesSent - added < step ? undefined : spend(bytesSent)),
    async finish(bytesSent) {
      await add(bytesSent);
    },
    async cancel() {
      if (exports > 0) await sql.query(removeExport, [accountId, day, file]);
    },
  };
};

const readDay = async (sql: Sql, accountId: number): Promise<DayUse> => {
  const [row] = await sql.query<DayUse>(exportsOfToday, [accountId]);
  return row ?? { exports: 0, bytes: 0 };
};

interface ExportQuotaOptions {
  readonly sql: Sql;
  /** Receives the exports of unlimited plans. */
  readonly counts: Pick<ExportCounts, 'open'>;
}

export const createExportQuota = ({ sql, counts }: ExportQuotaOptions) => {
  const refuse = async (accountId: number): Promise<never> => {
    throw exportsUsedUp(await planOf(sql, accountId), await readDay(sql, accountId));
  };

  return {
    /**
     * Counts one export of the caller. Exact for concurrent requests. Nothing is counted without a caller.
     * @throws AppError 402 if the exports or bytes of the day are used up.
     */
    async startExport(caller: Caller | undefined, read?: LinkedRead): Promise<ExportTicket> {
      if (caller === undefined) return freeTicket;
      const { accountId, exportsUnbounded = false } = caller;
      if (exportsUnbounded && read === undefined) return counts.open(accountId);
      const file = read?.file ?? null;
      const values = [accountId, file, read?.seconds ?? 0, read?.whole ?? true];
      const [taken] = await sql.query<Taken>(recordExport, values);
      if (taken !== undefined) return createTicket(sql, accountId, taken, file);
      // Another request may have used the last export after this one opened the file.
      if (file !== null) await sql.query(closeRead, [accountId, file]);
      return refuse(accountId);
    },

    /**
     * Checks the quota without counting, for an answer that only links to the file.
     * @throws AppError 402 if neither an export could start nor ranges of this file could be read.
     */
    async requireExport(caller: Caller | undefined, file: string): Promise<void> {
      if (caller === undefined) return;
      const [seen] = await sql.query<{ allowed: boolean }>(mayExport, [caller.accountId, file]);
      if (seen?.allowed !== true) await refuse(caller.accountId);
    },
  };
};
