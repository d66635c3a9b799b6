import type { Log } from '../lib/log.js';
import type { Caller } from '../model/permission.js';
import type { Client } from './client-address.js';
import type { Route } from './route.js';
import type { SessionCookie } from './session-cookie.js';

/** State of a request while it is answered (`ctx.state`). */
export interface RequestState {
  requestId: string;
  log: Log;
  /** Aborted when the client hangs up before the answer is complete. */
  signal: AbortSignal;
  query: URLSearchParams;
  client: Client;
  sessionCookie: SessionCookie;
  route?: Route;
  /** Path template of the route, base included: the only form of a path that metrics see. */
  template?: string;
  caller?: Caller;
  /** The JSON body as it was sent, until the handler is done. */
  bodyText?: string;
  error?: unknown;
}

/** Path parameters as the router decoded them, once it has found a route. */
export const pathParameters = (ctx: object): Readonly<Record<string, string>> =>
  'params' in ctx && typeof ctx.params === 'object' ? { ...ctx.params } : {};
