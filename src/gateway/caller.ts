/** Who asks, as far as the gateway needs to know. */
export interface GatewayCaller {
  /** Undefined for a caller without credentials. */
  readonly accountId: number | undefined;
  /** Whose fair share of a shared quota is used; for callers without credentials, their address. */
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
