import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Grants } from '../../catalog/grants.js';
import { datasetGrantLevels, levels } from '../../model/permission.js';
import { pathId, pathName } from '../parameters.js';
import { noContentAfter, ok, type Route, route } from '../route.js';

const permissionSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the account or team.' }),
    type: z.enum(['account', 'team']),
    level: z.enum(levels),
    origin: z.enum(['creator', 'team', 'grant']).meta({
      description:
        'creator: created it. team: through the team of the repository, whose admins have Admin. grant: granted here.',
    }),
  })
  .meta({ id: 'Permission' });

const example = { name: 'ada', type: 'account', level: 'Read', origin: 'grant' };
const shared = { tags: ['Sharing'], auth: 'required' } as const;
const name = pathName('Name of an account or team.');
const listed = (description: string) => ({
  200: { description, schema: z.array(permissionSchema), example: [example] },
});
const given = { 200: { description: 'The grants now in force.', schema: permissionSchema, example } };
const removed = { 204: { description: 'Removed.' } };

interface PermissionRoutesDeps {
  readonly access: Access;
  readonly grants: Grants;
}

const onRepositories = ({ access, grants }: PermissionRoutesDeps): Route[] => {
  const id = pathId('Id of the repository.');
  return [
    route({
      method: 'GET',
      path: '/repositories/:id/permissions',
      operationId: 'listRepositoryPermissions',
      summary: 'List who may do what in a repository',
      description: 'Needs Admin.',
      ...shared,
      params: z.object({ id }),
      responses: listed('Accounts and teams with their levels.'),
      errors: [403, 404],
      handler: async ({ caller, params }) => ok(await grants.listOnRepository(caller, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/repositories/:id/permissions/:name',
      operationId: 'setRepositoryPermission',
      summary: 'Grant an account or team a level on a repository',
      description:
        'Needs Admin; no level above your own can be granted. A grant to an account decides alone; a grant to the ' +
        'team of the repository replaces the level of its members.',
      ...shared,
      params: z.object({ id, name }),
      body: z.object({ level: z.enum(levels) }),
      bodyExample: { level: 'Read' },
      authorize: ({ caller, params }) => access.repository(caller, params.id, 'Admin', 'write'),
      responses: given,
      errors: [403, 404, 409],
      handler: async ({ caller, params, body }) =>
        ok(await grants.putOnRepository(caller, params.id, params.name, body.level)),
    }),
    route({
      method: 'DELETE',
      path: '/repositories/:id/permissions/:name',
      operationId: 'revokeRepositoryPermission',
      summary: 'Revoke a grant on a repository',
      description:
        'Needs Admin, except for your own grant unless it limits what your team gives you. The creator of the repository ' +
        'remains Owner.',
      ...shared,
      params: z.object({ id, name }),
      responses: removed,
      errors: [403, 404, 409],
      handler: ({ caller, params }) =>
        noContentAfter(grants.removeOnRepository(caller, params.id, params.name)),
    }),
  ];
};

const onDatasets = ({ access, grants }: PermissionRoutesDeps): Route[] => {
  const id = pathId('Id of the dataset.');
  return [
    route({
      method: 'GET',
      path: '/datasets/:id/permissions',
      operationId: 'listDatasetPermissions',
      summary: 'List the grants on a single dataset',
      description: 'In addition to the grants of its repository. Needs Admin.',
      ...shared,
      params: z.object({ id }),
      responses: listed('Accounts and teams with their levels.'),
      errors: [403, 404],
      handler: async ({ caller, params }) => ok(await grants.listOnDataset(caller, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/datasets/:id/permissions/:name',
      operationId: 'setDatasetPermission',
      summary: 'Give an account or team Read or Clone on a dataset',
      description: 'Needs Admin.',
      ...shared,
      params: z.object({ id, name }),
      body: z.object({ level: z.enum(datasetGrantLevels) }),
      bodyExample: { level: 'Read' },
      authorize: ({ caller, params }) => access.dataset(caller, params.id, 'Admin', 'write'),
      responses: given,
      errors: [403, 404],
      handler: async ({ caller, params, body }) =>
        ok(await grants.putOnDataset(caller, params.id, params.name, body.level)),
    }),
    route({
      method: 'DELETE',
      path: '/datasets/:id/permissions/:name',
      operationId: 'revokeDatasetPermission',
      summary: 'Revoke a grant on a dataset',
      description: 'Needs Admin, or concerns your own account.',
      ...shared,
      params: z.object({ id, name }),
      responses: removed,
      errors: [403, 404],
      handler: ({ caller, params }) => noContentAfter(grants.removeOnDataset(caller, params.id, params.name)),
    }),
  ];
};

export const createPermissionRoutes = (deps: PermissionRoutesDeps): Route[] => [
  ...onRepositories(deps),
  ...onDatasets(deps),
];
