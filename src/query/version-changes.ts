/**
 * The rows that differ between two versions of a dataset, as CSV.
 *
 * Rows are matched as rows/compare.ts counts them: by the key where it is unique in both versions, and as a whole
 * otherwise. Two passes: the first finds, by hashes alone, what differs; the second reads and numbers only those rows.
 */
import type { Readable } from 'node:stream';
import { type StoredColumn, storageName } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import {
  commonKeys,
  hashOf,
  type RowSource,
  readDryRun,
  rowOrderAs,
  serverOf,
  versionSource,
} from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { Sql } from '../storage/postgres/sql.js';
import { csv } from './formats/delimited/delimited.js';
import { type OutputColumn, plainAppearance } from './formats/format.js';
import { freeName } from './projection.js';
import { ownerOfMany, type ReadContext } from './read-context.js';
import { createUniqueKeys, type MatchedBy, matchedBy } from './unique-key.js';
import type { Versions } from './versions.js';

export interface ChangesWanted {
  readonly datasetId: number;
  /** Two versions, or the process of a dry run: it is compared with the version that it would have followed. */
  readonly between: { readonly from: number; readonly to: number } | { readonly dryRun: number };
  /** Most rows; undefined: all. */
  readonly top?: number | undefined;
  /** Account, or address of an anonymous caller. */
  readonly owner: string;
  readonly queryId: string;
  readonly signal: AbortSignal;
}

export interface ComparedRows extends MatchedBy {
  readonly body: Readable;
}

export interface VersionChanges {
  /**
   * CSV: `change` (removed, added, before, after) and the columns of both versions. Removed rows first, then added
   * and changed ones in the order of the second version.
   * @throws AppError 404 for an unknown version; 409 for a dry run whose rows are not kept any more.
   */
  open(wanted: ChangesWanted): Promise<ComparedRows>;
}

export interface VersionChangesOptions {
  readonly sql: Sql;
  readonly versions: Versions;
  readonly reader: Reader;
}

interface ChangeColumn {
  readonly id: number;
  readonly name: string;
  /** True where both sides are stored in one type. */
  readonly alike: boolean;
  readonly physical: StoredColumn['physical'];
}

/** Columns of the second version, then those that only the first has; no name twice. */
const columnsOf = (from: ReadableVersion, to: ReadableVersion): ChangeColumn[] => {
  const before = new Map(from.columns.map((column) => [column.id, column]));
  const now = new Set(to.columns.map(({ id }) => id));
  const taken = new Set(['change']);
  return [...to.columns, ...from.columns.filter(({ id }) => !now.has(id))].map((column) => {
    const name = freeName(column.name, taken);
    taken.add(name);
    const other = before.get(column.id);
    const alike = other === undefined || other.physical === column.physical;
    return { id: column.id, name, alike, physical: alike ? column.physical : 's' };
  });
};

const sideValue = ({ id, alike }: ChangeColumn, columns: ReadonlyMap<number, StoredColumn>): string => {
  const column = columns.get(id);
  if (column === undefined) return 'NULL';
  return alike ? storageName(column) : `toString(${storageName(column)})`;
};

interface Side extends RowSource {
  readonly name: 'from' | 'to';
  readonly version: ReadableVersion;
}

const sideOf = (database: string, name: Side['name'], version: ReadableVersion): Side => ({
  name,
  version,
  ...versionSource(database, version, name),
});

/** The columns of the answer, and everything behind them. */
const changesSql = (
  sides: readonly Side[],
  columns: readonly ChangeColumn[],
  keyIds: readonly number[],
): { output: OutputColumn[]; from: string } => {
  const ids = columns.map(({ id }) => id);
  const names = columns.map((_, at) => `o${at}`);
  const hashes = ({ version }: Side): string => {
    const row = hashOf(ids, version.columns);
    return `${keyIds.length === 0 ? row : hashOf(keyIds, version.columns)} AS k, ${row} AS r`;
  };
  const number = ({ name }: Side): number => (name === 'to' ? 1 : 0);
  const hashed = sides.map(
    (side) =>
      `SELECT ${hashes(side)}, ${number(side) === 0 ? 1 : -1} AS w FROM ${side.from} WHERE ${side.where}`,
  );
  const differing = `SELECT k, r FROM (${hashed.join('\nUNION ALL ')}) GROUP BY k, r HAVING sum(w) != 0`;
  const full = sides.map((side) => {
    const own = new Map(side.version.columns.map((column) => [column.id, column]));
    const values = columns.map((column, at) => `, ${sideValue(column, own)} AS o${at}`);
    return `SELECT ${hashes(side)}, toUInt8(${number(side)}) AS side, ${rowOrderAs('s', 'p')}${values.join('')}
      FROM ${side.from} WHERE ${side.where}`;
  });
  const list = names.map((name) => `, ${name}`).join('');
  const kind = `multiIf(m > least(x, y), if(side = 0, 'removed', 'added'), side = 0, 'before', 'after')`;
  const output: OutputColumn[] = [
    { name: 'change', sql: kind, physical: 's' },
    ...columns.map(({ name, physical }, at) => ({ name, sql: `o${at}`, physical })),
  ];
  const from = `FROM (
      SELECT m, x, y, side, s, p${list},
        max(if(side = 1, (s, p), (toUInt64(0), toUInt64(0)))) OVER (PARTITION BY k, m) AS place
      FROM (
        SELECT k, side, s, p${list}, row_number() OVER (PARTITION BY side, k ORDER BY s, p) AS m,
          countIf(side = 0) OVER (PARTITION BY k) AS x, countIf(side = 1) OVER (PARTITION BY k) AS y
        FROM (
          SELECT k, side, s, p${list}, row_number() OVER (PARTITION BY side, k, r ORDER BY s, p) AS n,
            countIf(side = 0) OVER (PARTITION BY k, r) AS a, countIf(side = 1) OVER (PARTITION BY k, r) AS b
          FROM (${full.join('\nUNION ALL ')}) WHERE (k, r) IN (${differing}))
        WHERE n > least(a, b)))
    ORDER BY place, side, s, p`;
  return { output, from };
};

interface Pair {
  readonly from: ReadableVersion;
  readonly to: ReadableVersion;
  readonly keyIds?: readonly number[] | undefined;
}

/** Before the first upload. */
const nothing = (version: ReadableVersion): ReadableVersion => ({
  ...version,
  placement: null,
  columns: [],
  rowCount: 0,
  segmentIds: [],
});

export const createVersionChanges = ({ sql, versions, reader }: VersionChangesOptions): VersionChanges => {
  const isUniqueKey = createUniqueKeys(reader);

  const pairOf = async ({ datasetId, between }: ChangesWanted): Promise<Pair> => {
    const find = (versionId: number) => versions.find({ datasetId, currentVersionId: null, versionId });
    if (!('dryRun' in between)) {
      const [from, to] = await Promise.all([find(between.from), find(between.to)]);
      return { from, to };
    }
    const { baseVersionId, version, keyIds } = await readDryRun(sql, datasetId, between.dryRun);
    return {
      from: baseVersionId === null ? nothing(version) : await find(baseVersionId),
      to: version,
      keyIds,
    };
  };

  const matchRows = async ({ from, to, keyIds }: Pair, context: ReadContext): Promise<MatchedBy> => {
    const keys = commonKeys(from.columns, to.columns, keyIds);
    const ids = keys.map(({ id }) => id);
    const both = await Promise.all([
      isUniqueKey(from, ids, { ...context, queryId: `${context.queryId}-from` }),
      isUniqueKey(to, ids, { ...context, queryId: `${context.queryId}-to` }),
    ]);
    return matchedBy(keys, !both.includes(false));
  };

  return {
    async open(wanted) {
      const { from, to, keyIds } = await pairOf(wanted);
      const columns = columnsOf(from, to);
      const [before, after] = [sideOf(reader.database, 'from', from), sideOf(reader.database, 'to', to)];
      const { queryId, signal } = wanted;
      const context = { queryId, signal, owner: ownerOfMany(from.rowCount + to.rowCount, wanted.owner) };
      const matched = await matchRows({ from, to, keyIds }, context);
      const ids = matched.keys.map(({ id }) => id);
      const { output, from: rows } = changesSql([before, after], columns, ids);
      const limited = wanted.top === undefined ? rows : `${rows} LIMIT ${wanted.top}`;
      const body = await reader.open({
        ...csv.select.rows(output, limited, plainAppearance),
        values: { ...before.values, ...after.values },
        place: serverOf(from, to),
        isHeavy: true,
        ...context,
      });
      return { body, ...matched };
    },
  };
};
