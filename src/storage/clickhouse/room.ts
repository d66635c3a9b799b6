/**
 * On a full disk ClickHouse (seen in 26.7) makes and changes tables without an error and leaves the file with their
 * definition empty; so it does with the file of a mutation. It cannot start with either. What it is configured to keep free, it
 * keeps from inserts and merges alone, and not at all from others on the disk. So a statement that writes such a file is sent
 * only while there is room.
 */
import { unavailable } from '../../lib/errors.js';

/** Statements that need disk space. Those that drop or move whole partitions or tables free it. */
const writesDefinition =
  /^\s*(?:CREATE (?:OR REPLACE )?(?:TABLE|DATABASE)|ALTER TABLE\s+\S+\s+(?!(?:DROP|REPLACE|ATTACH|DETACH|MOVE)\s+PARTITION\b)|DELETE FROM)\b/;

const unlessThere = /^\s*CREATE (TABLE|DATABASE) IF NOT EXISTS (\S+)/;

/** Definitions of the widest tables take half a MiB. */
const leastBytes = 16 * 1024 * 1024;

/** Free bytes of the disk that definitions are on, without its reserve; object storage reports a very large number. */
const freeSql = `SELECT toString(free_space) AS free FROM system.disks WHERE name = 'default'`;

/** @throws AppError `store_unavailable`, as for a server that is down: a retry succeeds once there is room. */
export const ensureRoom = async (
  sql: string,
  rows: <T>(query: string) => Promise<readonly T[]>,
): Promise<void> => {
  if (!writesDefinition.test(sql)) return;
  const [disk] = await rows<{ readonly free: string }>(freeSql);
  if (disk === undefined || Number(disk.free) >= leastBytes) return;
  const [, kind, name] = unlessThere.exec(sql) ?? [];
  if (kind !== undefined) {
    // Processes start on a full disk too: nothing is written for what is there.
    const [found] = await rows<{ readonly result: number }>(`EXISTS ${kind} ${name}`);
    if (found?.result === 1) return;
  }
  throw unavailable('store_unavailable', 'The disk of the data store is full at the moment.', {
    cause: new Error(`the disk of ClickHouse is full: ${disk.free} bytes are free`),
    retryAfterSeconds: 60,
  });
};
