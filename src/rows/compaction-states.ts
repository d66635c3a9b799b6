import { isHeldSql } from '../jobs/leases.js';

/**
 * States of compactions, as SQL.
 *
 *   writing     its worker writes the copy and has the lease of the store; one per store
 *   swapping    the copy is complete: versions are switched to it, by any worker once the lease has expired
 *   done        no version has a segment of the run any more
 *   abandoned   no version refers to the copy; the sweep drops it
 */
/** State before and after each event. */
export const transitions = {
  publish: ['writing', 'swapping'],
  finish: ['swapping', 'done'],
  abandon: ['writing', 'abandoned'],
} as const;

const open = ['writing', 'swapping'] as const;

type State = (typeof transitions)[keyof typeof transitions][number];

/** Condition that the compaction `c` is in one of these states. */
export const inState = (c: string, ...states: readonly State[]): string =>
  `${c}.state IN (${states.map((state) => `'${state}'`).join(', ')})`;

/** Condition that a worker writes the compaction `c`, or switches versions to it. */
export const isOpen = (c: string): string => inState(c, ...open);
export const isWriting = (c: string): string => inState(c, 'writing');
export const isSwapping = (c: string): string => inState(c, 'swapping');

export const isHeld = (c: string): string => isHeldSql('compaction', `${c}.store_id`);
export const isExpired = (c: string): string => `NOT ${isHeld(c)}`;
