import { z } from 'zod';
import { requireOperator } from '../../catalog/access.js';
import type { AuditTrail } from '../../catalog/audit-trail.js';
import { queryId, queryInteger, queryText, queryTime } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { opsPage } from './ops-page.js';
import { auditEventSchema, type OpsState, opsSchema } from './ops-schema.js';

export interface OpsPageDeps {
  readonly state: () => Promise<OpsState>;
}

export interface OpsRoutesDeps extends OpsPageDeps {
  readonly audit: Pick<AuditTrail, 'list'>;
}

const noCache = { 'Cache-Control': 'no-store' };

/** Nothing is loaded, run or sent by the page; the one style stands in it. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

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
  details: { name: 'ben', type: 'account', level: 'Write', before: 'Read' },
};

const auditQuery = z.object({
  $top: queryInteger('Most events in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
  before: queryId('Only events with lower ids: the last id of the page before.').optional(),
  account: queryText('Id or name of the account that did it.').optional(),
  action: queryText('Such as `key.create`, or the part before the dot.').optional(),
  targetKind: queryText('What it was done to: `dataset`, `repository`, `key`, `team` …').optional(),
  targetId: queryId('Id of what it was done to.').optional(),
  from: queryTime('Not before this time.').optional(),
  until: queryTime('Before this time.').optional(),
});

/** `GET /api/ops`: where uploads, refreshes and upstreams stand, for operators; `/audit`: who did what. */
export const createOpsRoutes = ({ state, audit }: OpsRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/ops/audit',
    summary: 'Who did what, when, from where, for operators',
    description:
      'Permissions, keys, deletes, teams, accounts, plans and commands of operators, newest first. Each event is written in ' +
      'the transaction of what it tells. Needs the key of an operator account.',
    tags: ['Operations'],
    auth: 'required',
    query: auditQuery,
    responses: {
      200: {
        description: 'Events, newest first.',
        schema: z.array(auditEventSchema),
        example: [auditExample],
      },
    },
    errors: [403],
    handler: async ({ caller, query: { $top: top = 100, ...filter } }) => {
      requireOperator(caller);
      return { ...ok(await audit.list({ ...filter, top })), headers: noCache };
    },
  }),
  route({
    method: 'GET',
    path: '/ops',
    summary: 'State of the service, for operators',
    description: 'Needs the key of an operator account. `/ops` beside `/api` shows the same as a page.',
    tags: ['Operations'],
    auth: 'required',
    responses: { 200: { description: 'The state.', schema: opsSchema } },
    errors: [403],
    handler: async ({ caller }) => {
      requireOperator(caller);
      return { ...ok(await state()), headers: noCache };
    },
  }),
];

/** `GET /ops`: the same as a page. A browser asks for the key: it is the user name, without a password. */
export const createOpsPageRoutes = ({ state }: OpsPageDeps): Route[] => [
  route({
    method: 'GET',
    path: '/ops',
    summary: 'State of the service as a page, for operators',
    tags: ['Operations'],
    auth: 'required',
    hidden: true,
    responses: { 200: { description: 'The page.', contentTypes: ['text/html'] } },
    errors: [403],
    handler: async ({ caller }) => {
      requireOperator(caller);
      return {
        status: 200,
        headers: {
          ...noCache,
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': pagePolicy,
        },
        body: opsPage(await state()),
      };
    },
  }),
];
