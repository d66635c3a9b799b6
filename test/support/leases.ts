import { randomUUID } from 'node:crypto';
import { createLeases } from '../../src/jobs/leases.js';
import { silentLog } from '../../src/lib/log.js';
import type { Sql } from '../../src/storage/postgres/sql.js';

/** Creates leases with a process id of their own. */
export const leasesOf = (sql: Sql, leaseMs = 60_000): ReturnType<typeof createLeases> =>
  createLeases({ sql, process: randomUUID(), leaseMs, log: silentLog });
