import { tooLarge, unexpectedReply } from './errors.js';
import type { Context, Item, Named, Page, SeriesPage } from './provider.js';

/**
 * Loads an optional part (a table or page of a listing, the names of codes). If it fails, the failure is recorded and the part is skipped.
 */
export const loadPart = async <T>(
  ctx: Context,
  part: string,
  load: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await load();
  } catch (error) {
    if (ctx.skipPart?.(part, error) === true) return undefined;
    throw error;
  }
};

/** One page of a complete list. */
export const pageOf = <T extends Item>(items: readonly T[], { limit, offset }: Page): SeriesPage => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
});

export interface PartOfList<T> {
  /** Number of entries of the whole list, as reported by the upstream. */
  readonly total: number;
  readonly items: readonly T[];
  /** True: the upstream reports that no page follows. */
  readonly isLast?: boolean;
}

/** Most entries of a list: an hourly series of 25 years has fewer, and so many take 100 MB. */
export const maxListed = 250_000;

/**
 * Joins all pages of a list.
 * @param most Most entries that the upstream may report.
 * @throws AppError 502 for a list with fewer or more entries than reported, or more than `most`
 */
export const allPages = async <T, P extends PartOfList<T>>(
  provider: Named,
  /** @param offset Entries before the page. @param number Pages before it. */
  load: (offset: number, number: number) => Promise<P & PartOfList<T>>,
  most = maxListed,
): Promise<P & PartOfList<T>> => {
  const first = await load(0, 0);
  if (first.total > most) throw tooLarge(provider);
  let page = first;
  let { items } = first;
  for (let number = 1; items.length < first.total; number += 1) {
    if (page.isLast === true || page.items.length === 0) {
      throw unexpectedReply(provider, 'fewer entries than it reports');
    }
    page = await load(items.length, number);
    items = items.concat(page.items);
  }
  if (items.length > first.total) throw unexpectedReply(provider, 'more entries than it reports');
  return { ...first, items };
};
