/** The caller, as far as the gateway needs to know. */
export interface GatewayCaller {
  /** Undefined for a caller without credentials. */
  readonly accountId: number | undefined;
  /** Key of the fair share of a shared quota: the account, or the address of a caller without credentials. */
  readonly share: string;
  /** False when the caller's plan has no paid providers. */
  readonly mayUsePaid: boolean;
}

/** Tasks of the service itself: the search index, checks, refreshes. */
export const ownTask = (name: string): GatewayCaller => ({
  accountId: undefined,
  share: `task:${name}`,
  mayUsePaid: true,
});

/** Filling the search index: takes only what others leave of a quota. */
export const indexTask = ownTask('index');
