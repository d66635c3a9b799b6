import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import type { Reader, ReadQuery } from './reader.js';

/**
 * A reader whose heavy queries hold a permit until their first row. Each of them uses all cores, so concurrent ones of an account are no
 * faster than sequential ones; they only slow down the queries of others.
 */
export const limitHeavyQueries = (reader: Reader, semaphore: Semaphore): Reader => {
  const withinPermit = <T>({ isHeavy, owner, signal }: ReadQuery, work: () => Promise<T>): Promise<T> =>
    isHeavy && owner !== undefined
      ? semaphore.run(owner, signal ?? new AbortController().signal, work)
      : work();
  return {
    ...reader,
    open: (query) => withinPermit(query, () => reader.open(query)),
    queryObjects: <T>(query: ReadQuery) => withinPermit(query, () => reader.queryObjects<T>(query)),
  };
};
