import { z } from 'zod';
import type { AuditTrail } from '../../catalog/audit-trail.js';
import { type KeptSample, keptMinutes } from '../../storage/postgres/ops-samples.js';
import { queryId, queryInteger, queryText, timeParameter } from '../parameters.js';
import { type Route, route, uncached } from '../route.js';
import { forOperators } from './for-operators.js';
import { createOpsActionRoutes, type OpsActions } from './ops-actions.js';
import { createOpsJobRoutes, type OpsJobs } from './ops-jobs.js';
import { auditEventSchema, sampleSchema } from './ops-list-schema.js';
import { type OpsState, opsSchema } from './ops-schema.js';

interface OpsRoutesDeps {
  readonly state: () => Promise<OpsState>;
  readonly samples: (minutes: number) => Promise<KeptSample[]>;
  readonly actions: OpsActions & OpsJobs;
  readonly audit: Pick<AuditTrail, 'list'>;
}

const auditExample = {
  id: 4711,
  at: '2026-01-31T09:30:00.000',
  actor: {
    kind: 'account',
    accountId: 1,
    name: 'ada',
    keyId: 12,
    address: '192.0.2.7',
    requestId: '3f9c2c52-6d0f-4b51-9f0d-2c6a5a1b7e10',
  },
  action: 'permission.set',
  target: { kind: 'repository', id: 7, name: null },
  details: { name: 'ben', accountId: 2, type: 'account', level: 'Write', before: 'Read' },
};

const auditQuery = z.object({
  $top: queryInteger('Most events in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
  before: queryId('Only events with lower ids: the last id of the page before.').optional(),
  account: queryText('Id or name of the account that did it.').optional(),
  action: queryText('Such as `key.create`, or the part before the dot.').optional(),
  targetKind: queryText('What it was done to: `dataset`, `repository`, `key`, `team` …').optional(),
  targetId: queryId('Id of what it was done to.').optional(),
  from: timeParameter('Not before this time.').optional(),
  until: timeParameter('Before this time.').optional(),
});

/** `/api/ops` and the routes below it: state and actions of the operators' console. */
export const createOpsRoutes = ({ state, samples, actions, audit }: OpsRoutesDeps): Route[] => [
  ...createOpsActionRoutes(actions),
  ...createOpsJobRoutes(actions),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/samples',
    operationId: 'listSamples',
    summary: 'How the service fared, a line a minute',
    description:
      'Kept for a day, one for all processes. A minute without a line: no API process ran, or PostgreSQL did not answer. ' +
      'Needs the key of an operator account.',
    query: z.object({
      minutes: queryInteger('How far back; 360 unless given.', { min: 1, max: keptMinutes }).optional(),
    }),
    responses: { 200: { description: 'Oldest first.', schema: z.array(sampleSchema) } },
    handler: async ({ query: { minutes = 360 } }) => uncached(await samples(minutes)),
  }),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/audit',
    operationId: 'listAuditEvents',
    summary: 'Audit trail, for operators',
    description:
      'Permissions, keys, deletes, teams, accounts, plans and commands of operators, newest first. Each event is written in ' +
      'the transaction of its action. Needs the key of an operator account.',
    query: auditQuery,
    responses: {
      200: {
        description: 'Events, newest first.',
        schema: z.array(auditEventSchema),
        example: [auditExample],
      },
    },
    handler: async ({ query: { $top: top = 100, ...filter } }) =>
      uncached(await audit.list({ ...filter, top })),
  }),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops',
    operationId: 'getServiceState',
    summary: 'State of the service, for operators',
    description: 'Needs the key of an operator account. The console at `/ops` shows it.',
    responses: { 200: { description: 'The state.', schema: opsSchema } },
    handler: async () => uncached(await state()),
  }),
];
