/** Requirements on the key of a caller that do not depend on a repository or dataset. */
import { forbidden } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';

/** @throws AppError 403 for a read-only key. */
export const requireWritingKey = (caller: Caller): void => {
  if (caller.key.readOnly) throw forbidden('key_read_only', 'This API key may only read.');
};

/** @throws AppError 403 for a key that is limited to some repositories, which must not read data of the account. */
export const requireAccountKey = (caller: Caller): void => {
  if (caller.key.repositoryIds !== null)
    throw forbidden('key_scope', 'This API key is limited to some repositories.');
};

/** Required for changes to the account. @throws AppError 403 for a key that is limited in any way. */
export const requireFullKey = (caller: Caller): void => {
  requireWritingKey(caller);
  requireAccountKey(caller);
};

/** Required for the state of the whole service. @throws AppError 403 unless the caller is an operator with a key for all repositories. */
export const requireOperator = (caller: Caller): void => {
  if (!caller.isOperator) throw forbidden('not_operator', 'Only operators may see this.');
  requireAccountKey(caller);
};
