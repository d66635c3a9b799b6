import { AppError, isAppError } from '../../lib/errors.js';
import { nearest } from '../../lib/nearest.js';
import { storableText } from '../../lib/well-formed.js';
import type { Provider } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { likePrefix } from './item-search.js';

/** Adds the nearest ids of the index to a 404 of a series. */
export type WithSimilar = <T>(provider: Provider, seriesId: string, work: () => Promise<T>) => Promise<T>;

const maxSimilar = 5;
const shortestPrefix = 3;

const withPrefix = `
  SELECT id, label FROM gateway_items
   WHERE lower(id) LIKE $2 AND provider = $1 ORDER BY lower(id) USING ~<~ LIMIT 50`;

interface Similar {
  readonly id: string;
  readonly label: string;
}

/** Prefixes of an id, the whole id first, each about a fifth shorter. */
const prefixesOf = (id: string): string[] => {
  const lengths: number[] = [];
  for (
    let length = id.length;
    length >= shortestPrefix;
    length = Math.min(length - 1, Math.floor(length * 0.8))
  ) {
    lengths.push(length);
  }
  return lengths.map((length) => id.slice(0, length));
};

/** Sorts by edit distance. */
const order = (seriesId: string, found: readonly Similar[]): Similar[] => {
  const near = nearest(
    seriesId,
    found.map(({ id }) => id),
  );
  return found.toSorted((a, b) => Number(b.id === near) - Number(a.id === near)).slice(0, maxSimilar);
};

export const createWithSimilar = (sql: Sql): WithSimilar => {
  const findSimilar = async (provider: string, seriesId: string): Promise<Similar[]> => {
    const text = storableText(seriesId, 100);
    for (const prefix of prefixesOf(text)) {
      const found = await sql.query<Similar>(withPrefix, [provider, likePrefix(prefix)]);
      if (found.length > 0) return order(text, found);
    }
    return [];
  };

  return async (provider, seriesId, work) => {
    try {
      return await work();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'series_not_found') throw error;
      const similar = await findSimilar(provider.slug, seriesId);
      if (similar.length === 0) throw error;
      throw new AppError('not_found', error.code, error.message, { details: { ...error.details, similar } });
    }
  };
};
