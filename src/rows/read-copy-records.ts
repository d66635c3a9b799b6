/** Read copies in PostgreSQL (migrations: `read_copies`). No other file writes them. */
import type { ReadableVersion } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Milliseconds until a failed copy, or one without space, is retried. */
export const retryMs = 3_600_000;

/** Milliseconds until a copy is retried that failed because a server was down. */
export const outageRetryMs = 60_000;

/** A version whose copy was requested. */
export interface WantedCopy {
  readonly versionId: number;
  readonly datasetId: number;
}

/**
 * Records that a version was read. Returns whether it has a copy.
 * @param requests True: a copy is requested if there is none.
 */
export const noteRead = async (sql: Sql, versionId: number, requests: boolean): Promise<boolean> => {
  const renewed = requests
    ? `INSERT INTO read_copies (version_id) SELECT id FROM versions WHERE id = $1
       ON CONFLICT (version_id) DO UPDATE SET read_at = now()`
    : 'UPDATE read_copies SET read_at = now() WHERE version_id = $1';
  const [row] = await sql.query<{ isMade: boolean }>(`${renewed} RETURNING made_at IS NOT NULL AS "isMade"`, [
    versionId,
  ]);
  return row?.isMade ?? false;
};

/** Condition that a copy was read within the last hour: it is not dropped for others. */
const isInUse = (copies: string): string => `${copies}.read_at >= now() - interval '1 hour'`;

/** `FROM` and `WHERE` of the copies of versions with few rows. @param minRows Parameter with the fewest rows of the others. */
const madeSmall = (minRows: string): string =>
  `read_copies m JOIN versions mv ON mv.id = m.version_id WHERE m.made_at IS NOT NULL AND mv.row_count < ${minRows}`;

export interface CopyLimits {
  /** Minimum age in milliseconds of a version that will probably be replaced soon. */
  readonly quietMs: number;
  /** Versions with fewer rows are small. */
  readonly minRows: number;
  /** Most copies of small versions. */
  readonly maxCount: number;
}

/** Conditions in SQL. */
export interface CopyConditions {
  /** Something is writing a store. @param stores Alias of `stores`. */
  readonly isBeingWritten: (stores: string) => string;
  /** The current version of a dataset will probably not be replaced soon. @param versions Alias of `versions`. */
  readonly isSeldomReplaced: (versions: string) => string;
}

/**
 * Finds the most recently read version without its requested copy that is old enough and whose store nothing is writing. Requests of the last
 * hour count, so that a copy never displaces one that was read later; small versions only if not all copies of their kind are in use.
 */
export const nextWanted = async (
  sql: Sql,
  { quietMs, minRows, maxCount }: CopyLimits,
  { isBeingWritten, isSeldomReplaced }: CopyConditions,
): Promise<(WantedCopy & { readonly isSmall: boolean }) | undefined> => {
  const [wanted] = await sql.query<WantedCopy & { isSmall: boolean }>(
    `SELECT v.id AS "versionId", v.dataset_id AS "datasetId", v.row_count < $2 AS "isSmall" FROM read_copies c
       JOIN versions v ON v.id = c.version_id JOIN datasets d ON d.id = v.dataset_id JOIN stores s ON s.id = d.store_id
     WHERE c.made_at IS NULL AND c.next_try_at <= now() AND ${isInUse('c')}
       AND (v.created_at <= now() - $1::double precision * interval '1 millisecond'
         OR v.id = d.current_version_id AND ${isSeldomReplaced('v')})
       AND (v.row_count >= $2 OR (SELECT count(*) FROM ${madeSmall('$2')} AND ${isInUse('m')}) < $3)
       AND NOT ${isBeingWritten('s')} ORDER BY c.read_at DESC LIMIT 1`,
    [quietMs, minRows, maxCount],
  );
  return wanted;
};

/** Forgets the least recently read copies of small versions beyond a number. */
export const forgetSurplus = async (sql: Sql, minRows: number, maxCount: number): Promise<void> => {
  await sql.query(
    `DELETE FROM read_copies WHERE version_id IN
       (SELECT m.version_id FROM ${madeSmall('$1')} ORDER BY m.read_at DESC, m.version_id DESC OFFSET $2)`,
    [minRows, maxCount],
  );
};

/**
 * Records the table of a new attempt. Returns false if the copy is no longer requested, or the rows of the version were repaired since it
 * was read. A later repair forgets the attempt.
 */
export const beginCopy = async (
  sql: Sql,
  { versionId, repairs = 0 }: Pick<ReadableVersion, 'versionId' | 'repairs'>,
  table: string,
): Promise<boolean> => {
  const begun = await sql.query(
    `UPDATE read_copies SET table_name = $2 WHERE version_id = $1 AND made_at IS NULL
       AND EXISTS (SELECT 1 FROM versions v WHERE v.id = version_id AND v.repairs = $3) RETURNING 1`,
    [versionId, table, repairs],
  );
  return begun.length > 0;
};

/** Publishes the copy to readers. Returns false if another attempt has started, or the copy is no longer requested. */
export const publishCopy = async (
  sql: Sql,
  versionId: number,
  {
    table,
    plain,
    bytes,
  }: { readonly table: string; readonly plain: readonly string[]; readonly bytes: number },
): Promise<boolean> => {
  const published = await sql.query(
    `UPDATE read_copies SET made_at = now(), plain_columns = $3, bytes = $4
     WHERE version_id = $1 AND table_name = $2 AND made_at IS NULL RETURNING 1`,
    [versionId, table, plain, bytes],
  );
  return published.length > 0;
};

/** Ends an attempt; the next one is due after so many milliseconds. */
export const postponeCopy = async (sql: Sql, versionId: number, ms: number): Promise<void> => {
  await sql.query(
    `UPDATE read_copies SET table_name = NULL, next_try_at = now() + $2::double precision * interval '1 millisecond'
     WHERE version_id = $1 AND made_at IS NULL`,
    [versionId, ms],
  );
};

/** Withdraws a copy that cannot be read. It is made again, not before so many milliseconds have passed. Returns false if it is gone already. */
export const withdrawCopy = async (sql: Sql, table: string, ms: number): Promise<boolean> => {
  const withdrawn = await sql.query(
    `UPDATE read_copies SET table_name = NULL, made_at = NULL, next_try_at = now() + $2::double precision * interval '1 millisecond'
     WHERE table_name = $1 RETURNING 1`,
    [table, ms],
  );
  return withdrawn.length > 0;
};

/** Forgets the copies of versions whose rows were repaired; reads request a new one. */
export const forgetCopies = async (tx: Sql, versionIds: readonly number[]): Promise<void> => {
  await tx.query('DELETE FROM read_copies WHERE version_id = ANY ($1)', [versionIds]);
};

/** Forgets copies that were not read for so many milliseconds. Returns their number. */
export const forgetUnread = async (sql: Sql, ms: number): Promise<number> =>
  (
    await sql.query(
      `DELETE FROM read_copies WHERE read_at < now() - $1::double precision * interval '1 millisecond' RETURNING 1`,
      [ms],
    )
  ).length;

/** Tables of published copies. */
export const madeTables = async (sql: Sql): Promise<string[]> =>
  (
    await sql.query<{ table: string }>(
      'SELECT table_name AS "table" FROM read_copies WHERE made_at IS NOT NULL',
    )
  ).map(({ table }) => table);

export const forgetTables = async (sql: Sql, tables: readonly string[]): Promise<void> => {
  await sql.query('DELETE FROM read_copies WHERE table_name = ANY ($1)', [tables]);
};

/** Tables that belong to no copy, not even to one in progress. */
export const unknownTables = async (sql: Sql, tables: readonly string[]): Promise<string[]> =>
  (
    await sql.query<{ table: string }>(
      `SELECT f.name AS "table" FROM unnest($1::text[]) AS f (name)
       WHERE NOT EXISTS (SELECT 1 FROM read_copies c WHERE c.table_name = f.name)`,
      [tables],
    )
  ).map(({ table }) => table);

export interface Room {
  /** Upper bound of the bytes of the new copy. */
  readonly bytes: number;
  /** Free bytes on disk. */
  readonly freeBytes: number;
  /** Maximum bytes of all copies. */
  readonly maxBytes: number;
}

/** Largest share that copies may take of the disk space that would be free without them. */
const maxSpaceShare = 0.25;

/**
 * Makes room for a copy by forgetting copies that were not read in the last hour: first those of older versions of its dataset, then the
 * least recently read. Returns false, and forgets none, if that is not enough.
 */
export const makeRoom = (
  sql: Sql,
  { versionId, datasetId }: WantedCopy,
  { bytes, freeBytes, maxBytes }: Room,
): Promise<boolean> =>
  sql.tx(async (tx) => {
    const made = await tx.query<{ versionId: number; bytes: number; isOlder: boolean; isIdle: boolean }>(
      `SELECT c.version_id AS "versionId", c.bytes, v.dataset_id = $1 AND v.id < $2 AS "isOlder",
         NOT ${isInUse('c')} AS "isIdle"
       FROM read_copies c JOIN versions v ON v.id = c.version_id WHERE c.made_at IS NOT NULL ORDER BY c.read_at`,
      [datasetId, versionId],
    );
    const idle = made.filter(({ isIdle }) => isIdle);
    const dropped = idle.filter(({ isOlder }) => isOlder);
    const bytesOf = (copies: typeof made): number => copies.reduce((sum, copy) => sum + copy.bytes, 0);
    const most = Math.min(maxBytes, maxSpaceShare * (freeBytes + bytesOf(made)));
    let free = most - bytes - bytesOf(made) + bytesOf(dropped);
    for (const copy of idle) {
      if (free >= 0) break;
      if (copy.isOlder) continue;
      dropped.push(copy);
      free += copy.bytes;
    }
    if (free < 0) return false;
    await tx.query('DELETE FROM read_copies WHERE version_id = ANY ($1)', [
      dropped.map((copy) => copy.versionId),
    ]);
    return true;
  });
