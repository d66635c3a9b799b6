import { unexpectedReply } from './errors.js';
import type { Context, Item, Named, Page, SeriesPage } from './provider.js';

/**
 * A part that the rest can do without (a table or a page of a listing, the names of codes): when it fails alone it is
 * recorded and passed over.
 */
export const loadPart = async <T>(
  ctx: Context,
  part: string,
  load: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await load();
  } catch (error) {
    if (ctx.passOver?.(part, error) === true) return undefined;
    throw error;
  }
};

/** One page of a list that is here as a whole. */
export const pageOf = <T extends Item>(items: readonly T[], { limit, offset }: Page): SeriesPage => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
});

export interface PartOfList<T> {
  /** Number of entries of the whole list, as the upstream announces it. */
  readonly total: number;
  readonly items: readonly T[];
  /** The upstream says that no page follows. */
  readonly isLast?: boolean;
}

/**
 * All pages of a list, put together.
 * @throws AppError 502 for a list with fewer or more entries than announced
 */
export const allPages = async <T, P extends PartOfList<T>>(
  provider: Named,
  /** @param offset entries before the page @param number pages before it */
  load: (offset: number, number: number) => Promise<P & PartOfList<T>>,
): Promise<P & PartOfList<T>> => {
  const first = await load(0, 0);
  let page = first;
  let { items } = first;
  for (let number = 1; items.length < first.total; number += 1) {
    if (page.isLast === true || page.items.length === 0) {
      throw unexpectedReply(provider, 'fewer entries than it tells');
    }
    page = await load(items.length, number);
    items = items.concat(page.items);
  }
  if (items.length > first.total) throw unexpectedReply(provider, 'more entries than it tells');
  return { ...first, items };
};
