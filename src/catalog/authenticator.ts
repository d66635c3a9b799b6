import { AppError, isAppError } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { type AccountRow, accountColumns, callerOfRow } from './account-caller.js';
import { hashApiKey } from './api-key.js';
import { noteKeyUse, usedLongAgo } from './keys.js';

/**
 * Finds the account behind an API key.
 * @throws AppError `unauthenticated`: unknown, revoked or expired key, disabled account.
 */
export type Authenticator = (key: string) => Promise<Caller>;

export interface KeyRow extends AccountRow {
  keyId: number;
  readOnly: boolean;
  repositoryIds: number[] | null;
  revoked: boolean;
  expired: boolean;
  /** An operator has disabled the account. */
  disabled: boolean;
  /** The time of last use is worth writing again. */
  stale: boolean;
}

/** Everything a caller is made of. */
export const keySql = (condition: string): string => `
  SELECT k.id AS "keyId", k.read_only AS "readOnly", to_json(k.repository_ids) AS "repositoryIds",
    k.revoked_at IS NOT NULL AS revoked, a.disabled_at IS NOT NULL AS disabled, coalesce(k.expires_at <= now(), false) AS expired,
    ${usedLongAgo('k')} AS stale,
    ${accountColumns}
  FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE ${condition}`;

const keyByHash = prepared(keySql('k.hash = $1'));
const keysById = prepared(keySql('k.id = ANY ($1)'));

const refused = (code: string, message: string): AppError => new AppError('unauthenticated', code, message);

const callerOf = (row: KeyRow): Caller =>
  callerOfRow(row, { id: row.keyId, readOnly: row.readOnly, repositoryIds: row.repositoryIds });

const requireValid = (row: KeyRow | undefined): KeyRow => {
  if (row === undefined) throw refused('unknown_key', 'The API key is not valid.');
  if (row.revoked) throw refused('key_revoked', 'The API key was revoked.');
  if (row.expired) throw refused('key_expired', 'The API key has expired.');
  if (row.disabled) throw refused('account_disabled', 'The account was disabled by an operator.');
  return row;
};

/** The caller that a key belongs to, or why the key is refused. */
export type FoundCaller =
  | { readonly caller: Caller | undefined; readonly refused?: undefined }
  | { readonly caller?: undefined; readonly refused: AppError };

export const foundCaller = (row: KeyRow | undefined): FoundCaller => {
  try {
    return { caller: callerOf(requireValid(row)) };
  } catch (error) {
    if (isAppError(error)) return { refused: error };
    throw error;
  }
};

/** Callers of these keys with their present rights, for work that continues after its request was answered. */
export const callersOfKeys = async (
  sql: Sql,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, FoundCaller>> => {
  if (keyIds.length === 0) return new Map();
  const rows = await sql.query<KeyRow>(keysById, [keyIds]);
  const byId = new Map(rows.map((row) => [row.keyId, row]));
  return new Map(keyIds.map((id) => [id, foundCaller(byId.get(id))]));
};

/**
 * The same for one key.
 * @throws AppError `unauthenticated`: the key was revoked or has expired meanwhile.
 */
export const callerOfKey = async (sql: Sql, keyId: number): Promise<Caller> => {
  const [row] = await sql.query<KeyRow>(keySql('k.id = $1'), [keyId]);
  return callerOf(requireValid(row));
};

export interface AuthenticatorOptions {
  readonly sql: Sql;
  /** Called for each request with a valid key. */
  readonly onUse?: (keyId: number) => void;
}

/**
 * One indexed query per request and nothing remembered: a key that is revoked, a team that is left and a plan
 * that is changed count at once, in every process. The index is searched by the SHA-256 of what was sent, so
 * the time it takes says nothing about a key that exists.
 */
export const createAuthenticator =
  ({ sql, onUse }: AuthenticatorOptions): Authenticator =>
  async (key) => {
    const [found] = await sql.query<KeyRow>(keyByHash, [hashApiKey(key)]);
    const row = requireValid(found);
    onUse?.(row.keyId);
    if (row.stale) await noteKeyUse(sql, row.keyId);
    return callerOf(row);
  };
