import { z } from 'zod';
import type { Sessions } from '../../catalog/sessions.js';
import { AppError } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import { anyCaller, ok, type Reply, type Route, route } from '../route.js';
import { idField } from './fields.js';

const sessionSchema = z
  .object({
    account: z
      .object({
        id: idField('The account.'),
        name: z.string(),
        isOperator: z.boolean(),
        readOnly: z.boolean().meta({ description: 'The key may change nothing.' }),
        limited: z.boolean().meta({ description: 'The key is limited to some repositories.' }),
      })
      .nullable()
      .meta({ description: 'Null: not signed in.' }),
  })
  .meta({ id: 'Session' });

const example = { account: { id: 1, name: 'ada', isOperator: false, readOnly: false, limited: false } };

const shown = (caller: Caller | undefined): z.infer<typeof sessionSchema> => ({
  account:
    caller === undefined
      ? null
      : {
          id: caller.accountId,
          name: caller.accountName,
          isOperator: caller.isOperator,
          readOnly: caller.key.readOnly,
          limited: caller.key.repositoryIds !== null,
        },
});

const tags = ['Account'];

/** Sessions of the web app: the key is sent once, and a cookie replaces it. */
export const createSessionRoutes = ({ sessions }: { readonly sessions: Sessions }): Route[] => [
  route({
    method: 'GET',
    path: '/session',
    operationId: 'getSession',
    summary: 'Who is signed in',
    tags,
    auth: 'optional',
    responses: { 200: { description: 'The account.', schema: sessionSchema, example } },
    handler: ({ caller }) => ok(shown(caller)),
  }),
  route({
    method: 'POST',
    path: '/session',
    operationId: 'signIn',
    summary: 'Sign in from a browser',
    description:
      'Needs the API key itself in `Authorization`. The answer sets a cookie that scripts cannot read, that no other site sends, and ' +
      'that may do what the key may do, until it expires, is ended, or the key ends.',
    tags,
    auth: 'required',
    responses: {
      200: {
        description: 'Signed in.',
        schema: sessionSchema,
        example,
        headers: { 'Set-Cookie': 'The session.' },
      },
    },
    handler: async ({ caller, header, sessionCookie }): Promise<Reply> => {
      // A session that could create sessions would never end.
      if (header('authorization') === undefined)
        throw new AppError(
          'unauthenticated',
          'no_key',
          'Sign in with the API key, as `Authorization: Bearer <API key>`.',
        );
      const { token, maxAgeSeconds } = await sessions.open(caller.key.id);
      return {
        ...ok(shown(caller)),
        headers: { 'Set-Cookie': sessionCookie.begin(token, maxAgeSeconds) },
      };
    },
  }),
  route({
    method: 'DELETE',
    path: '/session',
    operationId: 'signOut',
    summary: 'Sign out',
    description: '204 also without a session.',
    tags,
    auth: 'none',
    authorize: anyCaller,
    responses: { 204: { description: 'The session has ended.' } },
    handler: async ({ sessionCookie }): Promise<Reply> => {
      if (sessionCookie.token !== undefined) await sessions.end(sessionCookie.token);
      return { status: 204, headers: { 'Set-Cookie': sessionCookie.end } };
    },
  }),
];
