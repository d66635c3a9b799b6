import { AppError, type ErrorKind } from '../../lib/errors.js';
import type { ProcessError } from '../../model/process.js';

/** Reasons to fail an upload that are no fault of what its file holds. */
const kinds: Readonly<Record<string, ErrorKind>> = {
  cancelled: 'conflict',
  chunk_unusable: 'unavailable',
  chunks_expired: 'unavailable',
  column_not_found: 'not_found',
  key_not_unique: 'conflict',
  missing_key: 'conflict',
  miscounted: 'unavailable',
  no_key: 'invalid',
  no_version: 'conflict',
  other_version: 'precondition',
  permission_ended: 'forbidden',
  quota_rows: 'quota',
  store_refused: 'unavailable',
  too_many_digits: 'conflict',
  type_conflict: 'conflict',
  upload_abandoned: 'unavailable',
  upload_expired: 'unavailable',
  upload_unanswered: 'conflict',
  values_collide: 'conflict',
};

/** The answer to an upload that was waited for and has failed; its details are what the process says. */
export const uploadError = ({ code, message, ...details }: ProcessError, processId: number): AppError => {
  const kind = details.existingType === undefined ? (kinds[code] ?? 'unprocessable') : 'conflict';
  return new AppError(kind, code, message, { details: { processId, ...details } });
};
