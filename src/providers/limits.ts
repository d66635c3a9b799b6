/** Limits on requests to an upstream. */

/** Rate limit of an upstream for one key (or, without a key, from this installation). */
export interface Rate {
  readonly perSecond?: number | undefined;
  /** Counted over any 60 seconds. */
  readonly perMinute?: number | undefined;
  /** Counted over any 60 minutes. */
  readonly perHour?: number | undefined;
  /** Counted from midnight to midnight in the zone of the limits. */
  readonly perDay?: number | undefined;
}

export interface Limits {
  /** Without a key; absent if the upstream cannot be used without one. */
  readonly anonymous?: Rate | undefined;
  /** With a key; each key has its own. */
  readonly keyed?: Rate | undefined;
  /** IANA zone at whose midnight the daily quota is reset. Default UTC. */
  readonly resetZone?: string | undefined;
  /** Concurrent requests. */
  readonly maxConcurrent: number;
  /** Errors per minute after which the gateway stops, for upstreams that lock out clients after too many errors. */
  readonly errorsPerMinute?: number;
}
