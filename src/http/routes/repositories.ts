import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import { requireFullKey } from '../../catalog/key-rights.js';
import type { Repositories } from '../../catalog/repositories.js';
import { jsonList } from '../json-list.js';
import { pathId, queryText } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import {
  descriptionField,
  handleField,
  idField,
  levelField,
  nameField,
  privacyField,
  timeField,
} from './fields.js';

export const repositorySchema = z
  .object({
    id: idField('Assigned by the service.'),
    name: z.string(),
    description: z.string().nullable(),
    privacy: privacyField,
    team: z.string().nullable().meta({ description: 'Name of the team it belongs to.' }),
    permission: levelField,
    isHome: z.boolean().meta({ description: "True for the account's Home." }),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Repository' });

export const repositoryExample = {
  id: 7,
  name: 'Energy',
  description: null,
  privacy: 'Private',
  team: null,
  permission: 'Owner',
  isHome: false,
  createdAt: '2026-01-31T12:00:00.000',
  updatedAt: '2026-01-31T12:00:00.000',
};

const name = nameField('Display name.');
const tags = ['Repositories'];
const shared = { tags, auth: 'required' } as const;
const repositoryId = pathId('Id of the repository.');
const one = (description: string) => ({ description, schema: repositorySchema, example: repositoryExample });

const list = (repositories: Repositories): Route =>
  route({
    method: 'GET',
    path: '/repositories',
    operationId: 'listRepositories',
    summary: 'List every repository the caller can access',
    description: 'Your own, those of your teams, shared and public ones, without paging.',
    ...shared,
    query: z.object({
      q: queryText('Words that all occur in name or description.').optional(),
      privacy: z.enum(['Public', 'Private'], 'must be Public or Private').optional(),
      team: queryText('Name of a team.').optional(),
    }),
    responses: {
      200: {
        description: 'Repositories by id.',
        schema: z.array(repositorySchema),
        example: [repositoryExample],
      },
    },
    handler: ({ caller, query }) => jsonList(repositories.list(caller, query)),
  });

const reads = (repositories: Repositories): Route[] => [
  route({
    method: 'GET',
    path: '/repositories/home',
    operationId: 'getHomeRepository',
    summary: "Read the caller's Home repository",
    ...shared,
    responses: { 200: one('Home.') },
    errors: [403],
    handler: async ({ caller }) => ok(await repositories.home(caller)),
  }),
  route({
    method: 'GET',
    path: '/repositories/default',
    operationId: 'getDefaultRepository',
    summary: 'Read the default writable repository of the active workspace',
    description:
      'Home, or the first writable repository of the active team; created when the team has none. Home if the plan does not allow that.',
    ...shared,
    responses: { 200: one('The default repository.') },
    errors: [403],
    handler: async ({ caller }) => ok(await repositories.preferred(caller)),
  }),
  route({
    method: 'GET',
    path: '/repositories/:id',
    operationId: 'getRepository',
    summary: 'Read a repository',
    description: 'A public repository can be read without a key.',
    tags,
    auth: 'optional',
    params: z.object({ id: repositoryId }),
    responses: { 200: one('The repository.') },
    errors: [403, 404],
    handler: async ({ caller, params }) => ok(await repositories.read(caller, params.id)),
  }),
];

const writes = ({ access, repositories }: RepositoryRoutesDeps): Route[] => [
  route({
    method: 'POST',
    path: '/repositories',
    operationId: 'createRepository',
    summary: 'Create a repository',
    description: 'Not idempotent: every call creates a repository.',
    ...shared,
    body: z.object({
      name,
      privacy: privacyField,
      description: descriptionField,
      team: handleField('Name of a team of the caller.').nullable().optional(),
    }),
    bodyExample: { name: 'Energy', privacy: 'Private' },
    authorize: ({ caller }) => requireFullKey(caller),
    responses: { 201: one('The new repository.') },
    errors: [402, 403, 409],
    handler: async ({ caller, body }) => created(await repositories.create(caller, body)),
  }),
  route({
    method: 'PUT',
    path: '/repositories/:id',
    operationId: 'updateRepository',
    summary: 'Update a repository',
    description:
      'Replaces name, privacy and description: a description that is left out becomes null. The team cannot be ' +
      'changed. Needs Owner.',
    ...shared,
    params: z.object({ id: repositoryId }),
    body: z.object({
      name,
      privacy: privacyField,
      description: descriptionField,
      team: z.string().nullable().optional().meta({ description: 'Must be the present team.' }),
    }),
    bodyExample: { name: 'Energy prices', privacy: 'Private', description: 'Day-ahead prices' },
    authorize: ({ caller, params: { id } }) => access.repository(caller, id, 'Owner', 'write', 'update'),
    responses: { 200: one('The updated repository.') },
    errors: [402, 403, 404],
    handler: async ({ caller, params, body }) => ok(await repositories.update(caller, params.id, body)),
  }),
  route({
    method: 'DELETE',
    path: '/repositories/:id',
    operationId: 'deleteRepository',
    summary: 'Delete a repository and all of its datasets',
    ...shared,
    params: z.object({ id: repositoryId }),
    responses: { 204: { description: 'Deleted.' } },
    errors: [403, 404, 409],
    handler: ({ caller, params }) => noContentAfter(repositories.remove(caller, params.id)),
  }),
];

interface RepositoryRoutesDeps {
  readonly access: Access;
  readonly repositories: Repositories;
}

export const createRepositoryRoutes = (deps: RepositoryRoutesDeps): Route[] => [
  list(deps.repositories),
  ...reads(deps.repositories),
  ...writes(deps),
];
