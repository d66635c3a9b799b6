import { AppError, conflict, invalid } from '../../lib/errors.js';
import { listed } from '../../lib/listing.js';
import { recordAudit } from '../../storage/postgres/audit.js';
import { processesWithoutKey } from '../../storage/postgres/live-processes.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Cipher } from './cipher.js';

/** Upstream keys of users: encrypted in the database, decrypted only for the request that needs one. */
export interface UserKeys {
  /** Slugs for which the account has a key. */
  list(accountId: number): Promise<Record<string, true>>;
  has(accountId: number, slug: string): Promise<boolean>;
  /** Stores, replaces, or (null, empty) deletes a key. Of two concurrent updates of one key, one is a conflict. */
  put(
    accountId: number,
    slug: string,
    key: string | null | undefined,
  ): Promise<{ slug: string; has_key: boolean }>;
  read(accountId: number, slug: string): Promise<{ value: string; fingerprint: string } | undefined>;
  /**
   * Re-encrypts every key that an older master key encrypted with the current one.
   * @returns number of keys that were re-encrypted
   * @throws AppError 409 `process_lacks_key` while a running process does not have the current master key
   */
  rotate(): Promise<number>;
}

const longestKey = 512;

/** The key as it will be sent; null to delete. Control characters cannot be sent in a header or an address. */
const normalizeKey = (key: string | null | undefined): string | null => {
  const trimmed = (key ?? '').trim();
  if (trimmed === '') return null;
  if (trimmed.length > longestKey)
    throw invalid('invalid_api_key', `'api_key' must have at most ${longestKey} characters.`);
  if (!/^[\x20-\x7e]+$/.test(trimmed))
    throw invalid('invalid_api_key', `'api_key' must consist of printable ASCII characters.`);
  return trimmed;
};

interface Row {
  account_id: number;
  provider: string;
  master_key_id: string;
  sealed: Buffer;
}

// Does not wait: an update that arrives during another one is a conflict.
const tryLock = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked`;
const upsert = `
  INSERT INTO user_keys (account_id, provider, master_key_id, sealed, fingerprint)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (account_id, provider) DO UPDATE SET master_key_id = excluded.master_key_id,
    sealed = excluded.sealed, fingerprint = excluded.fingerprint, updated_at = now()`;
const batch = `
  SELECT account_id, provider, master_key_id, sealed FROM user_keys WHERE master_key_id <> $1
   ORDER BY account_id, provider LIMIT 100 FOR UPDATE SKIP LOCKED`;

const contextOf = (accountId: number, slug: string): string[] => [String(accountId), slug];

export interface UserKeysOptions {
  readonly sql: Sql;
  /** Undefined: no master key is configured, so no key can be stored. */
  readonly cipher: Cipher | undefined;
}

export const createUserKeys = ({ sql, cipher }: UserKeysOptions): UserKeys => {
  const requireCipher = (): Cipher => {
    if (cipher !== undefined) return cipher;
    throw new AppError(
      'unavailable',
      'no_master_key',
      'Keys cannot be stored: the service has no master key.',
    );
  };

  const save = async (tx: Sql, accountId: number, slug: string, key: string): Promise<void> => {
    const { seal, fingerprint, currentId } = requireCipher();
    const sealed = seal(key, contextOf(accountId, slug));
    await tx.query(upsert, [accountId, slug, currentId, sealed, fingerprint(key, [slug])]);
  };

  const rotateBatch = (): Promise<number> =>
    sql.tx(async (tx) => {
      const { open, currentId } = requireCipher();
      const rows = await tx.query<Row>(batch, [currentId]);
      for (const { account_id, provider, master_key_id, sealed } of rows) {
        await save(tx, account_id, provider, open(master_key_id, sealed, contextOf(account_id, provider)));
      }
      return rows.length;
    });

  return {
    async list(accountId) {
      const rows = await sql.query<{ provider: string }>(
        'SELECT provider FROM user_keys WHERE account_id = $1 ORDER BY provider',
        [accountId],
      );
      return Object.fromEntries(rows.map(({ provider }) => [provider, true as const]));
    },
    async has(accountId, slug) {
      const rows = await sql.query('SELECT 1 FROM user_keys WHERE account_id = $1 AND provider = $2', [
        accountId,
        slug,
      ]);
      return rows.length > 0;
    },
    put(accountId, slug, given) {
      const key = normalizeKey(given);
      return sql.tx(async (tx) => {
        const [lock] = await tx.query<{ locked: boolean }>(tryLock, [
          JSON.stringify(['user key', accountId, slug]),
        ]);
        if (lock?.locked !== true) {
          throw conflict('key_update_conflict', `The key for '${slug}' is being changed by another request.`);
        }
        if (key === null)
          await tx.query('DELETE FROM user_keys WHERE account_id = $1 AND provider = $2', [accountId, slug]);
        else await save(tx, accountId, slug, key);
        await recordAudit(tx, {
          action: key === null ? 'provider_key.remove' : 'provider_key.set',
          target: { kind: 'provider', name: slug },
          details: { accountId },
        });
        return { slug, has_key: key !== null };
      });
    },
    async read(accountId, slug) {
      const [row] = await sql.query<Row & { fingerprint: string }>(
        'SELECT account_id, provider, master_key_id, sealed, fingerprint FROM user_keys WHERE account_id = $1 AND provider = $2',
        [accountId, slug],
      );
      if (row === undefined) return undefined;
      const value = requireCipher().open(row.master_key_id, row.sealed, contextOf(accountId, slug));
      return { value, fingerprint: row.fingerprint };
    },
    async rotate() {
      const { currentId } = requireCipher();
      const lacking = await processesWithoutKey(sql, currentId);
      if (lacking.length > 0)
        throw conflict(
          'process_lacks_key',
          `Not rotated: ${listed(lacking)} ${lacking.length === 1 ? 'runs' : 'run'} without the master key ${currentId}. Add it to MASTER_KEYS there and restart, then rotate.`,
        );
      let rotated = 0;
      for (let done = await rotateBatch(); done > 0; done = await rotateBatch()) rotated += done;
      return rotated;
    },
  };
};
