/**
 * On a full disk ClickHouse (seen in 26.7) makes and changes tables without an error and leaves the file with their
 * definition empty: further changes fail with `Empty query`, and at its next start it takes the table for removed. So a
 * statement that writes a definition is sent only while there is room.
 */
import { storeUnavailable } from './errors.js';

const writesDefinition =
  /^\s*(?:CREATE TABLE|ALTER TABLE \S+\s+(?:ADD|MODIFY|RENAME|RESET|COMMENT|DROP (?:COLUMN|INDEX)))\b/;

/** Definitions of the widest tables take half a MiB. */
const leastBytes = 16 * 1024 * 1024;

/** Of the disk that definitions are on, without what it is told to keep free; object storage says a very large number. */
const freeSql = `SELECT toString(free_space) AS free FROM system.disks WHERE name = 'default'`;

/** @throws AppError `store_unavailable`, as for a server that is away: it passes when there is room again. */
export const ensureRoom = async (
  sql: string,
  rows: (query: string) => Promise<readonly { readonly free: string }[]>,
): Promise<void> => {
  if (!writesDefinition.test(sql)) return;
  const [disk] = await rows(freeSql);
  if (disk === undefined || Number(disk.free) >= leastBytes) return;
  throw storeUnavailable(new Error(`the disk of ClickHouse is full: ${disk.free} bytes are free`));
};
