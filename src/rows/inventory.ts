/**
 * Compares the segments in ClickHouse with those that PostgreSQL knows, in pools and own tables. Both sides compute sums over ranges of
 * segment ids, for all shards together. Only ranges whose sums differ are compared segment by segment, so the work depends on what has
 * changed, apart from two passes over the ids.
 */

import { type ClickHouseServers, type QuerySettings, servedBy } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import type { Sql } from '../storage/postgres/sql.js';
import { poolName } from './place.js';
import { placeColumnsSql, placesSql, type SegmentPlace } from './segment-place.js';
import { isListed } from './segment-ranges.js';
import { type PoolClass, poolClasses } from './slots.js';
import { isServed } from './stores.js';

/** Rows of a segment in one table of one shard. */
export interface StoredSegment extends SegmentPlace {
  readonly shard: number;
  readonly rows: number;
}

/** A segment of versions that does not have as many rows as were published. */
export interface MissingSegment extends SegmentPlace {
  readonly rows: number;
  readonly found: number;
}

/** A page of segments of a range whose sums differ. */
export interface Differences {
  /** All segments in ClickHouse, known or not. */
  readonly stored: readonly StoredSegment[];
  readonly missing: readonly MissingSegment[];
}

const own = 'own';
type Kind = PoolClass | typeof own;
const kinds: readonly Kind[] = [...poolClasses, own];

/** Segments per range: few enough to compare one by one if the sums differ. */
const rangeSize = 10_000;
const maxRanges = 2_000;
const pageSize = 10_000;
const largestId = Number.MAX_SAFE_INTEGER;

/** Starts of ranges with about equally many segments; the last range has no end. */
const readStarts = async (sql: Sql): Promise<number[]> => {
  const starts = await sql.query<{ start: number }>(
    `SELECT id AS start FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM segments) AS numbered
     WHERE place % greatest(${rangeSize}, (SELECT count(*) FROM segments) / ${maxRanges}) = 0 ORDER BY id`,
  );
  return [1, ...starts.map(({ start }) => start)];
};

/**
 * Sums that both databases compute alike and that add up over shards. They include squares, to tell pairs of ids with the same sum apart.
 */
const sumsSql = (id: string, store: string, rows: string): readonly string[] => [
  `sum(${rows})`,
  `sum(${rows} * (${id} % 1000003))`,
  `sum(${rows} * ((${id} % 2147483647) * (${id} % 2147483647) % 1000003))`,
  `sum(${rows} * (${store} % 1000003))`,
];

interface RangeSums {
  readonly start: number;
  readonly sums: readonly string[];
}

/** Adds the sums of shards, by start of the range. */
const addUp = (found: readonly RangeSums[]): ReadonlyMap<number, string> => {
  const totals = new Map<number, readonly bigint[]>();
  for (const { start, sums } of found) {
    const before = totals.get(start);
    totals.set(
      start,
      sums.map((sum, at) => BigInt(sum) + (before?.[at] ?? 0n)),
    );
  }
  return new Map([...totals].map(([start, sums]) => [start, sums.join('/')]));
};

/** Aggregates in order, so that memory does not grow with the number of segments. Allows thousands of numbers in a statement. */
const settings: QuerySettings = {
  max_threads: 1,
  optimize_aggregation_in_order: 1,
  max_query_size: '16777216',
};

/** Query of the segments of one kind on one server: id, store of the own table, rows. */
const storedSql = (database: string, kind: Kind): string =>
  kind === own
    ? `SELECT toUInt64OrZero(partition) AS seg, toUInt64OrZero(substring(table, 2)) AS store, sum(rows) AS n
       FROM system.parts WHERE database = {database:String} AND active AND match(table, '^s[0-9]+$')
         AND seg > {after:UInt64} AND seg <= {until:UInt64} GROUP BY seg, store`
    : `SELECT _seg AS seg, toUInt64(0) AS store, count() AS n FROM ${database}.${poolName(kind)}
       WHERE _seg > {after:UInt64} AND _seg <= {until:UInt64} GROUP BY _seg`;

/** True if the rows belong to the segment: in its table and, unless it is everywhere, on its shard. */
const isRowsOf = (stored: StoredSegment, { id, storeId, shard, pool }: SegmentPlace): boolean =>
  stored.id === id &&
  stored.pool === pool &&
  (pool !== null || stored.storeId === storeId) &&
  (shard === null || stored.shard === shard);

export const createInventory = (sql: Sql, servers: ClickHouseServers) => {
  const { database } = servers;

  /** Answers of all shards; empty for a shard without the pool, which the first upload to it creates. */
  const askAll = async <T>(kind: Kind, select: string, rest: string, params: object) => {
    const query = `SELECT ${select} FROM (${storedSql(database, kind)}) ${rest}`;
    return Promise.all(
      servers.shards.map(async ({ number: shard, clickhouse }) => {
        const read = () => clickhouse.rows<T>(query, { params: { database, ...params }, settings });
        return { shard, rows: await ifTableExists(read, []) };
      }),
    );
  };

  const storedSums = async (kind: Kind, starts: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    const list = starts.map((start) => `toUInt64(${Number(start)})`).join(', ');
    const sums = sumsSql('seg', 'store', 'n').map((sum) => `toString(${sum})`);
    const answers = await askAll<{ start: string; sums: string[] }>(
      kind,
      `toString(roundDown(seg, [${list}])) AS start, [${sums.join(', ')}] AS sums`,
      'GROUP BY start',
      { after: 0, until: largestId },
    );
    return addUp(answers.flatMap(({ rows }) => rows.map((row) => ({ ...row, start: Number(row.start) }))));
  };

  /** Sums by kind of the published, still referenced segments on configured servers. */
  const knownSums = async (
    starts: readonly number[],
  ): Promise<(kind: Kind) => ReadonlyMap<number, string>> => {
    const store = 'CASE WHEN s.slot_map_id IS NULL THEN s.store_id ELSE 0 END';
    const sums = sumsSql('s.id', `(${store})`, 's.rows').map((sum) => `(${sum})::text`);
    const found = await sql.query<RangeSums & { readonly kind: Kind }>(
      `SELECT coalesce(m.pool, '${own}') AS kind, ($1::bigint[])[width_bucket(s.id, $1::bigint[])] AS start,
         ARRAY[${sums.join(', ')}] AS sums
       FROM ${placesSql} WHERE s.rows > 0 AND s.unreferenced_at IS NULL AND ${isServed(servedBy(servers))} GROUP BY 1, 2`,
      [starts],
    );
    return (kind) => addUp(found.filter((one) => one.kind === kind));
  };

  /** Segments above `after` on all shards, up to `last`, the highest id to which every shard's list is complete. */
  const readPage = async (
    kind: Kind,
    after: number,
    until: number,
  ): Promise<{ readonly stored: StoredSegment[]; readonly last: number }> => {
    const answers = await askAll<{ id: string; store: string; n: string }>(
      kind,
      'toString(seg) AS id, toString(store) AS store, toString(n) AS n',
      `ORDER BY seg LIMIT ${pageSize}`,
      { after, until },
    );
    const pool = kind === own ? null : kind;
    const full = answers.filter(({ rows }) => rows.length === pageSize);
    const last = Math.min(until, ...full.map(({ rows }) => Number(rows.at(-1)?.id)));
    const stored = answers.flatMap(({ shard, rows }) =>
      rows.map(({ id, store, n }) => ({
        id: Number(id),
        storeId: Number(store),
        shard,
        pool,
        rows: Number(n),
      })),
    );
    return { stored: stored.filter(({ id }) => id <= last), last };
  };

  const expected = (kind: Kind, after: number, until: number) =>
    sql.query<SegmentPlace & { readonly rows: number }>(
      `SELECT ${placeColumnsSql}, s.rows FROM ${placesSql}
       WHERE coalesce(m.pool, '${own}') = $1 AND s.id > $2 AND s.id <= $3 AND s.rows > 0
         AND ${isServed(servedBy(servers))} AND ${isListed('s.id')}`,
      [kind, after, until],
    );

  const rowsOf = (segment: SegmentPlace, stored: readonly StoredSegment[]): number =>
    stored.reduce((sum, one) => (isRowsOf(one, segment) ? sum + one.rows : sum), 0);

  /** Checks differences again: a segment may have been dropped between the two reads. */
  const findMissing = async (
    kind: Kind,
    stored: readonly StoredSegment[],
    after: number,
    last: number,
  ): Promise<MissingSegment[]> => {
    const byId = new Map<number, StoredSegment[]>();
    for (const one of stored) byId.set(one.id, [...(byId.get(one.id) ?? []), one]);
    const isOdd = (segment: SegmentPlace & { readonly rows: number }): boolean =>
      rowsOf(segment, byId.get(segment.id) ?? []) !== segment.rows;
    const odd = new Set((await expected(kind, after, last)).filter(isOdd).map(({ id }) => id));
    if (odd.size === 0) return [];
    const missing: MissingSegment[] = [];
    for (const segment of await expected(kind, after, last)) {
      if (!odd.has(segment.id)) continue;
      const found = rowsOf(segment, (await readPage(kind, segment.id - 1, segment.id)).stored);
      if (found !== segment.rows) missing.push({ ...segment, found });
    }
    return missing;
  };

  return {
    /** Yields ranges that differ, a page of segments at a time. @throws if `stop` is aborted before the end. */
    async *compare(stop?: AbortSignal): AsyncGenerator<Differences> {
      const starts = await readStarts(sql);
      const knownOf = await knownSums(starts);
      for (const kind of kinds) {
        stop?.throwIfAborted();
        const [stored, known] = [await storedSums(kind, starts), knownOf(kind)];
        for (const [at, start] of starts.entries()) {
          if (stored.get(start) === known.get(start)) continue;
          const until = (starts[at + 1] ?? largestId + 1) - 1;
          for (let after = start - 1; after < until; ) {
            stop?.throwIfAborted();
            const page = await readPage(kind, after, until);
            yield { stored: page.stored, missing: await findMissing(kind, page.stored, after, page.last) };
            after = page.last;
          }
        }
      }
    },

    /** Rows that belong to no known segment of their table. A segment is registered before its first row is written. */
    async unknown(stored: readonly StoredSegment[]): Promise<StoredSegment[]> {
      const known = await sql.query<SegmentPlace>(
        `SELECT ${placeColumnsSql} FROM ${placesSql} WHERE s.id = ANY ($1)`,
        [stored.map(({ id }) => id)],
      );
      const byId = new Map(known.map((segment) => [segment.id, segment]));
      return stored.filter((one) => {
        const segment = byId.get(one.id);
        return segment === undefined || !isRowsOf(one, segment);
      });
    },
  };
};
