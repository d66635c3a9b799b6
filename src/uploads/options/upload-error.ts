import { AppError, type ErrorKind } from '../../lib/errors.js';
import type { ProcessError } from '../../model/process.js';

/** Failures that are not caused by the content of the file. */
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

/** Error response for a failed upload whose caller waited for the result. Details are those of the process. */
export const uploadError = ({ code, message, ...details }: ProcessError, processId: number): AppError => {
  const kind = details.existingType === undefined ? (kinds[code] ?? 'unprocessable') : 'conflict';
  return new AppError(kind, code, message, { details: { processId, ...details } });
};
