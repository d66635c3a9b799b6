/** Errors of access decisions: 401 without a key, 404 for something that does not exist, otherwise 403. */
import { AppError, forbidden, notFound } from '../lib/errors.js';
import type { Decision, Level } from '../model/permission.js';

/**
 * Exceptions to the rule for refusals (404 for something that does not exist, 403 without access). `update`: a repository that the caller
 * cannot access is a 404. `destination`: one that does not exist is a 403, so that creating something in it does not reveal which
 * repositories exist.
 */
export type RefusalRule = 'update' | 'destination';

export interface AccessRequest {
  readonly what: 'dataset' | 'repository';
  readonly id: number;
  readonly need: Level;
  readonly rule?: RefusalRule | undefined;
}

export const missing = ({ what, id }: AccessRequest): AppError =>
  notFound(`${what}_not_found`, `There is no ${what} ${id}.`);

const noAccess = ({ what, id }: AccessRequest): AppError =>
  forbidden('no_permission', `You have no permission on ${what} ${id}.`);

/** Error for a decision against a caller. */
export const refusal = (
  decision: Extract<Decision, { allowed: false }>,
  request: AccessRequest,
): AppError => {
  switch (decision.reason) {
    case 'no_key':
      return new AppError('unauthenticated', 'no_key', 'An API key is required.');
    case 'missing':
      return request.rule === 'destination' ? noAccess(request) : missing(request);
    case 'no_access':
      return request.rule === 'update' ? missing(request) : noAccess(request);
    case 'key_scope':
      return forbidden('key_scope', 'This API key is limited to other repositories.');
    case 'key_read_only':
      return forbidden('key_read_only', 'This API key may only read.');
    case 'level':
      return forbidden(
        'no_permission',
        `This needs ${request.need} on the ${request.what}; you have ${decision.level}.`,
      );
    default: {
      const never: never = decision.reason;
      return never;
    }
  }
};
