import { z } from 'zod';
import { requireFullKey } from '../../catalog/key-rights.js';
import { invalid } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import { queryText } from '../parameters.js';
import { type Route, route } from '../route.js';
import { countField } from './fields.js';

/** Remainders by place. */
interface Remainder {
  readonly where: string;
  readonly what: string;
  readonly left: number;
}

interface LeavingRouteDeps {
  /** Deletes the account of the caller. Undefined: its rows and files are deleted later, in the background. */
  readonly leave: (caller: Caller) => Promise<readonly Remainder[] | undefined>;
}

const remainders = z
  .object({
    remaining: z
      .array(z.object({ where: z.string(), what: z.string(), left: countField('How many there are.') }))
      .nullable()
      .meta({
        description:
          'Checked things and how many are left: none. Null where the rows and files follow (202).',
      }),
  })
  .meta({ id: 'DeletedAccount' });

/** `DELETE /account` */
export const createLeavingRoute = ({ leave }: LeavingRouteDeps): Route =>
  route({
    method: 'DELETE',
    path: '/account',
    operationId: 'deleteAccount',
    summary: 'Delete your account with all of its data',
    description:
      'Repositories, datasets with all versions, keys, sessions, memberships and permissions are deleted at once and permanently; ' +
      'call `GET /account/export` first. Clones of other accounts stay, and so do datasets that you created in repositories of ' +
      'others. 409 `team_repositories` while you own repositories of teams with other members: transfer ' +
      'or delete those first; `last_admin` for the last admin of a team with members, `last_operator` for the last operator.',
    tags: ['Account'],
    auth: 'required',
    permit: 'calls',
    query: z.object({
      confirm: queryText('The name of the account, to confirm: the deletion cannot be undone.').optional(),
    }),
    responses: {
      200: {
        description: 'Deleted; the answer shows that nothing is left.',
        schema: remainders,
        example: { remaining: [{ where: 'ClickHouse', what: 'rows in pools', left: 0 }] },
      },
      202: {
        description: 'Deleted; rows and files follow, since their storage did not answer.',
        schema: remainders,
        example: { remaining: null },
      },
    },
    errors: [403, 409],
    handler: async ({ caller, query }) => {
      requireFullKey(caller);
      if (query.confirm !== caller.accountName)
        throw invalid(
          'not_confirmed',
          `This cannot be undone; pass confirm=${caller.accountName} to confirm.`,
        );
      const remaining = await leave(caller);
      return { status: remaining === undefined ? 202 : 200, body: { remaining: remaining ?? null } };
    },
  });
