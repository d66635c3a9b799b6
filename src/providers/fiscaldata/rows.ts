import { z } from 'zod';
import { readErrorReply } from '../error-reply.js';
import { refusedRequest, upstreamNotFound } from '../errors.js';
import { allPages } from '../listing.js';
import type { UpstreamHttp, UpstreamReply, UpstreamRequest } from '../provider.js';
import { count, readShape } from '../shape.js';

export const named = { slug: 'fiscaldata', name: 'FiscalData' };

/** Date column, the same in all listed tables. */
export const dateColumn = 'record_date';

/** Largest page that is accepted. */
const largestPage = 10_000;

/** Every cell is a text; a missing one is the text `null`. */
const row = z.record(z.string(), z.union([z.string(), z.number().transform(String), z.null()]));
export type Row = z.output<typeof row>;

const byColumn = z.record(z.string(), z.string());

const pageReply = z.object({
  data: z.array(row),
  meta: z.object({
    labels: byColumn,
    dataTypes: byColumn,
    dataFormats: byColumn.nullish(),
    'total-count': count,
    'total-pages': count,
  }),
});

export interface Rows {
  readonly rows: readonly Row[];
  readonly labels: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, string>>;
  readonly formats: Readonly<Record<string, string>>;
}

const errorBody = z.object({ error: z.string(), message: z.string() });

export const explain = (reply: UpstreamReply): Error | undefined => {
  // The request names a table; the gateway adds which of its series was requested.
  if (reply.status === 404) return upstreamNotFound(named);
  if (reply.status !== 400) return undefined;
  const found = readErrorReply(errorBody, reply);
  return found === undefined ? undefined : refusedRequest(named, found.message);
};

const fetchPage = async (
  table: string,
  query: NonNullable<UpstreamRequest['query']>,
  http: UpstreamHttp,
  keep: UpstreamRequest['keep'],
) => {
  // Never `fields`: without the text columns the upstream groups the rows and sums their values.
  const payload = await http.json({
    path: table.split('/'),
    query: { ...query, format: 'json' },
    keep,
  });
  const { data, meta } = readShape(named, pageReply, payload);
  return {
    rows: data,
    labels: meta.labels,
    types: meta.dataTypes,
    formats: meta.dataFormats ?? {},
    total: meta['total-count'],
    pages: meta['total-pages'],
  };
};

/** The newest rows of a table, newest first. */
export const fetchNewest = async (
  table: string,
  filter: string | undefined,
  size: number,
  http: UpstreamHttp,
  keep?: UpstreamRequest['keep'],
): Promise<Rows> =>
  fetchPage(table, { filter, sort: `-${dateColumn}`, 'page[number]': 1, 'page[size]': size }, http, keep);

/**
 * Fetches all rows. Rows of one date have no defined order, so a row could be on two pages and another on none: if there is more than one
 * page, they are sorted by all columns.
 */
export const fetchAll = async (
  table: string,
  filter: string | undefined,
  http: UpstreamHttp,
): Promise<Rows> => {
  const load = (number: number, sort: string) =>
    fetchPage(table, { filter, sort, 'page[number]': number, 'page[size]': largestPage }, http, undefined);
  const only = await load(1, dateColumn);
  const others = Object.keys(only.types).filter((column) => column !== dateColumn);
  const order = [dateColumn, ...others].join(',');
  const first = only.pages > 1 ? await load(1, order) : only;
  const { items } = await allPages(named, async (_offset, number) => {
    const { total, rows } = number === 0 ? first : await load(number + 1, order);
    return { total, items: rows, isLast: number + 1 >= first.pages };
  });
  return { ...first, rows: items };
};
