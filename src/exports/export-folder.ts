/**
 * Limits the bytes of export files, in total and per account, by removing the least recently used.
 *
 * The list of files is in PostgreSQL: all API processes share it, and it survives a restart. Uses are collected in memory and written by the
 * next check. The file that was used last is never removed, neither in total nor of an account, however large it is.
 */
import type { Log } from '../lib/log.js';
import type { ObjectState, ObjectStorage, StoredObject } from '../storage/objects/object-storage.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';

interface AddedFile extends Pick<ObjectState, 'size' | 'storedAtMs'> {
  readonly key: string;
  readonly datasetId: number;
  /** Time when it was complete, by `performance.now()`. */
  readonly madeAt: number;
}

export interface ExportFolder {
  /** Adds a finished file to the list, and evicts others for it. */
  add(file: AddedFile): Promise<void>;
  /** Records that the file was used now. */
  use(key: string): void;
  /** Adds stored files that are not in the list, by their versions; a restored catalog may lack some. */
  adopt(stored: ReadonlyMap<StoredObject, number>): Promise<void>;
  /** Removes files from the list that were removed from the storage. */
  forget(keys: readonly string[]): Promise<void>;
  /** Removes files beyond the limits. Returns their number. */
  enforceLimits(): Promise<number>;
  /** Files and bytes of all accounts. */
  size(): Promise<{ readonly files: number; readonly bytes: number }>;
}

interface ExportFolderOptions {
  readonly sql: Sql;
  readonly storage: Pick<ObjectStorage, 'delete'>;
  /** Maximum bytes of all files. An account may use a quarter of it, and at most what its plan lets it store. */
  readonly maxBytes: number;
  /** Milliseconds after which the sweep removes a file. */
  readonly maxAgeMs: number;
  readonly log: Log;
}

/** One account may use 1/`accountShare` of the total. */
const accountShare = 4;
/** The limits are checked after a process has made 1/`checkedShare` of the total, or `maxUncheckedBytes` bytes. */
const checkedShare = 20;
const maxUncheckedBytes = 4 * 1024 * 1024;

const lockSql = `SELECT pg_advisory_xact_lock(hashtextextended('export folder', 0))`;

/** Used when the file was complete: the statement may be late, and the order of use is that of the files. */
const addSql = prepared(`
  INSERT INTO export_files AS e (key, account_id, bytes, stored_at, used_at)
  SELECT $1, r.created_by, $3, to_timestamp($4::float8 / 1000), now() - $5::float8 * interval '1 millisecond'
    FROM datasets d JOIN repositories r ON r.id = d.repository_id WHERE d.id = $2
  ON CONFLICT (key) DO UPDATE SET account_id = excluded.account_id, bytes = excluded.bytes,
    stored_at = excluded.stored_at, used_at = greatest(e.used_at, excluded.used_at)`);

/** The owner is that of the version or, if it was deleted, that of its oldest clone. */
const adoptSql = prepared(`
  INSERT INTO export_files (key, account_id, bytes, stored_at, used_at)
  SELECT s.key, o.account_id, s.size, to_timestamp(s.at / 1000.0), to_timestamp(s.at / 1000.0)
    FROM jsonb_to_recordset($1::jsonb) AS s (key text, size bigint, version bigint, at float8)
    CROSS JOIN LATERAL (
      SELECT r.created_by AS account_id FROM versions v
        JOIN datasets d ON d.id = v.dataset_id JOIN repositories r ON r.id = d.repository_id
      WHERE v.id = s.version OR v.content_id = s.version ORDER BY v.id LIMIT 1) o
   WHERE NOT EXISTS (SELECT FROM export_files e WHERE e.key = s.key)
   ORDER BY s.key
  ON CONFLICT (key) DO NOTHING`);

/** Ages instead of times, since the clocks of processes may differ. The transaction may have waited for its lock. */
const useSql = prepared(`
  UPDATE export_files e SET used_at = greatest(e.used_at, statement_timestamp() - u.age * interval '1 millisecond')
    FROM jsonb_to_recordset($1::jsonb) AS u (key text, age float8) WHERE e.key = u.key`);

/** Older entries have no file, since the sweep removes files by age. */
const expireSql = prepared(
  `DELETE FROM export_files WHERE stored_at < now() - $1 * interval '1 millisecond'`,
);

/** Keeps the most recently used files that fit. The others are removed from the list first, so that no entry lacks a file. */
const evictSql = prepared(`
  DELETE FROM export_files WHERE key IN (
    SELECT f.key FROM (
      SELECT e.key, e.account_id,
        sum(e.bytes) OVER everyone AS total, row_number() OVER everyone AS place,
        sum(e.bytes) OVER own AS own, row_number() OVER own AS own_place
      FROM export_files e
      WINDOW everyone AS (ORDER BY e.used_at DESC, e.key ROWS UNBOUNDED PRECEDING),
        own AS (PARTITION BY e.account_id ORDER BY e.used_at DESC, e.key ROWS UNBOUNDED PRECEDING)) f
      JOIN accounts a ON a.id = f.account_id JOIN plans p ON p.name = a.plan
    WHERE f.total > $1::bigint AND f.place > 1
       OR f.own > least($1::bigint / ${accountShare}, p.max_stored_bytes) AND f.own_place > 1)
  RETURNING key`);

export const createExportFolder = (options: ExportFolderOptions): ExportFolder => {
  const { sql, storage, maxBytes, maxAgeMs, log } = options;
  /** Time of the last use of files, by `performance.now()`, until it is in the list. */
  const used = new Map<string, number>();
  let unchecked = 0;

  const writeUses = async (tx: Sql, uses: readonly (readonly [key: string, at: number])[]): Promise<void> => {
    if (uses.length === 0) return;
    const now = performance.now();
    await tx.query(useSql, [JSON.stringify(uses.map(([key, at]) => ({ key, age: now - at })))]);
  };

  const enforceLimits = async (): Promise<number> => {
    unchecked = 0;
    const { uses, evicted } = await sql.tx(async (tx) => {
      // One process at a time, since processes would lock rows in different orders.
      await tx.query(lockSql);
      // All of them: another check of this process may have begun earlier and still wait for its connection.
      const uses = [...used];
      await writeUses(tx, uses);
      await tx.query(expireSql, [maxAgeMs]);
      return { uses, evicted: await tx.query<{ key: string }>(evictSql, [maxBytes]) };
    });
    for (const [key, at] of uses) if (used.get(key) === at) used.delete(key);
    for (const { key } of evicted) await storage.delete(key);
    if (evicted.length > 0) log.info({ removed: evicted.length }, 'export files made room for others');
    return evicted.length;
  };

  return {
    async add({ key, datasetId, size, storedAtMs, madeAt }) {
      await sql.query(addSql, [key, datasetId, size, storedAtMs, performance.now() - madeAt]);
      unchecked += size;
      if (unchecked >= Math.min(maxBytes / checkedShare, maxUncheckedBytes)) await enforceLimits();
    },

    use(key) {
      used.set(key, performance.now());
    },

    async adopt(stored) {
      const files = [...stored].map(([{ key, size, storedAtMs }, version]) => ({
        key,
        size,
        version,
        at: storedAtMs,
      }));
      await sql.query(adoptSql, [JSON.stringify(files)]);
    },

    async forget(keys) {
      await sql.tx(async (tx) => {
        await tx.query(lockSql);
        await tx.query('DELETE FROM export_files WHERE key = ANY ($1)', [keys]);
      });
    },

    enforceLimits,

    async size() {
      const [row] = await sql.query<{ files: number; bytes: number }>(
        'SELECT count(*) AS files, coalesce(sum(bytes), 0)::bigint AS bytes FROM export_files',
      );
      return row ?? { files: 0, bytes: 0 };
    },
  };
};
