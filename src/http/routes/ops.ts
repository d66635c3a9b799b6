import { requireOperator } from '../../catalog/access.js';
import { ok, type Route, route } from '../route.js';
import { opsPage } from './ops-page.js';
import { type OpsState, opsSchema } from './ops-schema.js';

export interface OpsRoutesDeps {
  readonly state: () => Promise<OpsState>;
}

const noCache = { 'Cache-Control': 'no-store' };

/** Nothing is loaded, run or sent by the page; the one style stands in it. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `GET /api/ops`: where uploads, refreshes and upstreams stand, for operators. */
export const createOpsRoutes = ({ state }: OpsRoutesDeps): Route[] => [
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
export const createOpsPageRoutes = ({ state }: OpsRoutesDeps): Route[] => [
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
