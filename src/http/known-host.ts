import { isIP } from 'node:net';
import type { ParameterizedContext } from 'koa';
import type { RequestState } from './request-state.js';
import { HttpFault } from './status.js';

/**
 * Refuses requests from pages of other sites: by `Origin`, and by a `Host` that is not a name of the service, which a page sends whose own
 * name resolves to this address (DNS rebinding).
 * @throws HttpFault 403
 */
export type HostGuard = (ctx: ParameterizedContext<RequestState>) => void;

export interface HostGuardOptions {
  /** Names of the service. Addresses and `localhost` are always accepted, since rebinding needs a name. */
  readonly names: readonly string[];
  /** Origins whose pages are accepted. `*` is ignored, since it only allows reading. */
  readonly trusted: readonly string[];
}

const nameOf = (host: string): string | undefined => {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
};

const isAddress = (name: string): boolean => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;

/** True if a page of this host has this origin. Browsers omit the default port of the scheme. */
const isOriginOf = (origin: string, host: string): boolean => {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: ofPage } = new URL(origin);
  return ofPage !== '' && ofPage === new URL(`${protocol}//${host}`).host;
};

export const createHostGuard = ({ names, trusted }: HostGuardOptions): HostGuard => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (ctx) => {
    const host = (ctx.state.client.forwardedHost ?? ctx.get('Host')).toLowerCase();
    const name = nameOf(host);
    if (name === undefined || (!known.has(name) && !isAddress(name)))
      throw new HttpFault(
        403,
        'unknown_host',
        'The Host of the request is not a name of this service; its operator lists names in PUBLIC_URL and MCP_HOSTS.',
      );
    const origin = ctx.get('Origin').toLowerCase();
    if (origin === '' || trusted.includes(origin)) return;
    if (!isOriginOf(origin, host))
      throw new HttpFault(
        403,
        'cross_site',
        'A page of another site may not call this unless CORS_ORIGINS lists its origin.',
      );
  };
};
