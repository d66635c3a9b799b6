import type { GatewayCaller } from '../../gateway/caller.js';
import type { Caller } from '../../model/permission.js';

interface GatewayCallersOptions {
  /** False when the plan of the account has no providers that cost money. */
  readonly mayUsePaid: (accountId: number) => Promise<boolean>;
}

type Requester = { readonly caller: Caller | undefined; readonly owner: string };

/** Finds the caller as the gateway sees them. */
export type GatewayCallers = (request: Requester) => Promise<GatewayCaller>;

/** Without an account, callers of one address divide its share. */
export const createGatewayCallers =
  ({ mayUsePaid }: GatewayCallersOptions): GatewayCallers =>
  async ({ caller, owner }) => {
    if (caller === undefined) return { accountId: undefined, share: owner, mayUsePaid: false };
    const { accountId } = caller;
    return { accountId, share: owner, mayUsePaid: await mayUsePaid(accountId) };
  };
