import type { Places } from '../../lib/places.js';
import type { Reader, ReadQuery } from './reader.js';

/**
 * A reader whose heavy queries take turns until their first row. Each of them keeps all cores busy, so several of one account
 * at a time are no faster than one after the other; they only slow down the queries of others.
 */
export const takeTurns = (reader: Reader, turns: Places): Reader => {
  const inTurn = <T>({ isHeavy, owner, signal }: ReadQuery, work: () => Promise<T>): Promise<T> =>
    isHeavy && owner !== undefined ? turns.run(owner, signal ?? new AbortController().signal, work) : work();
  return {
    ...reader,
    open: (query) => inTurn(query, () => reader.open(query)),
    facts: <T>(query: ReadQuery) => inTurn(query, () => reader.facts<T>(query)),
  };
};
