/** Limits on requests to an upstream. */

/** Rate limit of an upstream for one key (or, without a key, from this installation). */
export interface Rate {
  readonly perSecond?: number;
  /** Counted over any 60 seconds. */
  readonly perMinute?: number;
  /** Counted over any 60 minutes. */
  readonly perHour?: number;
  /** Counted from midnight to midnight in the zone of the limits. */
  readonly perDay?: number;
}

export interface Limits {
  /** Without a key. Left out where there is no use without one. */
  readonly anonymous?: Rate;
  /** With a key; each key has its own. */
  readonly keyed?: Rate;
  /** IANA zone at whose midnight the daily quota starts again; default UTC. */
  readonly resetZone?: string;
  /** Requests on the way at the same time. */
  readonly maxConcurrent: number;
  /** Errors a minute after which the gateway stops, for upstreams that lock out clients after too many errors. */
  readonly errorsPerMinute?: number;
}
