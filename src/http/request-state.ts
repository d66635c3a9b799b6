import type { Log } from '../lib/log.js';
import type { Caller } from '../model/permission.js';
import type { Client } from './client-address.js';
import type { Route } from './route.js';
import type { SessionCookie } from './session-cookie.js';

/** State of a request (`ctx.state`). */
export interface RequestState {
  requestId: string;
  log: Log;
  /** Aborted when the client disconnects before the answer is complete. */
  signal: AbortSignal;
  query: URLSearchParams;
  client: Client;
  sessionCookie: SessionCookie;
  route?: Route;
  /** Path template of the route, with the base: the only form of a path in metrics. */
  template?: string;
  caller?: Caller | undefined;
  /** The JSON body as it was sent, until the handler has finished. */
  bodyText?: string;
  error?: unknown;
}

/** Path parameters as the router decoded them, once it has found a route. */
export const pathParameters = (ctx: object): Readonly<Record<string, string>> =>
  'params' in ctx && typeof ctx.params === 'object' ? { ...ctx.params } : {};
