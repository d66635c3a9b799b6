import { invalid, notFound } from '../lib/errors.js';
import { firstItems, listed } from '../lib/listing.js';
import { isoUtc, isoUtcOrNull } from '../lib/time.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { named, type Sql } from '../storage/postgres/sql.js';
import { newApiKey } from './api-key.js';
import { requireName } from './names.js';
import { rowLimits, tooMany } from './row-limits.js';

/** An API key as its owner sees it, without the key itself. */
interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** Start of the key, for recognition in lists. */
  readonly prefix: string;
  readonly readOnly: boolean;
  /** Repositories it is limited to; null: all. */
  readonly repositoryIds: readonly number[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Exact to a minute. */
  readonly lastUsedAt: string | null;
}

interface CreatedApiKey extends ApiKey {
  /** Returned only once. */
  readonly key: string;
}

interface NewKey {
  readonly name: string;
  readonly readOnly?: boolean | undefined;
  readonly repositoryIds?: readonly number[] | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

export interface Keys {
  /** @throws AppError 400 for an invalid name, an expiry in the past, or repositories that are not visible. */
  create(accountId: number, key: NewKey): Promise<CreatedApiKey>;
  /** Keys that have not been revoked. */
  list(accountId: number): Promise<ApiKey[]>;
  /** Stops the key at once, in every process. @throws AppError 404. */
  revoke(accountId: number, keyId: number): Promise<void>;
}

interface KeyRow extends Omit<ApiKey, 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const columns = `id, name, prefix, read_only AS "readOnly", to_json(repository_ids) AS "repositoryIds",
  created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"`;

const shown = (row: KeyRow): ApiKey => ({
  ...row,
  createdAt: isoUtc(row.createdAt),
  expiresAt: isoUtcOrNull(row.expiresAt),
  lastUsedAt: isoUtcOrNull(row.lastUsedAt),
});

/** Condition that `last_used_at` of a key, which is exact to a minute, should be updated. */
export const usedLongAgo = (key: string): string =>
  `coalesce(${key}.last_used_at < now() - interval '1 minute', true)`;

export const noteKeyUse = async (sql: Sql, keyId: number): Promise<void> => {
  await sql.query(`UPDATE api_keys SET last_used_at = now() WHERE id = $1 AND ${usedLongAgo('api_keys')}`, [
    keyId,
  ]);
};

const requireRepositories = async (sql: Sql, accountId: number, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) throw invalid('no_repositories', 'repositoryIds must name at least one repository.');
  const known = await sql.query<{ id: number }>(
    `SELECT r.id FROM repositories r WHERE r.id = ANY ($2) AND (r.created_by = $1 OR r.privacy = 'Public'
       OR r.team_id IN (SELECT team_id FROM team_members WHERE account_id = $1)
       OR EXISTS (SELECT 1 FROM repository_grants g WHERE g.repository_id = r.id AND (g.account_id = $1
         OR g.team_id IN (SELECT team_id FROM team_members WHERE account_id = $1))))`,
    [accountId, ids],
  );
  const knownIds = new Set(known.map(({ id }) => id));
  const missing = ids.filter((id) => !knownIds.has(id));
  if (missing.length > 0)
    throw invalid('unknown_repository', `There is no repository ${listed(missing.map(String))}.`, {
      repositoryIds: firstItems(missing),
    });
};

const insertSql = named(`
  INSERT INTO api_keys (account_id, name, prefix, hash, read_only, repository_ids, expires_at)
  SELECT :accountId, :name, :prefix, :hash, :readOnly, :repositoryIds, :expiresAt
  WHERE (SELECT count(*) FROM api_keys WHERE account_id = :accountId AND revoked_at IS NULL) < ${rowLimits.keys}
  RETURNING ${columns}`);

export const createKeys = ({ sql }: { sql: Sql }): Keys => ({
  async create(accountId, { name, readOnly = false, repositoryIds = null, expiresAt = null }) {
    requireName(name);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now())
      throw invalid('expired', 'expiresAt must be in the future.');
    if (repositoryIds !== null) await requireRepositories(sql, accountId, repositoryIds);
    const { key, prefix, hash } = newApiKey();
    return sql.tx(async (tx) => {
      const [row] = await tx.query<KeyRow>(
        insertSql,
        insertSql.values({ accountId, name, prefix, hash, readOnly, repositoryIds, expiresAt }),
      );
      if (row === undefined) throw tooMany('keys', 'An account');
      const details = { accountId, prefix, readOnly, repositoryIds, expiresAt };
      await recordAudit(tx, { action: 'key.create', target: { kind: 'key', id: row.id, name }, details });
      return { ...shown(row), key };
    });
  },

  async list(accountId) {
    const rows = await sql.query<KeyRow>(
      `SELECT ${columns} FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id`,
      [accountId],
    );
    return rows.map(shown);
  },

  async revoke(accountId, keyId) {
    await sql.tx(async (tx) => {
      const [row] = await tx.query<{ name: string; prefix: string }>(
        `UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
         RETURNING name, prefix`,
        [keyId, accountId],
      );
      if (row === undefined) throw notFound('key_not_found', `You have no API key ${keyId}.`);
      const { name, prefix } = row;
      const details = { accountId, prefix };
      await recordAudit(tx, { action: 'key.revoke', target: { kind: 'key', id: keyId, name }, details });
    });
  },
});
