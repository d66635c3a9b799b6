import { AppError, isAppError } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import { judgeDatasets } from './access.js';
import { callerOfAccount } from './account-caller.js';
import { callersOfKeys } from './authenticator.js';

/** The sender of an upload, and the dataset that it changes. */
interface UploadSender {
  readonly datasetId: number;
  readonly accountId: number;
  /** API key of the request; null: the account acts without one, as in a scheduled refresh. */
  readonly keyId: number | null;
}

const isRefusal = (error: unknown): error is AppError =>
  isAppError(error) && ['unauthenticated', 'forbidden', 'not_found'].includes(error.kind);

/** Callers of the senders, or their refusals, with one query for all keys. */
const readCallers = async (sql: Sql, senders: readonly UploadSender[]) => {
  const keyIds = [...new Set(senders.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))];
  const keys = await callersOfKeys(sql, keyIds);
  const accounts = new Map<number, Caller | AppError>();
  for (const { accountId, keyId } of senders) {
    if (keyId !== null || accounts.has(accountId)) continue;
    const caller = await callerOfAccount(sql, accountId).catch((error: unknown) => {
      if (isRefusal(error)) return error;
      throw error;
    });
    accounts.set(accountId, caller);
  }
  return ({ accountId, keyId }: UploadSender): Caller | AppError | undefined => {
    if (keyId === null) return accounts.get(accountId);
    const found = keys.get(keyId);
    return found?.refused ?? found?.caller;
  };
};

/**
 * Reasons why uploads must not be published any more, in the order of the senders; undefined if the sender may still write. Called in the
 * publishing transaction; runs one query per caller, not per sender.
 */
export const uploadRefusals = async (
  sql: Sql,
  senders: readonly UploadSender[],
): Promise<(string | undefined)[]> => {
  const callerOf = await readCallers(sql, senders);
  const datasetsOf = new Map<Caller, Set<number>>();
  for (const sender of senders) {
    const caller = callerOf(sender);
    if (caller === undefined || caller instanceof AppError) continue;
    datasetsOf.set(caller, (datasetsOf.get(caller) ?? new Set()).add(sender.datasetId));
  }
  const reasons = new Map<Caller, ReadonlyMap<number, string>>();
  for (const [caller, ids] of datasetsOf) {
    const judged = await judgeDatasets(sql, caller, [...ids]);
    const refused = [...ids].flatMap((id, at): [number, string][] => {
      const one = judged[at];
      return one instanceof AppError ? [[id, one.message]] : [];
    });
    reasons.set(caller, new Map(refused));
  }
  return senders.map((sender) => {
    const caller = callerOf(sender);
    if (caller === undefined) throw new Error(`no caller was found for key ${sender.keyId}`);
    return caller instanceof AppError ? caller.message : reasons.get(caller)?.get(sender.datasetId);
  });
};
