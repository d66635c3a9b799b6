import { isAppError } from '../lib/errors.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createAccess } from './access.js';
import { callerOfAccount } from './account-caller.js';
import { callerOfKey } from './authenticator.js';

/** Who has sent an upload, and what it is going to change. */
export interface UploadSender {
  readonly datasetId: number;
  readonly accountId: number;
  /** The key that it came with; null: an account acted without one, such as a refresh that it has ordered. */
  readonly keyId: number | null;
}

/**
 * Why an upload must not be published any more; undefined when its sender may write as before. Asked in the
 * transaction that publishes.
 */
export const uploadRefusal = async (
  sql: Sql,
  { datasetId, accountId, keyId }: UploadSender,
): Promise<string | undefined> => {
  try {
    const caller = keyId === null ? await callerOfAccount(sql, accountId) : await callerOfKey(sql, keyId);
    await createAccess({ sql }).dataset(caller, datasetId, 'Write', 'write');
    return undefined;
  } catch (error) {
    if (isAppError(error) && ['unauthenticated', 'forbidden', 'not_found'].includes(error.kind))
      return error.message;
    throw error;
  }
};
