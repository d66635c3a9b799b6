/**
 * New segments that ClickHouse makes out of others, without a row leaving it.
 *
 *   join    a run of segments into one: the same rows, in the same order, each segment moved behind the ones before
 *           it, gaps included. Every column of the table is copied, whichever versions name it. The copy is compared
 *           with the run before anybody may read it.
 *   merge   the rows of a file with those of the version before: rows that stay keep their order, new rows follow in
 *           file order.
 *
 * Whatever is written goes into a segment of its own, so work that died leaves nothing but a segment that nobody names.
 */
import type { Log } from '../../lib/log.js';
import { type PhysicalType, type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import type { NamedColumn, Placement } from '../../model/placement.js';
import type { SegmentList } from '../../model/version.js';
import type { ClickHouse, QueryParams, QuerySettings } from './client.js';
import { clickHouseType, namedColumn, sourceOf, storedAs, tableName, tableOf, writtenAs } from './places.js';
import {
  backgroundSettings,
  fingerprintRows,
  gib,
  type SegmentFingerprint,
  segmentRows,
} from './segments.js';

export interface SegmentRun {
  readonly placement: Placement;
  /** In reading order. */
  readonly segmentIds: readonly number[];
  /** The segment to write. */
  readonly target: number;
}

/** Where the rows of a run stand in the joined segment. */
export interface JoinedSegment {
  /** First position of each segment of the run; one more at the end: the first position behind all of them. */
  readonly starts: readonly number[];
  readonly rows: number;
}

export interface SegmentCopier {
  /** @throws Error when the copy is not what the run was; nobody names it then. */
  join(run: SegmentRun, signal: AbortSignal): Promise<JoinedSegment>;
  /**
   * Copies segments of the table of a store into a pool, under their own numbers.
   * @throws Error when the copy is not what they were.
   */
  move(move: SegmentMove, signal: AbortSignal): Promise<void>;
}

export interface SegmentMove {
  readonly storeId: number;
  readonly segmentIds: readonly number[];
  readonly target: Placement;
  /** All columns of the table. */
  readonly columns: readonly NamedColumn[];
  /** Rows of all segments together. */
  readonly rows: number;
}

/** One copy at a time writes, in blocks of a bounded size; the same rows are never taken for a duplicate. */
const copySettings: QuerySettings = {
  max_insert_threads: '1',
  insert_deduplicate: 0,
  async_insert: 0,
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
};

export const createSegmentCopier = ({
  clickhouse,
  log,
}: {
  clickhouse: ClickHouse;
  log: Log;
}): SegmentCopier => {
  const { database } = clickhouse;

  const columnsOf = async (table: string): Promise<string[]> => {
    const rows = await clickhouse.rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND name NOT IN ('_seg', '_row') ORDER BY position`,
      { params: { database, table } },
    );
    return rows.map(({ name }) => name);
  };

  /** The connection is closed by the signal as well; the statement would go on without this. */
  const cancellable = async (
    queryId: string,
    signal: AbortSignal,
    run: (queryId: string) => Promise<void>,
  ): Promise<void> => {
    const cancel = (): void => {
      clickhouse
        .command('KILL QUERY WHERE query_id = {queryId:String} ASYNC', { params: { queryId } })
        .catch((error: unknown) => log.warn({ err: error, queryId }, 'copy not cancelled'));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await run(queryId);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  const layOut = async (table: string, segmentIds: readonly number[]): Promise<JoinedSegment> => {
    const found = await clickhouse.rows<{ seg: string; rows: string; next: string }>(
      `SELECT toString(_seg) AS seg, toString(count()) AS rows, toString(max(_row) + 1) AS next FROM ${table}
       WHERE _seg IN {run:Array(UInt64)} GROUP BY _seg`,
      { params: { run: segmentIds }, settings: { max_threads: 1 } },
    );
    const bySegment = new Map(found.map((row) => [Number(row.seg), row]));
    const starts = [0];
    for (const id of segmentIds) starts.push((starts.at(-1) ?? 0) + Number(bySegment.get(id)?.next ?? 0));
    return { starts, rows: found.reduce((sum, { rows }) => sum + Number(rows), 0) };
  };

  return {
    async join({ placement, segmentIds, target }, signal) {
      const table = `${database}.${tableOf(placement)}`;
      const columns = await columnsOf(tableOf(placement));
      const names = columns.map((name) => `, ${name}`).join('');
      const joined = await layOut(table, segmentIds);
      const settings = { ...backgroundSettings(columns.length), ...copySettings };
      const params = { run: segmentIds, starts: joined.starts.slice(0, -1), target };
      const fromRun = `FROM ${table} WHERE _seg IN {run:Array(UInt64)}`;
      await cancellable(`compaction/${target}`, signal, (queryId) =>
        clickhouse.command(
          `INSERT INTO ${table} (_seg, _row${names}) SELECT {target:UInt64}, ${movedRow}${names} ${fromRun}`,
          { params, settings, queryId, signal },
        ),
      );
      const fingerprint = (from: string, position: string) =>
        fingerprintRows(clickhouse, { parts: [{ from, position, values: columns }], params }, signal);
      requireEqual(
        await fingerprint(fromRun, movedRow),
        await fingerprint(`FROM ${table} WHERE _seg = {target:UInt64}`, '_row'),
        joined.rows,
      );
      return joined;
    },

    async move({ storeId, segmentIds, target, columns, rows }, signal) {
      const source = `${database}.${tableName(storeId)}`;
      const params = { segments: segmentIds };
      const where = 'WHERE _seg IN {segments:Array(UInt64)}';
      const names = columns.map((column) => `, ${storedAs(column, target).name}`).join('');
      const values = columns.map((column) => `, ${writtenAs(column.name, column, target)}`).join('');
      await cancellable(`move/${storeId}`, signal, (queryId) =>
        clickhouse.command(
          `INSERT INTO ${database}.${tableOf(target)} (_seg, _row${names})
           SELECT _seg, _row${values} FROM ${source} ${where}`,
          {
            params,
            settings: {
              ...backgroundSettings(columns.length),
              ...copySettings,
              max_partitions_per_insert_block: '0',
            },
            queryId,
            signal,
          },
        ),
      );
      const fingerprint = (from: string) =>
        fingerprintRows(
          clickhouse,
          {
            parts: [
              {
                from: `FROM ${from} ${where}`,
                position: '_seg, _row',
                values: columns.map(({ name }) => name),
              },
            ],
            params,
          },
          signal,
        );
      requireEqual(await fingerprint(source), await fingerprint(sourceOf(database, target, columns)), rows);
    },
  };
};

const movedRow = '_row + transform(_seg, {run:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';

const requireEqual = (before: SegmentFingerprint, after: SegmentFingerprint, rows: number): void => {
  if (before.hash === after.hash && before.rows === rows && after.rows === rows) return;
  throw new Error(
    `a copy differs from what it was made of: ${after.rows} rows of ${before.rows}, ${rows} expected, hash ${after.hash} of ${before.hash}`,
  );
};

export interface SegmentMerge {
  /** The segment to write, and where. */
  readonly target: number;
  readonly targetPlace: Placement;
  /** Rows of the version before. */
  readonly base: SegmentList;
  readonly basePlace: Placement;
  readonly baseColumns: readonly StoredColumn[];
  /** The segment of the file and the columns it has, in their types of the target. */
  readonly fileSegment: number;
  readonly filePlace: Placement;
  readonly fileColumns: readonly StoredColumn[];
  readonly columns: readonly StoredColumn[];
  /** Columns that tell rows apart; none: rows are only put behind those that are there. */
  readonly keyIds: readonly number[];
  readonly keep: 'last' | 'first';
}

/** What a file does to the version before it. */
export interface KeyCounts {
  /** Rows of the file. */
  readonly rows: number;
  readonly distinct: number;
  /** Keys of the file that the version before has. */
  readonly known: number;
}

/** One merge must not take the server's memory, whatever the sizes. */
const mergeSettings: QuerySettings = {
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

const nullable = (physical: PhysicalType): string => `Nullable(${clickHouseType(physical)})`;

/** The values of a column in a type that holds all of them. */
const converted = (name: string, from: PhysicalType, to: PhysicalType): string =>
  from === to ? name : columnTypeOf(to).widened(name, columnTypeOf(from), to);

const valueIn = (target: StoredColumn, columns: ReadonlyMap<number, StoredColumn>): string => {
  const column = columns.get(target.id);
  if (column === undefined) return `CAST(NULL, '${nullable(target.physical)}')`;
  return converted(storageName(column), column.physical, target.physical);
};

/** A key value as two columns that are never null, so that null equals null. */
const keyParts = (value: string, physical: PhysicalType, position: number): string[] => {
  const present = `ifNull(${value}, defaultValueOfTypeName('${clickHouseType(physical)}'))`;
  return [`isNull(${value}) AS n${position}`, `${columnTypeOf(physical).key(present)} AS k${position}`];
};

export interface SegmentMerger {
  countKeys(merge: SegmentMerge): Promise<KeyCounts>;
  /**
   * Writes the rows of the version. Where none is replaced, they are compared with what they were made of.
   * @throws Error when they differ; nobody names the segment then.
   */
  write(merge: SegmentMerge, counts: KeyCounts): Promise<void>;
}

export const createSegmentMerger = (clickhouse: ClickHouse): SegmentMerger => {
  const byId = (columns: readonly StoredColumn[]) => new Map(columns.map((column) => [column.id, column]));

  const partsOf = (merge: SegmentMerge) => {
    const source = (place: Placement, columns: readonly StoredColumn[]): string =>
      sourceOf(clickhouse.database, place, columns.map(namedColumn));
    const rows = segmentRows(merge.base, 'base');
    const base = byId(merge.baseColumns);
    const file = byId(merge.fileColumns);
    const keys = merge.columns.filter(({ id }) => merge.keyIds.includes(id));
    const keysOf = (side: ReadonlyMap<number, StoredColumn>): string =>
      keys.flatMap((key, at) => keyParts(valueIn(key, side), key.physical, at)).join(', ');
    const keyNames = keys.flatMap((_, at) => [`n${at}`, `k${at}`]);
    return {
      base,
      file,
      keysOf,
      keyNames,
      on: keyNames.map((name) => `b.${name} = f.${name}`).join(' AND '),
      fromBase: `FROM ${source(merge.basePlace, merge.baseColumns)} WHERE ${rows.sql}`,
      fromFile: `FROM ${source(merge.filePlace, merge.fileColumns)} WHERE _seg = {file:UInt64}`,
      params: { ...rows.params, file: merge.fileSegment } as QueryParams,
    };
  };

  /** Rows of the file that count: one of each key. */
  const winners = (merge: SegmentMerge, counts: KeyCounts): string => {
    if (merge.keyIds.length === 0 || counts.distinct === counts.rows) return '';
    const { keysOf, keyNames, file, fromFile } = partsOf(merge);
    const pick = merge.keep === 'last' ? 'max' : 'min';
    return ` AND _row IN (SELECT ${pick}(r) FROM (SELECT ${keysOf(file)}, _row AS r ${fromFile}) GROUP BY ${keyNames.join(', ')})`;
  };

  const number = async (sql: string, params: QueryParams): Promise<number> => {
    const [row] = await clickhouse.rows<{ n: string }>(sql, { params, settings: mergeSettings });
    return Number(row?.n ?? 0);
  };

  const offsets = async (merge: SegmentMerge): Promise<{ starts: number[]; total: number }> => {
    const { fromBase, params } = partsOf(merge);
    const rows = await clickhouse.rows<{ seg: string; next: string }>(
      `SELECT toString(_seg) AS seg, toString(max(_row) + 1) AS next ${fromBase} GROUP BY _seg`,
      { params, settings: mergeSettings },
    );
    const next = new Map(rows.map((row) => [Number(row.seg), Number(row.next)]));
    let total = 0;
    const starts = merge.base.segmentIds.map((segment) => {
      const start = total;
      total += next.get(segment) ?? 0;
      return start;
    });
    return { starts, total };
  };

  return {
    async countKeys(merge) {
      const { fromFile, fromBase, keysOf, keyNames, base, file, on, params } = partsOf(merge);
      const rows = await number(`SELECT toString(count()) AS n ${fromFile}`, params);
      if (merge.keyIds.length === 0) return { rows, distinct: rows, known: 0 };
      const distinctKeys = `SELECT ${keyNames.join(', ')} FROM (SELECT ${keysOf(file)} ${fromFile}) GROUP BY ${keyNames.join(', ')}`;
      const distinct = await number(`SELECT toString(count()) AS n FROM (${distinctKeys})`, params);
      const known =
        merge.base.segmentIds.length === 0
          ? 0
          : await number(
              `SELECT toString(count()) AS n FROM (
                 SELECT ${keyNames.map((name) => `f.${name} AS ${name}`).join(', ')}
                 FROM (SELECT ${keysOf(base)} ${fromBase}) AS b INNER JOIN (${distinctKeys}) AS f ON ${on}
                 GROUP BY ${keyNames.join(', ')})`,
              params,
            );
      return { rows, distinct, known };
    },

    async write(merge, counts) {
      const { fromBase, fromFile, keysOf, base, file, on, params } = partsOf(merge);
      const { columns, targetPlace } = merge;
      const { starts, total } = await offsets(merge);
      const names = columns.map((column) => `, ${storedAs(namedColumn(column), targetPlace).name}`);
      const into = `INSERT INTO ${clickhouse.database}.${tableOf(targetPlace)} (_seg, _row${names.join('')})`;
      const all = { ...params, target: merge.target, starts, total };
      const inBase = '_row + transform(_seg, {base:Array(UInt64)}, {starts:Array(UInt64)}, toUInt64(0))';
      const inFile = '_row + {total:UInt64}';
      const valuesOf = (side: ReadonlyMap<number, StoredColumn>): string[] =>
        columns.map((column) => valueIn(column, side));
      const named = (side: ReadonlyMap<number, StoredColumn>, prefix: string): string =>
        valuesOf(side)
          .map((value, at) => `, ${value} AS ${prefix}${at}`)
          .join('');
      const written = (values: readonly string[]): string =>
        columns
          .map((column, at) => `, ${writtenAs(values[at] ?? '', namedColumn(column), targetPlace)}`)
          .join('');
      const replaces = merge.keyIds.length > 0 && counts.known > 0;
      const fromWinners = `${fromFile}${winners(merge, counts)}`;
      const run = (select: string): Promise<void> =>
        clickhouse.command(`${into} ${select}`, { params: all, settings: mergeSettings });

      if (merge.base.segmentIds.length > 0)
        await run(
          replaces
            ? `SELECT {target:UInt64}, b.p${written(columns.map((_, at) => `if(f.hit = 1, f.y${at}, b.x${at})`))}
               FROM (SELECT ${inBase} AS p, ${keysOf(base)}${named(base, 'x')} ${fromBase}) AS b
               LEFT JOIN (SELECT toUInt8(1) AS hit, ${keysOf(file)}${named(file, 'y')} ${fromWinners}) AS f
               ON ${on}`
            : `SELECT {target:UInt64}, ${inBase}${written(valuesOf(base))} ${fromBase}`,
        );
      const unknown = replaces
        ? ` AND _row NOT IN (SELECT f.r
             FROM (SELECT ${keysOf(base)} ${fromBase}) AS b
             INNER JOIN (SELECT ${keysOf(file)}, _row AS r ${fromWinners}) AS f ON ${on})`
        : '';
      await run(`SELECT {target:UInt64}, ${inFile}${written(valuesOf(file))} ${fromWinners}${unknown}`);
      if (replaces) return;
      const parts = [
        ...(merge.base.segmentIds.length > 0
          ? [{ from: fromBase, position: inBase, values: valuesOf(base) }]
          : []),
        { from: fromWinners, position: inFile, values: valuesOf(file) },
      ];
      const before = await fingerprintRows(clickhouse, { parts, params: all });
      const target = sourceOf(clickhouse.database, targetPlace, columns.map(namedColumn));
      const fromTarget = `FROM ${target} WHERE _seg = {target:UInt64}`;
      const after = await fingerprintRows(clickhouse, {
        parts: [{ from: fromTarget, position: '_row', values: columns.map(storageName) }],
        params: all,
      });
      requireEqual(before, after, before.rows);
    },
  };
};
