/**
 * Joins the rows of a file with those of the version before it, in a new segment; ClickHouse does all of it.
 *
 *   append   the rows of the file behind all others
 *   upsert   rows of a key that the file has are replaced where they stand; new keys follow in file order
 *   sync     the same, and rows of keys that the file lacks are left out
 *   delete   rows of keys that the file has are left out
 *
 * Work that died leaves nothing but a segment that nobody names.
 */
import type { NamedColumn } from '../model/placement.js';
import type {
  ClickHouseServers,
  Connection,
  QueryParams,
  QuerySettings,
} from '../storage/clickhouse/client.js';
import { type Digits, digitsSql } from './count.js';
import { type MergeSide, mergeSql, type SegmentMerge } from './merge-sql.js';
import { namedColumn, statedTable, storedAs, writtenAs } from './places.js';
import { inBase, segmentStarts } from './row-positions.js';
import { fingerprintRows, fingerprintSegment, gib, requireEqualRows } from './segments.js';

/** What a file does to the version before it. */
export interface KeyCounts {
  /** Rows of the file. */
  readonly rows: number;
  readonly distinct: number;
  /** Keys of the file that the version before has. */
  readonly known: number;
  /** Rows of the version before whose key the file has. */
  readonly hits: number;
  /** Of those, rows whose values are those of the file. */
  readonly same: number;
}

/** A key that several rows have. */
export interface RepeatedKey {
  /** Texts of its values, cut to 200 characters, by the names of the columns. */
  readonly key: Readonly<Record<string, string | null>>;
  readonly rows: number;
}

export interface SegmentMerger {
  countKeys(merge: SegmentMerge): Promise<KeyCounts>;
  /** The first keys that several rows of one side have, at most three. */
  repeatedKeys(merge: SegmentMerge, side: 'base' | 'file'): Promise<RepeatedKey[]>;
  /** Most digits in use in a column of the version before, in the rows whose keys the file does not have. */
  keptDigits(merge: SegmentMerge, column: NamedColumn): Promise<Digits>;
  /**
   * Writes the rows of the version. Where none is replaced or left out, they are compared with what they were made of.
   * @throws Error when they differ; nobody names the segment then.
   */
  write(merge: SegmentMerge, counts: KeyCounts): Promise<void>;
}

/** One merge must not take the server's memory, whatever the sizes. */
export const mergeSettings: QuerySettings = {
  max_threads: 2,
  max_insert_threads: '1',
  max_memory_usage: String(3 * gib),
  max_bytes_before_external_group_by: String(gib / 2),
  max_bytes_before_external_sort: String(gib / 2),
  join_algorithm: 'grace_hash',
  max_bytes_in_join: String(gib / 2),
  join_use_nulls: 0,
  insert_deduplicate: 0,
  async_insert: 0,
  max_block_size: '65536',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
  max_execution_time: 0,
  max_query_size: '67108864',
  transform_null_in: 0,
};

/**
 * A row's place as one number. The least of pairs is kept as a value of any type, which for millions of keys takes three
 * times the time and memory.
 */
const rowPlace = 'bitOr(bitShiftLeft(toUInt128(_seg), 64), toUInt128(_row))';

const examples = 3;
const keyLength = 200;

const inFile = '_row + {total:UInt64}';

/** A list of all shards is made once and sent to each of them. */
const isIn = ({ targetPlace }: SegmentMerge, not: '' | 'NOT ' = ''): string =>
  `${targetPlace.shard === null ? 'GLOBAL ' : ''}${not}IN`;

export const createSegmentMerger = (servers: ClickHouseServers): SegmentMerger => {
  const partsOf = (merge: SegmentMerge) => mergeSql(servers.database, merge);

  const serverOf = ({ basePlace, filePlace, targetPlace }: SegmentMerge): Connection =>
    servers.at(basePlace, filePlace, targetPlace);

  const ask = <T>(merge: SegmentMerge, sql: string, params: QueryParams): Promise<T[]> =>
    serverOf(merge).rows<T>(sql, { params, settings: mergeSettings });

  const number = async (merge: SegmentMerge, sql: string, params: QueryParams): Promise<number> => {
    const [row] = await ask<{ n: string }>(merge, sql, params);
    return Number(row?.n ?? 0);
  };

  /** Rows of the file that count: one of each key. */
  const winners = (merge: SegmentMerge, counts: Pick<KeyCounts, 'distinct' | 'rows'>): string => {
    const { keysOf, keyNames, file } = partsOf(merge);
    if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return file.from;
    const pick = merge.keep === 'last' ? 'max' : 'min';
    return `${file.from} AND _row ${isIn(merge)} (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${file.from})
      GROUP BY ${keyNames.join(', ')})`;
  };

  const countHits = async (
    merge: SegmentMerge,
    counts: Pick<KeyCounts, 'distinct' | 'rows'>,
  ): Promise<Pick<KeyCounts, 'known' | 'hits' | 'same'>> => {
    const { base, file, keysOf, comparedOf, on, params } = partsOf(merge);
    const hash = (side: MergeSide): string =>
      merge.mode === 'delete' ? 'toUInt8(0)' : `sipHash128(tuple(${comparedOf(side).join(', ')}))`;
    const [row] = await ask<{ known: string; hits: string; same: string }>(
      merge,
      `SELECT toString(count()) AS known, toString(sum(n)) AS hits, toString(sum(s)) AS same FROM (
         SELECT f.r, count() AS n, countIf(b.h = f.h) AS s
         FROM (SELECT ${keysOf(base)}, ${hash(base)} AS h ${base.from}) AS b
         INNER JOIN (SELECT ${keysOf(file)}, ${hash(file)} AS h, _row AS r ${winners(merge, counts)}) AS f ON ${on}
         GROUP BY f.r)`,
      params,
    );
    return { known: Number(row?.known ?? 0), hits: Number(row?.hits ?? 0), same: Number(row?.same ?? 0) };
  };

  /** Values as they are written into the target, behind a comma each. */
  const written = ({ columns, targetPlace }: SegmentMerge, values: readonly string[]): string =>
    columns
      .map((column, at) => `, ${writtenAs(values[at] ?? '', namedColumn(column), targetPlace)}`)
      .join('');

  /** Rows of the version before, as the file changes them. */
  const changedBase = (merge: SegmentMerge, fromWinners: string): string => {
    const { base, file, keysOf, valuesOf, on } = partsOf(merge);
    const named = (side: MergeSide, prefix: string): string =>
      valuesOf(side)
        .map((value, at) => `, ${value} AS ${prefix}${at}`)
        .join('');
    const left = `(SELECT ${inBase} AS p, ${keysOf(base)}${named(base, 'x')} ${base.from}) AS b`;
    const right = (values: string): string =>
      `(SELECT toUInt8(1) AS hit, ${keysOf(file)}${values} ${fromWinners}) AS f ON ${on}`;
    const rows = (value: (at: number) => string): string =>
      `SELECT {target:UInt64}, b.p${written(
        merge,
        merge.columns.map((_, at) => value(at)),
      )}`;
    if (merge.mode === 'delete')
      return `${rows((at) => `b.x${at}`)} FROM ${left} LEFT JOIN ${right('')} WHERE f.hit = 0`;
    if (merge.mode === 'sync')
      return `${rows((at) => `f.y${at}`)} FROM ${left} INNER JOIN ${right(named(file, 'y'))}`;
    return `${rows((at) => `if(f.hit = 1, f.y${at}, b.x${at})`)} FROM ${left} LEFT JOIN ${right(named(file, 'y'))}`;
  };

  return {
    async countKeys(merge) {
      const { file, keysOf, keyNames, params } = partsOf(merge);
      const rows = await number(merge, `SELECT toString(count()) AS n ${file.from}`, params);
      const none = { known: 0, hits: 0, same: 0 };
      if (merge.keyIds.length === 0) return { rows, distinct: rows, ...none };
      const distinct = await number(
        merge,
        `SELECT toString(count()) AS n FROM (
           SELECT ${keyNames.join(', ')} FROM (SELECT ${keysOf(file)} ${file.from}) GROUP BY ${keyNames.join(', ')})`,
        params,
      );
      const hits = merge.base.segmentIds.length === 0 ? none : await countHits(merge, { rows, distinct });
      return { rows, distinct, ...hits };
    },

    async repeatedKeys(merge, name) {
      const { keys, keyNames, keysOf, params, [name]: side } = partsOf(merge);
      const texts = keys.map((_, at) => `if(n${at}, NULL, substringUTF8(toString(k${at}), 1, ${keyLength}))`);
      const found = await ask<{ key: (string | null)[]; c: string }>(
        merge,
        `SELECT [${texts.join(', ')}] AS key, toString(c) AS c FROM (
           SELECT ${keyNames.join(', ')}, count() AS c, min(${rowPlace}) AS first
           FROM (SELECT ${keysOf(side)}, _seg, _row ${side.from}) GROUP BY ${keyNames.join(', ')}
           HAVING c > 1 ORDER BY first LIMIT ${examples}) ORDER BY first`,
        params,
      );
      return found.map(({ key, c }) => ({
        key: Object.fromEntries(keys.map((column, at) => [column.name, key[at] ?? null])),
        rows: Number(c),
      }));
    },

    async keptDigits(merge, column) {
      const { base, file, keysOf, on, params } = partsOf(merge);
      const kept = `FROM (SELECT ${keysOf(base)}, ${column.name} ${base.from}) AS b
        LEFT ANTI JOIN (SELECT ${keysOf(file)} ${file.from}) AS f ON ${on}`;
      const [row] = await ask<Digits>(merge, digitsSql(column.name, `${kept} WHERE true`), params);
      return { integer: Number(row?.integer ?? 0), fraction: Number(row?.fraction ?? 0) };
    },

    async write(merge, counts) {
      const { base, file, keysOf, valuesOf, on, params } = partsOf(merge);
      const { mode, columns, targetPlace } = merge;
      const clickhouse = serverOf(merge);
      const { starts, total } = await segmentStarts(clickhouse, merge.base, { from: base.from, params });
      const names = columns.map((column) => `, ${storedAs(namedColumn(column), targetPlace).name}`);
      const into = `INSERT INTO ${statedTable(servers.database, targetPlace)} (_seg, _row${names.join('')})`;
      const all = { ...params, target: merge.target, starts, total };
      const run = (select: string): Promise<void> =>
        clickhouse.command(`${into} ${select}`, { params: all, settings: mergeSettings });
      const fromWinners = winners(merge, counts);
      const touched = counts.known > 0;
      const keeps = merge.base.segmentIds.length > 0 && (touched || mode !== 'sync');
      const copied = (side: MergeSide, position: string, from: string): string =>
        `SELECT {target:UInt64}, ${position}${written(merge, valuesOf(side))} ${from}`;

      if (keeps) await run(touched ? changedBase(merge, fromWinners) : copied(base, inBase, base.from));
      const unknown = touched
        ? ` AND _row ${isIn(merge, 'NOT ')} (SELECT f.r FROM (SELECT ${keysOf(base)} ${base.from}) AS b
             INNER JOIN (SELECT ${keysOf(file)}, _row AS r ${fromWinners}) AS f ON ${on})`
        : '';
      if (mode !== 'delete') await run(copied(file, inFile, `${fromWinners}${unknown}`));
      if (touched) return;
      const parts = [
        ...(keeps ? [{ from: base.from, position: inBase, values: valuesOf(base) }] : []),
        ...(mode === 'delete' ? [] : [{ from: fromWinners, position: inFile, values: valuesOf(file) }]),
      ];
      if (parts.length === 0) return;
      const before = await fingerprintRows(clickhouse, { parts, params: all });
      const after = await fingerprintSegment(servers, targetPlace, merge.target, columns.map(namedColumn));
      requireEqualRows(before, after, before.rows);
    },
  };
};
