/** Statements on `read_links`. No other file writes this table. */
import type { PreparedStatement } from '../storage/postgres/sql.js';
import { named, prepared } from '../storage/postgres/sql.js';
import { accountColumns } from './account-caller.js';
import type { KeyRow } from './authenticator.js';
import { usedLongAgo } from './keys.js';
import { rowLimits } from './row-limits.js';

const today = `(now() AT TIME ZONE 'UTC')::date`;
const dayBytes = `CASE WHEN l.day = ${today} THEN l.day_bytes ELSE 0 END`;
const bytesToday = `${dayBytes} AS "bytesToday"`;

/** How the answer of a link is drawn. */
export interface LinkChart {
  readonly kind: 'line' | 'bar' | 'scatter';
  readonly title: string;
  readonly theme: 'auto' | 'light' | 'dark';
}

/** A link as its owner sees it, without its address. */
export interface ReadLink {
  readonly id: number;
  readonly name: string;
  readonly datasetId: number;
  readonly datasetName: string;
  /** Start of the token, for recognition in lists. */
  readonly prefix: string;
  /** Options of the download. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Null: the answer is rows. */
  readonly chart: LinkChart | null;
  /** The key that limits the link; the link ends with it. Null: it depends only on the account. */
  readonly keyId: number | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly maxBytesPerDay: number | null;
  /** Exact to a minute. */
  readonly lastUsedAt: string | null;
  /** Answers with rows. */
  readonly reads: number;
  readonly bytes: number;
  readonly bytesToday: number;
}

/** The row of a link. */
export interface ShownRow
  extends Omit<ReadLink, 'query' | 'chart' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  query: string;
  chart: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Select items of `ShownRow`; the link is `l`. */
const columns = `l.id, l.name, l.dataset_id AS "datasetId",
  (SELECT d.name FROM datasets d WHERE d.id = l.dataset_id) AS "datasetName", l.prefix, l.query, l.chart,
  l.key_id AS "keyId",
  l.created_at AS "createdAt", l.expires_at AS "expiresAt", l.max_bytes_per_day AS "maxBytesPerDay",
  l.last_used_at AS "lastUsedAt", l.reads, l.bytes, ${bytesToday}`;

/** Condition that a caller may see the link `l`: a key limited to some repositories only sees its own links. */
const seen = 'l.account_id = :accountId AND (:keyId::bigint IS NULL OR l.key_id = :keyId)';

export const insertLink = named(`
  INSERT INTO read_links AS l (account_id, dataset_id, key_id, name, prefix, hash, query, chart, expires_at, max_bytes_per_day)
  SELECT :accountId, :datasetId, :keyId, :name, :prefix, :hash, :query, :chart, :expiresAt, :maxBytesPerDay
  WHERE (SELECT count(*) FROM read_links WHERE account_id = :accountId) < ${rowLimits.links}
  RETURNING ${columns}`);

export const listLinks = named(`SELECT ${columns} FROM read_links l WHERE ${seen} ORDER BY l.id`);

export const updateLink = named(`
  UPDATE read_links l SET name = coalesce(:name, l.name),
    expires_at = CASE WHEN :setsExpiry THEN :expiresAt ELSE l.expires_at END,
    max_bytes_per_day = CASE WHEN :setsBytes THEN :maxBytesPerDay ELSE l.max_bytes_per_day END
  WHERE l.id = :id AND ${seen} RETURNING ${columns}`);

export const deleteLink = named(`DELETE FROM read_links l WHERE l.id = :id AND ${seen} RETURNING ${columns}`);

/** Row of `KeyRow` for the account of a link `link` that has not expired. */
export const linkCallerSql = (condition: string): string => `
  SELECT coalesce(k.id, 0) AS "keyId", true AS "readOnly", to_json(k.repository_ids) AS "repositoryIds",
    k.revoked_at IS NOT NULL AS revoked, a.disabled_at IS NOT NULL AS disabled,
    coalesce(k.expires_at <= now(), false) AS expired, false AS stale, ${accountColumns}
  FROM read_links link JOIN accounts a ON a.id = link.account_id LEFT JOIN api_keys k ON k.id = link.key_id
  WHERE ${condition} AND (link.expires_at IS NULL OR link.expires_at > now())`;

/** Columns of the account are null for an expired link. */
export interface FoundRow extends KeyRow {
  linkId: number;
  datasetId: number;
  query: string;
  chart: string | null;
  maxBytesPerDay: number | null;
  bytesToday: number;
  usedLongAgo: boolean;
}

export const findLink: PreparedStatement = prepared(`
  SELECT l.id AS "linkId", l.dataset_id AS "datasetId", l.query, l.chart, l.max_bytes_per_day AS "maxBytesPerDay",
    ${bytesToday}, ${usedLongAgo('l')} AS "usedLongAgo", account.*
  FROM read_links l LEFT JOIN LATERAL (${linkCallerSql('link.id = l.id')}) AS account ON true WHERE l.hash = $1`);

export const noteLinkUse: PreparedStatement = prepared(
  `UPDATE read_links l SET last_used_at = now() WHERE l.id = $1 AND ${usedLongAgo('l')}`,
);

/**
 * Adds `$2` bytes and `$3` responses; `$4` is the id of the response. Commits without waiting for the disk (see `export-usage.ts`).
 */
export const addLinkUse: PreparedStatement = prepared(`
  WITH without_sync AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE read_links l SET reads = l.reads + $3, bytes = l.bytes + $2, last_used_at = now(), day = ${today},
    day_bytes = ${dayBytes} + $2,
    last_read = CASE WHEN ${dayBytes} < l.max_bytes_per_day AND ${dayBytes} + $2 >= l.max_bytes_per_day
      THEN $4::uuid WHEN l.day = ${today} THEN l.last_read END
  FROM without_sync WHERE l.id = $1
  RETURNING l.max_bytes_per_day AS "limit", l.day_bytes AS used,
    l.max_bytes_per_day IS NULL OR l.day_bytes < l.max_bytes_per_day OR l.last_read = $4::uuid AS "isAllowed"`);
