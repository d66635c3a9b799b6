import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { RepositoryTransfers } from '../../catalog/repository-transfers.js';
import { pathId } from '../parameters.js';
import { noContentAfter, ok, type Route, route } from '../route.js';
import { handleField, idField, timeField } from './fields.js';
import { repositoryExample, repositorySchema } from './repositories.js';

const transferSchema = z
  .object({
    repositoryId: idField('The repository.'),
    repository: z.string().meta({ description: 'Its name.' }),
    from: z.string().meta({ description: 'Account that offers it.' }),
    to: z.string().meta({ description: 'Account that may take it.' }),
    createdAt: timeField,
  })
  .meta({ id: 'RepositoryTransfer' });

const example = {
  repositoryId: 7,
  repository: 'Energy',
  from: 'ada',
  to: 'bob',
  createdAt: '2026-01-31T12:00:00.000',
};

const shared = { tags: ['Repositories'], auth: 'required' } as const;
const id = pathId('Id of the repository.');

interface TransferRoutesDeps {
  readonly access: Access;
  readonly transfers: RepositoryTransfers;
}

const byOwner = ({ access, transfers }: TransferRoutesDeps): Route[] => [
  route({
    method: 'PUT',
    path: '/repositories/:id/transfer',
    operationId: 'offerRepository',
    summary: 'Offer a repository to another account',
    description:
      'Nothing changes until that account accepts (`PUT /account/transfers/{id}`): then it owns the repository with all ' +
      'datasets, versions and permissions, and the bytes count against its plan. Replaces an offer to another account.',
    ...shared,
    params: z.object({ id }),
    body: z.object({ account: handleField('Name of the account.') }),
    bodyExample: { account: 'bob' },
    authorize: ({ caller, params }) => access.repository(caller, params.id, 'Owner', 'write'),
    responses: { 200: { description: 'The offer.', schema: transferSchema, example } },
    errors: [403, 404, 409],
    handler: async ({ caller, params, body }) => ok(await transfers.offer(caller, params.id, body.account)),
  }),
  route({
    method: 'DELETE',
    path: '/repositories/:id/transfer',
    operationId: 'withdrawRepositoryOffer',
    summary: 'Withdraw the offer of a repository',
    ...shared,
    params: z.object({ id }),
    responses: { 204: { description: 'Withdrawn.' } },
    errors: [403, 404],
    handler: ({ caller, params }) => noContentAfter(transfers.withdraw(caller, params.id)),
  }),
];

const byTaker = ({ transfers }: TransferRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/account/transfers',
    operationId: 'listTransfers',
    summary: 'List offers of repositories, to you and by you',
    ...shared,
    responses: {
      200: {
        description: 'Offers that wait for an answer, oldest first.',
        schema: z.array(transferSchema),
        example: [example],
      },
    },
    errors: [403],
    handler: async ({ caller }) => ok(await transfers.list(caller)),
  }),
  route({
    method: 'PUT',
    path: '/account/transfers/:id',
    operationId: 'acceptTransfer',
    summary: 'Take a repository that you were offered',
    ...shared,
    params: z.object({ id }),
    responses: {
      200: {
        description: 'The repository, which is now yours.',
        schema: repositorySchema,
        example: repositoryExample,
      },
    },
    errors: [402, 403, 404, 409],
    handler: async ({ caller, params }) => ok(await transfers.take(caller, params.id)),
  }),
  route({
    method: 'DELETE',
    path: '/account/transfers/:id',
    operationId: 'declineTransfer',
    summary: 'Decline a repository that you were offered',
    ...shared,
    params: z.object({ id }),
    responses: { 204: { description: 'Declined.' } },
    errors: [403, 404],
    handler: ({ caller, params }) => noContentAfter(transfers.decline(caller, params.id)),
  }),
];

export const createTransferRoutes = (deps: TransferRoutesDeps): Route[] => [
  ...byOwner(deps),
  ...byTaker(deps),
];
