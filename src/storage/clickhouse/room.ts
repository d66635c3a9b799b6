/**
 * On a full disk ClickHouse (seen in 26.7) creates and changes tables without an error and leaves the file with their definition empty, and
 * likewise the file of a mutation. It cannot start with either of them. Its setting for reserved space only affects its inserts and merges,
 * and not other programs on the disk. So a statement that writes such a file is sent only if there is enough free space.
 */
import { unavailable } from '../../lib/errors.js';

/** Statements that need disk space. Those that drop or move whole partitions or tables free it. */
const writesDefinition =
  /^\s*(?:CREATE (?:OR REPLACE )?(?:TABLE|DATABASE)|ALTER TABLE\s+\S+\s+(?!(?:DROP|REPLACE|ATTACH|DETACH|MOVE)\s+PARTITION\b)|DELETE FROM)\b/;

const unlessThere = /^\s*CREATE (TABLE|DATABASE) IF NOT EXISTS (\S+)/;

/** Definitions of the widest tables need half a MiB. */
const minBytes = 16 * 1024 * 1024;

/** Free bytes of the disk with the definitions, without its reserve. Object storage reports a very large number. */
const freeSql = `SELECT toString(free_space) AS free FROM system.disks WHERE name = 'default'`;

/** @throws AppError `store_unavailable`, as for a server that is down: a retry succeeds once there is space */
export const ensureRoom = async (
  sql: string,
  rows: <T>(query: string) => Promise<readonly T[]>,
): Promise<void> => {
  if (!writesDefinition.test(sql)) return;
  const [disk] = await rows<{ readonly free: string }>(freeSql);
  if (disk === undefined || Number(disk.free) >= minBytes) return;
  const [, kind, name] = unlessThere.exec(sql) ?? [];
  if (kind !== undefined) {
    // Processes must start on a full disk too, and nothing is written for an existing table.
    const [found] = await rows<{ readonly result: number }>(`EXISTS ${kind} ${name}`);
    if (found?.result === 1) return;
  }
  throw unavailable('store_unavailable', 'The disk of the data store is full at the moment.', {
    cause: new Error(`the disk of ClickHouse is full: ${disk.free} bytes are free`),
    retryAfterSeconds: 60,
  });
};
