import { z } from 'zod';
import { requireAccountKey, requireFullKey } from '../../catalog/key-rights.js';
import type { Gateway } from '../../gateway/gateway.js';
import { ok, type Route, route } from '../route.js';
import { slugParam } from './providers.js';

const tags = ['User keys'];

/** Keys of the caller for providers. No answer has their values. */
export const createUserKeyRoutes = ({ userKeys }: Pick<Gateway, 'userKeys'>): Route[] => [
  route({
    method: 'GET',
    path: '/user-keys',
    operationId: 'listUserKeys',
    summary: 'Providers for which the caller has stored a key',
    tags,
    auth: 'required',
    responses: {
      200: {
        description: '`true` for each slug.',
        schema: z.record(z.string(), z.literal(true)),
        example: { fred: true },
      },
    },
    errors: [403],
    handler: async ({ caller }) => {
      requireAccountKey(caller);
      return ok(await userKeys.list(caller.accountId));
    },
  }),
  route({
    method: 'PUT',
    path: '/user-keys/:slug',
    operationId: 'setUserKey',
    summary: 'Store, replace or delete a key',
    description:
      'A text stores the key (trimmed, at most 512 characters); null, an empty text or an omitted field deletes it. The key is sealed at rest and sent to this provider only.',
    tags,
    auth: 'required',
    params: z.object({ slug: slugParam }),
    // Strict, since a misspelt name would be an omitted field, which deletes the key.
    body: z.strictObject({ api_key: z.string().nullish() }),
    bodyOptional: true,
    authorize: ({ caller }) => requireFullKey(caller),
    bodyExample: { api_key: '<UPSTREAM_API_KEY>' },
    responses: {
      200: {
        description: 'Whether there is a key now.',
        schema: z.object({ slug: z.string(), has_key: z.boolean() }).meta({ id: 'UserKey' }),
        example: { slug: 'fred', has_key: true },
      },
    },
    errors: [403, 404, 409],
    handler: async ({ caller, params, body }) =>
      ok(await userKeys.put(caller.accountId, params.slug, body.api_key)),
  }),
];
