/** Finds the row with a given number in the index of the table's parts, without reading the rows before it. */
import { createCache } from '../lib/cache.js';
import type { Place, ReadableVersion } from '../model/version.js';
import type { Reader, ReadQuery } from '../storage/clickhouse/reader.js';
import { patchedRows } from './patches.js';
import { indexOf, insideOf, isEverywhere, isPooled, placeOf, statedTable } from './place.js';
import { storedRows } from './source.js';

type ReadContext = Pick<ReadQuery, 'queryId' | 'requestId' | 'signal' | 'owner'>;

/** Runs a query that returns a few rows of an index or of patches. @param kind Suffix of the query id. */
const queryRows = <T>(
  reader: Reader,
  { queryId, ...context }: ReadContext,
  kind: string,
  query: Pick<ReadQuery, 'sql' | 'values' | 'place'>,
): Promise<T[]> =>
  reader.queryObjects<T>({
    ...query,
    sql: `${query.sql} FORMAT JSONEachRow`,
    ...context,
    queryId: `${queryId}-${kind}`,
  });

/** Reading this many rows takes no longer than a search. */
const fewRows = 20_000;

export interface SoughtRow {
  /** Decimal text. */
  readonly position: string;
  /** Number of rows of the version before it. */
  readonly before: number;
}

/**
 * Query of the positions of patches, with the numbers of visible rows, of base rows and of stored rows at each.
 * @param stored Condition for the stored rows of the version.
 */
const patchedSql = (table: string, stored: string): string => `
  SELECT _row, toInt64(argMax(_gone, if(_seg IN {patches:Array(UInt64)}, _seg, 0)) = 0) AS rows,
    countIf(_seg NOT IN {patches:Array(UInt64)}) AS before, count() AS stored
  FROM ${table} WHERE ${stored} AND _row IN ${patchedRows(table, 'patches')} GROUP BY _row`;

/** Maximum granules cached for a version; if it has more, some are skipped. */
const maxGranules = 5_000;

/**
 * Query of the granules with the number of rows before each: rows of base granules that start before it, plus rows that patches add before
 * its first row and minus rows that they remove.
 * @param index Index of a table: its granules, and after those of each part a granule without rows that has the position of the last row.
 * @param patched Query from `patchedSql`; absent: there are no patches.
 */
const granulesSql = (index: string, patched?: string): string => `
  SELECT toString(_row) AS position, toString(n) AS before, exact, toString(total) AS total FROM (
    SELECT *, row_number() OVER (ORDER BY _row) AS number, count() OVER () AS granules FROM (
      SELECT _row, kind, sum(rows) OVER earlier AS n, _row >= max(end) OVER earlier AS exact, sum(rows) OVER () AS total
      FROM (
        SELECT _row, if(isPatch, 1, 2) AS kind, if(isPatch, 0, toInt64(rows_in_granule)) AS rows, if(isPatch, 0, next) AS end
        FROM (
          SELECT _row, rows_in_granule, _seg IN {patches:Array(UInt64)} AS isPatch,
            leadInFrame(if(rows_in_granule = 0, _row + 1, _row), 1, 18446744073709551615) OVER (
              PARTITION BY part_name ORDER BY mark_number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next
          FROM ${index} WHERE _seg IN {segments:Array(UInt64)})
        WHERE rows_in_granule > 0
        ${patched === undefined ? '' : `UNION ALL SELECT _row, 0, rows - toInt64(before), 0 FROM (${patched})`})
      WINDOW earlier AS (ORDER BY _row, kind DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    WHERE kind = 2 OR (kind = 1 AND exact))
  WHERE (number - 1) % greatest(1, intDiv(granules, ${maxGranules})) = 0 ORDER BY _row`;

/** First row of a granule. */
interface Granule extends SoughtRow {
  /** False if earlier granules reach beyond the first row of this one, so that `before` is too high. */
  readonly exact: boolean;
}

/** Granules sorted by position. */
const readGranules = async (
  reader: Reader,
  place: Place,
  version: ReadableVersion,
  context: ReadContext,
): Promise<{ readonly granules: readonly Granule[]; readonly isWhole: boolean }> => {
  const { segmentIds: segments, patches = [], rowCount } = version;
  const stored = storedRows({ list: version });
  const patched =
    patches.length === 0 ? undefined : patchedSql(statedTable(reader.database, place), stored.sql);
  const found = await queryRows<Record<'position' | 'before' | 'total', string> & { exact: number }>(
    reader,
    context,
    'granules',
    {
      sql: granulesSql(indexOf(reader.database, place), patched),
      values: { ...stored.values, segments, patches },
      place: insideOf(place),
    },
  );
  return {
    granules: found.map(({ position, before, exact }) => ({
      position,
      before: Number(before),
      exact: exact === 1,
    })),
    isWhole: Number(found[0]?.total ?? 0) === rowCount,
  };
};

/** Last granule with at most `number` rows before it. */
const granuleBefore = (granules: readonly Granule[], number: number): Granule | undefined => {
  let [from, to] = [0, granules.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (granules[middle]!.before <= number) from = middle + 1;
    else to = middle;
  }
  return granules[from - 1];
};

const countBefore = async (
  reader: Reader,
  place: Place,
  version: ReadableVersion,
  position: string,
  context: ReadContext,
): Promise<number> => {
  const { patches = [] } = version;
  const rows = storedRows({ list: version });
  const table = statedTable(reader.database, place);
  const hidden =
    patches.length === 0
      ? ''
      : ` - (SELECT sum(stored - rows) FROM (${patchedSql(table, `${rows.sql} AND _row < {position:UInt64}`)}))`;
  const [counted] = await queryRows<{ n: string }>(reader, context, 'before', {
    sql: `SELECT toString(count()${hidden}) AS n FROM ${table} WHERE ${rows.sql} AND _row < {position:UInt64}`,
    values: { ...rows.values, position, ...(patches.length === 0 ? {} : { patches }) },
    place: insideOf(place),
  });
  return Number(counted?.n ?? Number.NaN);
};

/** A segment, according to the indexes of all servers with rows of it. */
interface Run {
  readonly segment: number;
  /** Lowest and highest position. */
  readonly first: bigint;
  readonly last: bigint;
  readonly rows: number;
}

const runsSql = (index: string): string => `
  SELECT toString(_seg) AS segment, toString(min(_row)) AS first, toString(max(_row)) AS last,
    toString(sum(rows_in_granule)) AS rows
  FROM ${index} WHERE _seg IN {segments:Array(UInt64)} GROUP BY _seg ORDER BY _seg`;

/** Segments of a version if the positions in each are consecutive; otherwise empty. */
const readRuns = async (
  reader: Reader,
  place: Place,
  segments: readonly number[],
  context: ReadContext,
): Promise<readonly Run[]> => {
  const found = await Promise.all(
    reader.serversOf(insideOf(place)).map((on) =>
      queryRows<Record<keyof Run, string>>(reader, context, 'runs', {
        sql: runsSql(indexOf(reader.database, placeOf(on))),
        values: { segments },
        place: on,
      }),
    ),
  );
  const runs = new Map<number, Run>();
  for (const part of found.flat()) {
    const [segment, first, last] = [Number(part.segment), BigInt(part.first), BigInt(part.last)];
    const known = runs.get(segment) ?? { first, last, rows: 0 };
    runs.set(segment, {
      segment,
      first: first < known.first ? first : known.first,
      last: last > known.last ? last : known.last,
      rows: known.rows + Number(part.rows),
    });
  }
  const inOrder = [...runs.values()].sort((a, b) => a.segment - b.segment);
  return inOrder.every(({ first, last, rows }) => last - first + 1n === BigInt(rows)) ? inOrder : [];
};

/** Finds rows of versions by number. */
export interface Seeker {
  /** A row at or before the one with that number; undefined if reading from the first row is as fast. */
  find(version: ReadableVersion, number: number, context: ReadContext): Promise<SoughtRow | undefined>;
  /**
   * Position of the row with that number, as text: a condition for the rows before it keeps ClickHouse from opening later parts. Undefined
   * if it is not known exactly, and for the first read of a version, since a search pays off only for repeated reads.
   */
  end(version: ReadableVersion, number: number, context: ReadContext): Promise<string | undefined>;
}

/** From so many rows on, opening all parts takes longer than reading a few rows. */
const manyRows = 200_000;

/** Most segments, and most granules, in the caches of all versions together. */
const cachedEntries = 100_000;
const maxRuns = 1_000;

export const createSeeker = (reader: Reader): Seeker => {
  // Keyed by segments: their rows never change, but joining gives a version other segments.
  const runCache = createCache<readonly Run[]>({ limit: cachedEntries, weigh: (runs) => runs.length + 1 });
  const granules = createCache<readonly Granule[]>({
    limit: cachedEntries,
    weigh: (list) => list.length + 1,
  });
  /** Versions that `end` was called for. */
  const readOnce = createCache<true>({ limit: maxRuns, weigh: () => 1 });
  const keyOf = (place: Place, { segmentIds }: ReadableVersion): string =>
    `${insideOf(place).storeId}/${segmentIds.join(',')}`;

  const runsOf = async (
    place: Place,
    version: ReadableVersion,
    context: ReadContext,
  ): Promise<readonly Run[]> => {
    const { segmentIds, rowCount, cuts = [], patches = [] } = version;
    if (cuts.length > 0 || patches.length > 0 || segmentIds.length > maxRuns) return [];
    const key = keyOf(place, version);
    const remembered = runCache.get(key);
    if (remembered !== undefined) return remembered;
    const runs = await readRuns(reader, place, segmentIds, context);
    const isWhole = runs.reduce((sum, { rows }) => sum + rows, 0) === rowCount;
    // Otherwise rows are missing: the guard of the read itself will fail.
    if (isWhole || runs.length === 0) runCache.set(key, runs);
    return isWhole ? runs : [];
  };

  const readCachedGranules = async (
    place: Place,
    version: ReadableVersion,
    context: ReadContext,
  ): Promise<readonly Granule[]> => {
    const key = keyOf(place, version);
    const remembered = granules.get(key);
    if (remembered !== undefined) return remembered;
    const found = await readGranules(reader, place, version, context);
    // A version with only a part of a segment does not have all of these rows.
    if (found.isWhole) granules.set(key, found.granules);
    return found.granules;
  };

  /**
   * Finds a row at or before the one with that number, at most a granule before it unless parts overlap.
   *
   * The index has the first position and the number of rows of every granule. The rows before a position are at most those of the granules
   * that start before it, so the last granule with at most `number` rows before it is never too late. If granules overlap, or the version has
   * only a part of a segment, the rows before it are counted, which reads only the last granule.
   */
  const seekGranule = async (
    place: Place,
    version: ReadableVersion,
    number: number,
    context: ReadContext,
  ): Promise<SoughtRow | undefined> => {
    const found = granuleBefore(await readCachedGranules(place, version, context), number);
    if (found === undefined) return undefined;
    const { position, exact } = found;
    const isCounted = exact && (version.cuts ?? []).length === 0;
    const before = isCounted ? found.before : await countBefore(reader, place, version, position, context);
    return before <= number ? { position, before } : undefined;
  };

  /** Position of the row with that number, in segments of consecutive positions. */
  const positionInRuns = (runs: readonly Run[], number: number): string | undefined => {
    let before = 0;
    for (const { first, rows } of runs) {
      if (number < before + rows) return String(first + BigInt(number - before));
      before += rows;
    }
    return undefined;
  };

  return {
    async end(version, number, context) {
      const { place, rowCount } = version;
      if (rowCount < manyRows || number >= rowCount || place === null || isPooled(place)) return undefined;
      const key = keyOf(place, version);
      const isFirst = readOnce.get(key) === undefined && runCache.get(key) === undefined;
      readOnce.set(key, true);
      return isFirst ? undefined : positionInRuns(await runsOf(place, version, context), number);
    },
    async find(version, number, context) {
      const { place, rowCount } = version;
      if (number < fewRows || number >= rowCount || place === null) return undefined;
      // A dataset in a pool is small, but the index of the pool is large.
      if (isPooled(place)) return undefined;
      const position = positionInRuns(await runsOf(place, version, context), number);
      if (position !== undefined) return { position, before: number };
      // The granules of several servers have no common order.
      return isEverywhere(place) ? undefined : seekGranule(place, version, number, context);
    },
  };
};
