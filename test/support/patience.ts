/**
 * How long tests wait. What is waited for comes by itself, and whoever waits looks again and again and goes on at once:
 * these bounds only end a test for which nothing comes any more, on the slowest of machines, too.
 */

/** Longest wait for one thing, milliseconds: of `expect.poll`, of the browser, of an answer. */
export const patienceMs = 180_000;

/** Longest that a test or a hook takes, milliseconds. */
export const longestTestMs = 600_000;
