import type { ParameterizedContext } from 'koa';
import { AppError, isAppError } from '../lib/errors.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { Permit } from '../lib/semaphore/semaphore.js';
import type { Caller } from '../model/permission.js';
import { siteOf } from './client-address.js';
import { authorizationsOf, readApiKey } from './credentials.js';
import { createKnownKeys } from './known-keys.js';
import type { RequestState } from './request-state.js';
import type { Route } from './route.js';
import type { FailureThrottle } from './throttle.js';

/**
 * Finds the account of an API key.
 * @param datasetId Dataset that the handler reads first.
 * @throws AppError `unauthenticated` for an unknown, revoked or expired key.
 */
export type Authenticate = (key: string, datasetId?: number) => Promise<Caller>;

export interface IdentificationOptions {
  readonly authenticate: Authenticate;
  /** Finds the account of a session by its token. */
  readonly authenticateSession: Authenticate;
  readonly throttle: FailureThrottle;
  readonly metrics: Metrics;
}

export type RequestContext = ParameterizedContext<RequestState> & { params?: Record<string, string> };

/** Owner of the permits and budgets of an anonymous caller. */
export const anonymous = (ctx: RequestContext): string => `ip:${siteOf(ctx.state.client.address)}`;
export const ofAccount = ({ accountId }: Caller): string => `account:${accountId}`;

interface Credential {
  readonly kind: 'key' | 'session';
  readonly secret: string;
}

/** A key has priority over a session, whose cookie browsers add to every request. */
const credentialOf = (ctx: RequestContext): Credential | undefined => {
  const key = readApiKey(authorizationsOf(ctx.req), ctx.state.query, ctx.state.route?.protocol === 'odata');
  if (key !== undefined) return { kind: 'key', secret: key };
  const { token } = ctx.state.sessionCookie;
  return token === undefined ? undefined : { kind: 'session', secret: token };
};

/** Id of the dataset in the path, if it is an id; it is validated later. */
const datasetIdOf = ({ params = {} }: RequestContext): number | undefined =>
  /^[1-9]\d{0,14}$/.test(params.id ?? '') ? Number(params.id) : undefined;

export const createIdentification = (options: IdentificationOptions) => {
  const { throttle, metrics } = options;
  const known = createKnownKeys();

  /** Delays the refusal for an address that fails often, without holding a permit. */
  const refuse = async (
    ctx: RequestContext,
    refusal: AppError,
    permit: Permit | undefined,
  ): Promise<never> => {
    metrics.authFailures.inc();
    permit?.release();
    const retryAfterSeconds = await throttle.refused(siteOf(ctx.state.client.address), ctx.state.signal);
    if (retryAfterSeconds === undefined) throw refusal;
    const { kind, code, message } = refusal;
    throw new AppError(kind, code, message, { retryAfterSeconds });
  };

  const accountOf = async (
    ctx: RequestContext,
    { kind, secret }: Credential,
    datasetId: number | undefined,
  ): Promise<Caller> => {
    try {
      const authenticate = kind === 'key' ? options.authenticate : options.authenticateSession;
      const caller = await authenticate(secret, datasetId);
      known.learn(secret, ofAccount(caller));
      if (kind === 'session') ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
      return caller;
    } catch (error) {
      if (isAppError(error)) known.forget(secret);
      // The next request has no cookie, and can read public data again.
      if (isAppError(error) && kind === 'session') ctx.append('Set-Cookie', ctx.state.sessionCookie.end);
      throw error;
    }
  };

  return {
    /** Owner under which a request waits before its key is looked up. */
    lineOf(ctx: RequestContext): string {
      try {
        const credential = credentialOf(ctx);
        return (credential && known.ownerOf(credential.secret)) ?? anonymous(ctx);
      } catch {
        // Malformed credentials are refused after the permit was acquired.
        return anonymous(ctx);
      }
    },

    async identify(
      ctx: RequestContext,
      { auth, readsDataset = false }: Pick<Route, 'auth' | 'readsDataset'>,
      permit: Permit | undefined,
    ): Promise<Caller | undefined> {
      if (auth === 'none') return undefined;
      try {
        const credential = credentialOf(ctx);
        const datasetId = readsDataset ? datasetIdOf(ctx) : undefined;
        if (credential !== undefined) return await accountOf(ctx, credential, datasetId);
      } catch (error) {
        if (isAppError(error) && error.kind === 'unauthenticated') return refuse(ctx, error, permit);
        throw error;
      }
      if (auth === 'optional') return undefined;
      throw new AppError('unauthenticated', 'no_key', 'an API key is required');
    },
  };
};
