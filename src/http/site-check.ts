import type { ParameterizedContext } from 'koa';
import type { RequestState } from './request-state.js';
import type { Route } from './route.js';
import { HttpFault } from './status.js';

/**
 * Refuses changes that a page of another site requests with credentials that the browser adds by itself: a stored Basic password or a
 * cookie. Such a page needs neither a preflight nor the answer, since a form is enough.
 * @throws HttpFault 403
 */
export type SiteCheck = (ctx: ParameterizedContext<RequestState>, route: Route) => void;

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/**
 * True for a request that a page of another site made the browser send. Browsers report this in `Sec-Fetch-Site` to trustworthy addresses,
 * and in `Origin` to all; other clients send neither.
 */
const isFromOtherSite = (ctx: ParameterizedContext<RequestState>, trusted: readonly string[]): boolean => {
  const site = ctx.get('Sec-Fetch-Site');
  const origin = ctx.get('Origin');
  if (site === 'same-origin' || site === 'none' || trusted.includes(origin)) return false;
  if (site !== '') return true;
  const ownHost = ctx.state.client.forwardedHost ?? ctx.get('Host');
  return origin !== '' && hostOf(origin) !== ownHost.toLowerCase();
};

/** @param trusted Origins whose pages may change something. `*` is ignored, since it only allows reading. */
export const createSiteCheck =
  (trusted: readonly string[]): SiteCheck =>
  (ctx, route) => {
    if (route.method === 'GET' || route.changesNothing) return;
    const hasAmbientCredentials = ctx.get('Authorization') !== '' || ctx.get('Cookie') !== '';
    if (!hasAmbientCredentials || !isFromOtherSite(ctx, trusted)) return;
    throw new HttpFault(
      403,
      'cross_site',
      'A page of another site may not change anything here unless CORS_ORIGINS lists its origin.',
    );
  };
