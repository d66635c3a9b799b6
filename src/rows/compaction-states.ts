import { isHeldSql } from '../jobs/leases.js';

/**
 * States of compactions, as SQL.
 *
 *   writing     its worker writes the copy and holds the lease of the store; one per store
 *   swapping    the copy is complete: versions are switched to it, by any worker once the lease has expired
 *   done        no version has a segment of the run any more
 *   abandoned   no version refers to the copy; the sweep drops it
 */
/** State before and after each event. */
const transitions = {
  // By the worker that holds the lease: the copy is complete.
  publish: ['writing', 'swapping'],
  // By any worker: versions are switched.
  finish: ['swapping', 'done'],
  // By the worker whose copy failed, by the next one for this store, by the sweep once the lease has expired, and by a restore.
  abandon: ['writing', 'abandoned'],
} as const;

export type CompactionEvent = keyof typeof transitions;

const open = ['writing', 'swapping'] as const;

type State = (typeof transitions)[keyof typeof transitions][number];

/** Condition that the compaction `c` is in one of these states. */
export const inState = (...states: readonly State[]): string =>
  `c.state IN (${states.map((state) => `'${state}'`).join(', ')})`;

/** Condition that the compaction `c` is being written, or versions are being switched to it. */
export const isOpen = inState(...open);
export const isWriting = inState('writing');
export const isSwapping = inState('swapping');

/** The event as parts of an UPDATE of compactions `c`. */
export const moveSql = (event: CompactionEvent): { readonly set: string; readonly when: string } => {
  const [from, to] = transitions[event];
  return { set: `state = '${to}'`, when: inState(from) };
};

export const isHeld = isHeldSql('compaction', 'c.store_id');
export const isExpired = `NOT ${isHeld}`;
