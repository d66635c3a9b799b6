import { AppError, isAppError } from '../lib/errors.js';
import { createSharedLookups } from '../lib/shared-lookups.js';
import type { Caller } from '../model/permission.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { datasetRows } from './access.js';
import { type DatasetRow, keyTeamIds } from './access-target.js';
import { type AccountRow, accountColumns, accountDisabled, callerOfRow } from './account-caller.js';
import { hashApiKey } from './api-key.js';
import type { FoundDatasets } from './found-datasets.js';
import { noteKeyUse, usedLongAgo } from './keys.js';

/**
 * Finds the account of an API key.
 * @param datasetId Dataset of the request, which is read in the same statement.
 * @throws AppError `unauthenticated`: unknown, revoked or expired key, disabled account.
 */
type Authenticator = (key: string, datasetId?: number) => Promise<Caller>;

export interface KeyRow extends AccountRow {
  keyId: number;
  readOnly: boolean;
  repositoryIds: number[] | null;
  revoked: boolean;
  expired: boolean;
  /** An operator has disabled the account. */
  disabled: boolean;
  /** True if the time of last use should be updated. */
  stale: boolean;
}

/** Statement for the rows from which callers are built. */
export const keySql = (condition: string): string => `
  SELECT k.id AS "keyId", k.read_only AS "readOnly", to_json(k.repository_ids) AS "repositoryIds",
    k.revoked_at IS NOT NULL AS revoked, a.disabled_at IS NOT NULL AS disabled, coalesce(k.expires_at <= now(), false) AS expired,
    ${usedLongAgo('k')} AS stale,
    ${accountColumns}
  FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE ${condition}`;

const keysById = prepared(keySql('k.id = ANY ($1)'));
const keyById = prepared(keySql('k.id = $1'));

const refused = (code: string, message: string): AppError => new AppError('unauthenticated', code, message);

const callerOf = (row: KeyRow): Caller =>
  callerOfRow(row, { id: row.keyId, readOnly: row.readOnly, repositoryIds: row.repositoryIds });

const requireValid = (row: KeyRow | undefined): KeyRow => {
  if (row === undefined) throw refused('unknown_key', 'The API key is not valid.');
  if (row.revoked) throw refused('key_revoked', 'The API key was revoked.');
  if (row.expired) throw refused('key_expired', 'The API key has expired.');
  if (row.disabled) throw accountDisabled();
  return row;
};

/** The caller of a key, or the reason why the key is refused. */
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

/** Callers of these keys with their current rights, for work that continues after its request was answered. */
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
  const [row] = await sql.query<KeyRow>(keyById, [keyId]);
  return callerOf(requireValid(row));
};

interface AuthenticatorOptions {
  readonly sql: Sql;
  /** Cache of the datasets that were read together with a key. */
  readonly found: Pick<FoundDatasets, 'keep'>;
}

interface Lookup {
  readonly hash: Buffer;
  readonly datasetId: number | null;
}

/** Columns of a key or dataset that was not found are null. */
type LookupRow = Partial<KeyRow> & Partial<DatasetRow>;

/**
 * Only for one key and one dataset, not for lists: PostgreSQL assumes ten items in a list of unknown length, prefers a plan for the actual
 * list, and so plans the statement at each call, which costs several times the statement itself.
 */
const lookupSql = prepared(`
  SELECT key.*, data.* FROM (SELECT $1::bytea AS hash, $2::bigint AS dataset) AS q
    LEFT JOIN LATERAL (${keySql('k.hash = q.hash')}) AS key ON true
    LEFT JOIN LATERAL (${datasetRows('key."accountId"', keyTeamIds, 'd.id = q.dataset')}) AS data ON true`);

const isKey = (row: Partial<KeyRow>): row is KeyRow => row.keyId != null;
const isDataset = (row: Partial<DatasetRow>): row is DatasetRow => row.id != null;

/** Maximum concurrent statements. */
const maxLookups = 8;

/**
 * Runs one statement per request; simultaneous requests with the same key share it. Nothing is cached, so a revoked key, a left team
 * and a changed plan take effect at once in every process. The index is searched by the SHA-256 of the key that was sent, so its
 * timing reveals nothing about existing keys.
 */
export const createAuthenticator = ({ sql, found }: AuthenticatorOptions): Authenticator => {
  const lookUp = createSharedLookups<Lookup, LookupRow>({
    maxCalls: maxLookups,
    idOf: ({ hash, datasetId }) => `${hash.toString('base64')}/${datasetId}`,
    async find({ hash, datasetId }) {
      const [row] = await sql.query<LookupRow>(lookupSql, [hash, datasetId]);
      return row ?? {};
    },
  });
  return async (key, datasetId) => {
    const looked = await lookUp({ hash: hashApiKey(key), datasetId: datasetId ?? null });
    const row = requireValid(isKey(looked) ? looked : undefined);
    if (row.stale) await noteKeyUse(sql, row.keyId);
    const caller = callerOf(row);
    if (isDataset(looked)) found.keep(caller, looked);
    return caller;
  };
};
