/**
 * Timeouts of tests. Tests poll and continue as soon as a condition is true, so these only end tests whose condition
 * never becomes true. They are long enough for the slowest machine.
 */

/** Timeout of a single wait: of `expect.poll`, of the browser, of an answer. */
export const patienceMs = 180_000;

/** Timeout of a test or a hook. */
export const longestTestMs = 600_000;
