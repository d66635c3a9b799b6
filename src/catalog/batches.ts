/**
 * Reads a long list in batches of rising ids: no connection is held while a slow client reads, and no item is shown
 * twice.
 *
 * @param load Rows with an id above `after`, lowest first, at most `limit`.
 * @param show Item for a row; undefined to leave it out.
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

/** Words of a search; each has to occur. */
export const searchPatterns = (query: string | undefined): string[] =>
  (query ?? '')
    .normalize('NFC')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 20)
    .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
