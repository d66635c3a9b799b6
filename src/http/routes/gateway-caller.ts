import type { GatewayCaller } from '../../gateway/caller.js';
import type { Caller } from '../../model/permission.js';

interface GatewayCallersOptions {
  /** False if the plan of the account does not include paid providers. */
  readonly mayUsePaid: (accountId: number) => Promise<boolean>;
}

type Requester = { readonly caller: Caller | undefined; readonly owner: string };

/** Returns the caller in the form that the gateway needs. */
export type GatewayCallers = (request: Requester) => Promise<GatewayCaller>;

/** Callers without an account share the quota of their address. */
export const createGatewayCallers =
  ({ mayUsePaid }: GatewayCallersOptions): GatewayCallers =>
  async ({ caller, owner }) => {
    if (caller === undefined) return { accountId: undefined, share: owner, mayUsePaid: false };
    const { accountId } = caller;
    return { accountId, share: owner, mayUsePaid: await mayUsePaid(accountId) };
  };
