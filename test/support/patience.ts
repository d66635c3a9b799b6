/**
 * How long tests wait. Tests poll and continue as soon as the condition is true: these bounds only end a test whose condition
 * never becomes true, even on the slowest machine.
 */

/** Longest wait for one thing, milliseconds: of `expect.poll`, of the browser, of an answer. */
export const patienceMs = 180_000;

/** Longest that a test or a hook takes, milliseconds. */
export const longestTestMs = 600_000;
