/** Properties of a caller that the gateway needs. */
export interface GatewayCaller {
  /** Undefined for a caller without credentials. */
  readonly accountId: number | undefined;
  /** Owner of a fair share of a shared quota: the account, or the address of a caller without credentials. */
  readonly share: string;
  /** False if the caller's plan has no paid providers. */
  readonly mayUsePaid: boolean;
}

/** The caller of jobs of the service itself: search index, checks, refreshes. */
export const ownTask = (name: string): GatewayCaller => ({
  accountId: undefined,
  share: `task:${name}`,
  mayUsePaid: true,
});

/** Caller of the job that fills the search index, which only uses what others leave of a quota. */
export const indexTask = ownTask('index');
