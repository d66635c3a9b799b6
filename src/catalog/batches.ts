import { invalid } from '../lib/errors.js';

/**
 * Reads a long list in batches of rising ids: no connection is held while a slow client reads, and no item is returned twice.
 *
 * @param load Returns rows with an id above `after`, lowest first, at most `limit`.
 * @param show Returns the item for a row; undefined to omit it.
 */
export async function* inBatches<Row extends { readonly id: number }, Item>(
  load: (after: number, limit: number) => Promise<readonly Row[]>,
  show: (row: Row) => readonly Item[],
  limit = 2_000,
): AsyncGenerator<readonly Item[]> {
  for (let after = 0; ; ) {
    const rows = await load(after, limit);
    yield rows.flatMap(show);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last.id;
  }
}

/** SQL of a text in the form of `searchPatterns`. Names are stored as they were given, with accents composed or not; most are ASCII. */
export const searchedText = (sql: string): string =>
  `CASE WHEN octet_length(${sql}) = length(${sql}) THEN ${sql} ELSE normalize(${sql}, NFC) END`;

const maxWords = 20;

/** Patterns for the words of a search, each of which must occur. @throws AppError 400 for more words than are compared. */
export const searchPatterns = (query: string | undefined): string[] => {
  const words = (query ?? '')
    .normalize('NFC')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length > maxWords) throw invalid('invalid_request', `query: q has more than ${maxWords} words`);
  return words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
};
