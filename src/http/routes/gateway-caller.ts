import type { IncomingMessage } from 'node:http';
import type { Caller as GatewayCaller } from '../../gateway/caller.js';
import type { Caller } from '../../model/permission.js';

export interface GatewayCallersOptions {
  /** False when the plan of the account has no providers that cost money. */
  readonly mayUsePaid: (accountId: number) => Promise<boolean>;
  /** Believe the last address of `X-Forwarded-For`: the one that the proxy in front saw. */
  readonly trustProxy: boolean;
}

type Asking = { readonly caller: Caller | undefined; readonly raw: IncomingMessage };

/** Who asks, as the gateway sees them. */
export type GatewayCallers = (request: Asking) => Promise<GatewayCaller>;

const forwardedFor = (request: IncomingMessage): string | undefined => {
  const header = request.headers['x-forwarded-for'];
  const text = Array.isArray(header) ? header.join(',') : header;
  const last = text?.split(',').at(-1)?.trim();
  return last === '' ? undefined : last?.slice(0, 64);
};

/** Without an account, callers of one address divide its share. */
export const createGatewayCallers =
  ({ mayUsePaid, trustProxy }: GatewayCallersOptions): GatewayCallers =>
  async ({ caller, raw }) => {
    if (caller !== undefined) {
      const { accountId } = caller;
      return { accountId, share: `account:${accountId}`, mayUsePaid: await mayUsePaid(accountId) };
    }
    const address = (trustProxy ? forwardedFor(raw) : undefined) ?? raw.socket.remoteAddress ?? 'unknown';
    return { accountId: undefined, share: `ip:${address}`, mayUsePaid: false };
  };
