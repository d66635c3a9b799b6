/** The row with a given number, found in the index of the table's parts instead of by reading the rows before it. */
import { createCache } from '../lib/cache.js';
import type { Place, ReadableVersion } from '../model/version.js';
import type { Reader, ReadQuery } from '../storage/clickhouse/reader.js';
import { patchedRows } from './patches.js';
import { indexOf, insideOf, isEverywhere, isPooled, placeOf, statedTable } from './place.js';
import { serverOf, storedRows } from './source.js';

type ReadContext = Pick<ReadQuery, 'queryId' | 'requestId' | 'signal' | 'owner'>;

/** Reading so many rows takes no longer than a search for them. */
const fewRows = 20_000;

export interface SoughtRow {
  /** As text. */
  readonly position: string;
  /** Rows of the version before it. */
  readonly before: number;
}

/**
 * Positions of patches, with the number of stored rows there that the version does not have.
 * @param stored Condition for the stored rows of the version.
 */
const hiddenSql = (table: string, stored: string): string => `
  SELECT _row, toInt64(count()) - (argMax(_gone, if(_seg IN {patches:Array(UInt64)}, _seg, 0)) = 0) AS hidden
  FROM ${table} WHERE ${stored} AND _row IN ${patchedRows(table, 'patches')} GROUP BY _row`;

/**
 * The same for a version with patches: what they hide is taken off.
 * @param hidden Query of `hiddenSql`.
 */
const patchedGranuleSql = (index: string, hidden: string): string => `
  SELECT toString(_row) AS position, toString(n) AS before, 0 AS exact
  FROM (
    SELECT _row, begins, sum(rows) OVER earlier AS n FROM (
      SELECT _row, 1 AS begins, toInt64(rows_in_granule) AS rows FROM ${index}
        WHERE _seg IN {segments:Array(UInt64)} AND rows_in_granule > 0
      UNION ALL SELECT _row, 0, -hidden FROM (${hidden}))
    WINDOW earlier AS (ORDER BY _row, begins DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
  WHERE begins AND n <= {number:UInt64} ORDER BY _row DESC LIMIT 1`;

/** @param index Of a table: its granules, and behind those of a part one of no rows that names the last row. */
const granuleSql = (index: string): string => `
  SELECT toString(_row) AS position, toString(n) AS before, _row >= reached AS exact
  FROM (
    SELECT _row, sum(rows_in_granule) OVER earlier AS n, max(end) OVER earlier AS reached
    FROM (
      SELECT _row, rows_in_granule,
        leadInFrame(if(rows_in_granule = 0, _row + 1, _row), 1, 18446744073709551615) OVER (
          PARTITION BY part_name ORDER BY mark_number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS end
      FROM ${index} WHERE _seg IN {segments:Array(UInt64)})
    WHERE rows_in_granule > 0
    WINDOW earlier AS (ORDER BY _row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
  WHERE n <= {number:UInt64} ORDER BY _row DESC LIMIT 1`;

interface Granule {
  readonly position: string;
  readonly before: string;
  /** 1 when no granule that begins before this one reaches beyond its first row. */
  readonly exact: number;
}

/**
 * A row of the version at or before the one with that number, a granule away at most unless parts overlap.
 *
 * Every granule of a part names its first row and how many rows it has. Rows before a position are at most those of the
 * granules that begin before it: so the last granule before which there are at most the wanted rows is not too far.
 * Where granules reach into each other, or the version has only a part of a segment, the rows before it are counted,
 * which reads no granule but the last.
 */
const seekGranule = async (
  reader: Reader,
  version: ReadableVersion,
  number: number,
  context: ReadContext,
): Promise<SoughtRow | undefined> => {
  const { segmentIds, cuts = [], patches = [], place } = version;
  if (place === null) return undefined;
  const index = indexOf(reader.database, place);
  const stored = storedRows({ list: version });
  const hidden = hiddenSql(statedTable(reader.database, place), stored.sql);
  const [granule] = await reader.queryObjects<Granule>({
    sql: `${patches.length === 0 ? granuleSql(index) : patchedGranuleSql(index, hidden)} FORMAT JSONEachRow`,
    values: patches.length === 0 ? { segments: segmentIds, number } : { ...stored.params, patches, number },
    place: insideOf(place),
    ...context,
    queryId: `${context.queryId}-granule`,
  });
  if (granule === undefined) return undefined;
  const { position } = granule;
  const before =
    granule.exact === 1 && cuts.length === 0
      ? Number(granule.before)
      : await countBefore(reader, version, position, context);
  return before <= number ? { position, before } : undefined;
};

const countBefore = async (
  reader: Reader,
  version: ReadableVersion,
  position: string,
  context: ReadContext,
): Promise<number> => {
  const { patches = [] } = version;
  const rows = storedRows({ list: version });
  const table = statedTable(reader.database, version.place!);
  const hidden =
    patches.length === 0
      ? ''
      : ` - (SELECT sum(hidden) FROM (${hiddenSql(table, `${rows.sql} AND _row < {position:UInt64}`)}))`;
  const [counted] = await reader.queryObjects<{ n: string }>({
    sql: `SELECT toString(count()${hidden}) AS n FROM ${table} WHERE ${rows.sql} AND _row < {position:UInt64} FORMAT JSONEachRow`,
    values: { ...rows.params, position, ...(patches.length === 0 ? {} : { patches }) },
    place: serverOf(version),
    ...context,
    queryId: `${context.queryId}-before`,
  });
  return Number(counted?.n ?? Number.NaN);
};

/** A segment whose rows are numbered one after the other. */
interface Run {
  readonly segment: number;
  /** Its first position. */
  readonly first: bigint;
  readonly rows: number;
}

const runsSql = (index: string): string => `
  SELECT toString(_seg) AS segment, toString(min(_row)) AS first, toString(max(_row)) AS last,
    toString(sum(rows_in_granule)) AS rows
  FROM ${index} WHERE _seg IN {segments:Array(UInt64)} GROUP BY _seg ORDER BY _seg`;

/** A segment in the index of one server. */
interface IndexedSegment extends Run {
  readonly last: bigint;
}

const indexedSegments = async (
  reader: Reader,
  place: Place,
  segments: readonly number[],
  context: ReadContext,
): Promise<IndexedSegment[]> => {
  const found = await reader.queryObjects<Record<keyof IndexedSegment, string>>({
    sql: `${runsSql(indexOf(reader.database, place))} FORMAT JSONEachRow`,
    values: { segments },
    place: insideOf(place),
    ...context,
    queryId: `${context.queryId}-runs`,
  });
  return found.map(({ segment, first, last, rows }) => ({
    segment: Number(segment),
    first: BigInt(first),
    last: BigInt(last),
    rows: Number(rows),
  }));
};

/** The segments of a version, where all of them are numbered without gaps; empty: they are not. */
const readRuns = async (
  reader: Reader,
  { place, segmentIds }: ReadableVersion,
  context: ReadContext,
): Promise<readonly Run[]> => {
  if (place === null) return [];
  const found = await Promise.all(
    reader.serversOf(insideOf(place)).map((on) => indexedSegments(reader, placeOf(on), segmentIds, context)),
  );
  const runs = new Map<number, IndexedSegment>();
  for (const part of found.flat()) {
    const run = runs.get(part.segment);
    runs.set(part.segment, run === undefined ? part : together(run, part));
  }
  const inOrder = [...runs.values()].sort((a, b) => a.segment - b.segment);
  return inOrder.every(({ first, last, rows }) => last - first + 1n === BigInt(rows)) ? inOrder : [];
};

/** A segment that has rows on two servers. */
const together = (one: IndexedSegment, other: IndexedSegment): IndexedSegment => {
  const { first } = one.first < other.first ? one : other;
  const { last } = one.last > other.last ? one : other;
  return { segment: one.segment, first, last, rows: one.rows + other.rows };
};

/** Finds rows of versions by their number. */
export interface Seeker {
  /** A row at or before the one with that number; undefined where reading from the first one is as quick. */
  find(version: ReadableVersion, number: number, context: ReadContext): Promise<SoughtRow | undefined>;
}

/** Segments whose numbers are remembered together. */
const rememberedRuns = 100_000;
const mostRuns = 1_000;

export const createSeeker = (reader: Reader): Seeker => {
  // Rows of a segment never change; a version may get other segments when they are joined.
  const known = createCache<readonly Run[]>({ limit: rememberedRuns, weigh: (runs) => runs.length + 1 });

  const runsOf = async (version: ReadableVersion, context: ReadContext): Promise<readonly Run[]> => {
    const { place, segmentIds, rowCount, cuts = [], patches = [] } = version;
    if (place === null || cuts.length > 0 || patches.length > 0 || segmentIds.length > mostRuns) return [];
    const key = `${insideOf(place).storeId}/${segmentIds.join(',')}`;
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const runs = await readRuns(reader, version, context);
    const isWhole = runs.reduce((sum, { rows }) => sum + rows, 0) === rowCount;
    // Otherwise rows are missing, which the read itself will tell.
    if (isWhole || runs.length === 0) known.set(key, runs);
    return isWhole ? runs : [];
  };

  return {
    async find(version, number, context) {
      const { place, rowCount } = version;
      if (number < fewRows || number >= rowCount || place === null) return undefined;
      // A dataset in a pool is small, and the index of the pool is not.
      if (isPooled(place)) return undefined;
      let before = 0;
      for (const { first, rows } of await runsOf(version, context)) {
        if (number < before + rows)
          return { position: String(first + BigInt(number - before)), before: number };
        before += rows;
      }
      // The granules of several servers have no common order.
      return isEverywhere(place) ? undefined : seekGranule(reader, version, number, context);
    },
  };
};
