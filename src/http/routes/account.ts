import { z } from 'zod';
import type { Accounts } from '../../catalog/accounts.js';
import type { AuditTrail } from '../../catalog/audit-trail.js';
import { requireFullKey } from '../../catalog/key-rights.js';
import type { Keys } from '../../catalog/keys.js';
import type { Overview } from '../../catalog/overview.js';
import { shownDatasets } from '../../catalog/stored-bytes.js';
import { pathId, timeParameter } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import { countField, idField, nameField, newHandleField, timeField } from './fields.js';

const limit = z.int().nonnegative().nullable().meta({ description: 'Null: no limit.' });
const metered = z.object({ limit, used: countField('How much of it is used.') });
const bound = z.object({ limit });
const stored = metered.extend({
  datasets: z
    .array(
      z.object({
        id: idField('The dataset.'),
        name: z.string(),
        bytes: countField('Of all its versions and of uploads in progress.'),
        currentBytes: countField(
          'What the current version uses of it. It shares what did not change with older versions; the rest is theirs alone.',
        ),
        versions: countField('Versions kept.'),
      }),
    )
    .meta({
      description:
        `What each dataset keeps, the ${shownDatasets} largest ones. Rows that datasets share (clones) count in each ` +
        'of them here, and once in `used`.',
    }),
});

const accountSchema = z
  .object({
    id: idField('Assigned by the service.'),
    name: z.string(),
    plan: z.object({
      name: z.string(),
      quotas: z.object({
        privateRepositories: metered,
        storedBytes: stored,
        exportsPerDay: metered,
        exportBytesPerDay: metered,
        datasetRows: bound,
        columns: bound,
        uploadBytes: bound,
      }),
      paidProviders: z.boolean(),
      privateHome: z.boolean(),
      downloads: z.enum(['own', 'all']),
    }),
    workspace: z.string().meta({ description: '`personal` or the name of a team.' }),
    isOperator: z.boolean(),
    createdAt: timeField,
  })
  .meta({ id: 'Account' });

const accountExample = {
  id: 1,
  name: 'ada',
  plan: {
    name: 'free',
    quotas: {
      privateRepositories: { limit: 0, used: 0 },
      storedBytes: {
        limit: 1_073_741_824,
        used: 2_048,
        datasets: [{ id: 2, name: 'Prices', bytes: 2_048, currentBytes: 1_024, versions: 3 }],
      },
      exportsPerDay: { limit: 200, used: 3 },
      exportBytesPerDay: { limit: 2_147_483_648, used: 6_144 },
      datasetRows: { limit: 5_000_000 },
      columns: { limit: 1_000 },
      uploadBytes: { limit: 268_435_456 },
    },
    paidProviders: false,
    privateHome: true,
    downloads: 'all',
  },
  workspace: 'personal',
  isOperator: false,
  createdAt: '2026-01-31T12:00:00.000',
};

const keyFields = {
  id: idField('Assigned by the service.'),
  name: z.string(),
  prefix: z.string().meta({ description: 'Start of the key.' }),
  readOnly: z.boolean(),
  repositoryIds: z
    .array(z.int())
    .nullable()
    .meta({ description: 'Repositories it is limited to; null: all.' }),
  createdAt: timeField,
  expiresAt: timeField.nullable(),
  lastUsedAt: timeField.nullable().meta({ description: 'Exact to a minute.' }),
};
const keySchema = z.object(keyFields).meta({ id: 'ApiKey' });
const createdKeySchema = z
  .object({ ...keyFields, key: z.string().meta({ description: 'The key; shown this once.' }) })
  .meta({ id: 'CreatedApiKey' });

const keyExample = {
  id: 3,
  name: 'nightly job',
  prefix: 'tab_A1b2C3d4',
  readOnly: true,
  repositoryIds: null,
  createdAt: '2026-01-31T12:00:00.000',
  expiresAt: null,
  lastUsedAt: null,
};

const shared = { tags: ['Account'], auth: 'required' } as const;

interface AccountRoutesDeps {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly overview: Overview;
  readonly auditTrail: Pick<AuditTrail, 'keyDays'>;
}

const onAccount = ({ accounts, overview }: AccountRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/account',
    operationId: 'getAccount',
    summary: 'Read your account, its plan and its usage',
    description: 'A key that is limited to some repositories does not see the list of datasets.',
    ...shared,
    responses: { 200: { description: 'The account.', schema: accountSchema, example: accountExample } },
    handler: async ({ caller }) => ok(await overview(caller)),
  }),
  route({
    method: 'PUT',
    path: '/account',
    operationId: 'updateAccount',
    summary: 'Set name and active workspace',
    ...shared,
    body: z.object({
      name: newHandleField(
        'Name. Accounts and teams share one namespace, in which names that look alike are the same.',
      ).optional(),
      workspace: z
        .string()
        .max(255)
        .optional()
        .meta({ description: '`personal` or the name of one of your teams.' }),
    }),
    bodyExample: { workspace: 'personal' },
    authorize: ({ caller }) => requireFullKey(caller),
    responses: { 200: { description: 'The account.', schema: accountSchema, example: accountExample } },
    errors: [403, 409],
    handler: async ({ caller, body }) => {
      await accounts.update(caller, body);
      return ok(await overview(caller));
    },
  }),
];

const onKeys = ({ keys, auditTrail }: AccountRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/account/keys',
    operationId: 'listKeys',
    summary: 'List the API keys of the account',
    description: 'A key that is limited to some repositories sees only itself.',
    ...shared,
    responses: {
      200: { description: 'Keys that were not revoked.', schema: z.array(keySchema), example: [keyExample] },
    },
    handler: async ({ caller }) => {
      const all = await keys.list(caller.accountId);
      return ok(caller.key.repositoryIds === null ? all : all.filter(({ id }) => id === caller.key.id));
    },
  }),
  route({
    method: 'POST',
    path: '/account/keys',
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'The answer is the only place that shows it.',
    ...shared,
    body: z.object({
      name: nameField('What it is for.'),
      readOnly: z.boolean().optional(),
      repositoryIds: z.array(z.int()).min(1).max(1_000).nullable().optional(),
      expiresAt: timeParameter('From then on the key is refused; null: it does not expire.')
        .nullable()
        .optional(),
    }),
    bodyExample: { name: 'nightly job', readOnly: true },
    authorize: ({ caller }) => requireFullKey(caller),
    responses: {
      201: {
        description: 'The new key.',
        schema: createdKeySchema,
        example: { ...keyExample, key: 'tab_A1b2C3d4…' },
      },
    },
    errors: [403, 409],
    handler: async ({ caller, body }) => created(await keys.create(caller.accountId, body)),
  }),
  route({
    method: 'GET',
    path: '/account/keys/:id/usage',
    operationId: 'getKeyUsage',
    summary: 'How often an API key was used, by day',
    description:
      'Days in UTC, newest first; today’s requests are counted with a delay of about a minute. ' +
      'A key that is limited to some repositories sees only its own.',
    ...shared,
    params: z.object({ id: pathId('Id of the key.') }),
    responses: {
      200: {
        description: 'Days on which it was used.',
        schema: z.array(z.object({ day: z.string(), requests: countField('Requests with this key.') })),
        example: [{ day: '2026-01-31', requests: 1_440 }],
      },
    },
    errors: [404],
    handler: async ({ caller, params }) => ok(await auditTrail.keyDays(caller, params.id)),
  }),
  route({
    method: 'DELETE',
    path: '/account/keys/:id',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'It stops working at once.',
    ...shared,
    params: z.object({ id: pathId('Id of the key.') }),
    responses: { 204: { description: 'Revoked.' } },
    errors: [403, 404],
    authorize: ({ caller }) => requireFullKey(caller),
    handler: ({ caller, params }) => noContentAfter(keys.revoke(caller.accountId, params.id)),
  }),
];

export const createAccountRoutes = (deps: AccountRoutesDeps): Route[] => [
  ...onAccount(deps),
  ...onKeys(deps),
];
