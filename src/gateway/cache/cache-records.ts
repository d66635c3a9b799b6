import type { Sql } from '../../storage/postgres/sql.js';

/** A cache entry, in memory or in PostgreSQL. */
export interface Kept {
  readonly body: string;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
}

/** Answers in PostgreSQL: they survive a restart, and processes share them. */
export interface CacheRecords {
  get(key: string): Promise<Kept | undefined>;
  set(key: string, provider: string, kept: Kept): Promise<void>;
  /** Evicts the least recently used entries down to the size limit, and those that are too old to be served even as stale. */
  trim(): Promise<void>;
}

export interface CacheRecordsOptions {
  readonly sql: Sql;
  readonly maxBytes: number;
  /** Milliseconds for which an answer is kept beyond its validity, in case the upstream is down. */
  readonly staleMs: number;
  readonly now: () => number;
}

interface Row {
  body: string;
  stored_at: Date;
  fresh_until: Date;
  used_at: Date;
}

/** An entry is marked as used at most once in this time, since reads should not cause writes. */
const touchMs = 600_000;

const read = `SELECT body, stored_at, fresh_until, used_at FROM gateway_cache WHERE key = decode($1, 'hex')`;
const touch = `UPDATE gateway_cache SET used_at = $2 WHERE key = decode($1, 'hex')`;
const write = `
  INSERT INTO gateway_cache (key, provider, body, bytes, stored_at, fresh_until, used_at)
  VALUES (decode($1, 'hex'), $2, $3, $4, $5, $6, $5)
  ON CONFLICT (key) DO UPDATE SET body = excluded.body, bytes = excluded.bytes, stored_at = excluded.stored_at,
    fresh_until = excluded.fresh_until, used_at = excluded.used_at
  WHERE gateway_cache.stored_at <= excluded.stored_at`;
const dropOld = `DELETE FROM gateway_cache WHERE fresh_until < $1`;
const countBytes = 'SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM gateway_cache';
const dropUnused = `
  DELETE FROM gateway_cache WHERE key IN (
    SELECT key FROM (SELECT key, sum(bytes) OVER (ORDER BY used_at DESC, key) AS running FROM gateway_cache) AS entries
     WHERE running > $1::bigint)`;

export const createCacheRecords = ({ sql, maxBytes, staleMs, now }: CacheRecordsOptions): CacheRecords => ({
  async get(key) {
    const [row] = await sql.query<Row>(read, [key]);
    if (row === undefined) return undefined;
    if (now() - row.used_at.getTime() > touchMs) await sql.query(touch, [key, new Date(now())]);
    return { body: row.body, storedAtMs: row.stored_at.getTime(), freshUntilMs: row.fresh_until.getTime() };
  },
  async set(key, provider, { body, storedAtMs, freshUntilMs }) {
    const bytes = Buffer.byteLength(body);
    if (bytes > maxBytes / 4) return;
    await sql.query(write, [key, provider, body, bytes, new Date(storedAtMs), new Date(freshUntilMs)]);
  },
  async trim() {
    await sql.query(dropOld, [new Date(now() - staleMs)]);
    const [total] = await sql.query<{ bytes: number }>(countBytes);
    // Down to nine tenths, so that a full cache does not have to be sorted each time.
    if ((total?.bytes ?? 0) > maxBytes) await sql.query(dropUnused, [Math.floor(maxBytes * 0.9)]);
  },
});
