/**
 * SQL that compares two versions of a dataset. It reads only rows that one of them has (rows/pair.ts), and matches them by a
 * key that is unique in both versions, or as whole rows.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import {
  type CommonTypes,
  commonTypes,
  hashOf,
  type PairPart,
  type PairRows,
  rowOrder,
} from '../../rows/index.js';
import type { OutputColumn } from '../formats/format.js';
import { freeName } from '../projection.js';
import { isMany } from '../read-context.js';

export interface Comparison {
  readonly pair: PairRows;
  readonly from: readonly StoredColumn[];
  readonly to: readonly StoredColumn[];
  /** Key columns; empty to compare whole rows. */
  readonly keyIds: readonly number[];
}

interface Hashes {
  readonly key: (part: PairPart) => string;
  readonly row: (part: PairPart) => string;
}

const hashesOf = ({ from, to, keyIds }: Comparison): Hashes => {
  const types: CommonTypes = commonTypes(from, to);
  const ids = [...new Set([...to, ...from].map(({ id }) => id))];
  return {
    key: ({ columns }) => hashOf(keyIds, columns, types),
    row: ({ columns }) => hashOf(ids, columns, types),
  };
};

const selectEach = ({ parts }: PairRows, list: (part: PairPart) => readonly string[]): string =>
  parts
    .map((part) => `SELECT ${list(part).join(', ')} FROM ${part.from} WHERE ${part.where}`)
    .join('\nUNION ALL ');

/** One row: rows that only one version has, counted by key and as whole rows, and the most rows per key in each version. */
export const countsSql = (comparison: Comparison): string => {
  const { key, row } = hashesOf(comparison);
  const isKeyed = comparison.keyIds.length > 0;
  const rows = selectEach(comparison.pair, (part) => [
    `${isKeyed ? key(part) : row(part)} AS k`,
    `${row(part)} AS r`,
    `${part.side} AS side`,
  ]);
  return `SELECT sum(b - paired) AS added, sum(a - paired) AS removed, sum(paired - equal) AS changed,
      sum(b - equal) AS addedRows, sum(a - equal) AS removedRows, max(a) AS maxRowsFrom, max(b) AS maxRowsTo
    FROM (
      SELECT sum(x) AS a, sum(y) AS b, least(a, b) AS paired, sum(e) AS equal FROM (
        SELECT k, countIf(side = 0) AS x, countIf(side = 1) AS y, least(x, y) AS e FROM (${rows}) GROUP BY k, r)
      GROUP BY k)`;
};

/** One row: the most rows per key in each version. */
export const repeatsSql = (comparison: Comparison): string => {
  const { key } = hashesOf(comparison);
  const rows = selectEach(comparison.pair, (part) => [`${key(part)} AS k`, `${part.side} AS side`]);
  return `SELECT max(x) AS maxRowsFrom, max(y) AS maxRowsTo FROM (
      SELECT countIf(side = 0) AS x, countIf(side = 1) AS y FROM (${rows}) GROUP BY k)`;
};

interface ChangeColumn {
  readonly id: number;
  readonly name: string;
  /** True if both versions store the column in one type. */
  readonly alike: boolean;
  readonly physical: StoredColumn['physical'];
}

/** Columns of the second version, then those that only the first has, under unique names. */
const changeColumns = ({ from, to }: Comparison): ChangeColumn[] => {
  const types = commonTypes(from, to);
  const now = new Set(to.map(({ id }) => id));
  const taken = new Set(['change']);
  return [...to, ...from.filter(({ id }) => !now.has(id))].map(({ id, name: wanted }) => {
    const name = freeName(wanted, taken);
    taken.add(name);
    const physical = types.get(id);
    return { id, name, alike: physical !== undefined, physical: physical ?? 's' };
  });
};

const valueIn = ({ columns }: PairPart) => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  return ({ id, alike }: ChangeColumn): string => {
    const column = byId.get(id);
    if (column === undefined) return 'NULL';
    return alike ? storageName(column) : `toString(${storageName(column)})`;
  };
};

interface ChangedRows {
  readonly output: OutputColumn[];
  /** `FROM …` and everything after it. */
  readonly from: string;
}

/** For pairs in which only one version has rows of its own, so no row has a counterpart. */
const oneSided = ({ pair }: Comparison, columns: readonly ChangeColumn[]): ChangedRows => {
  const [part] = pair.parts;
  const value = part === undefined ? () => 'NULL' : valueIn(part);
  return {
    output: [
      { name: 'change', sql: pair.sides[0] === 'from' ? `'removed'` : `'added'`, physical: 's' },
      ...columns.map((column) => ({ name: column.name, sql: value(column), physical: column.physical })),
    ],
    from:
      part === undefined
        ? 'FROM (SELECT 1) WHERE 0'
        : `FROM ${part.from} WHERE ${part.where} ORDER BY ${rowOrder}`,
  };
};

/**
 * Selects `change` (removed, added, before, after) and the columns of both versions. Removed rows come first, then added and
 * changed ones in the order of the second version.
 */
export const changedRowsSql = (comparison: Comparison): ChangedRows => {
  const columns = changeColumns(comparison);
  const { pair, keyIds } = comparison;
  if (pair.sides.length < 2 && !pair.byPosition) return oneSided(comparison, columns);
  const { key, row } = hashesOf(comparison);
  const isKeyed = keyIds.length > 0;
  const hashes = (part: PairPart): string[] => [
    ...(isKeyed ? [`${key(part)} AS k`] : []),
    `${row(part)} AS r`,
    `${part.side} AS side`,
  ];
  const match = isKeyed ? 'k, r' : 'r';
  const list = columns.map((_, at) => `o${at}`).join(', ');
  const all = selectEach(pair, (part) => [
    ...hashes(part),
    `${rowOrder} AS p`,
    ...columns.map(valueIn(part)).map((sql, at) => `${sql} AS o${at}`),
  ]);
  const differing = `SELECT ${match} FROM (${selectEach(pair, hashes)}) GROUP BY ${match} HAVING countIf(side = 0) != countIf(side = 1)`;
  // Large versions are compared by hashes first, so that only differing rows are kept in memory.
  const rows = isMany(pair.maxRows)
    ? `(SELECT * FROM (${all}) WHERE (${match}) IN (${differing}))`
    : `(${all})`;
  const output = (change: string): OutputColumn[] => [
    { name: 'change', sql: change, physical: 's' },
    ...columns.map(({ name, physical }, at) => ({ name, sql: `o${at}`, physical })),
  ];
  if (isKeyed)
    return {
      output: output(`multiIf(present = 1, if(side = 0, 'removed', 'added'), side = 0, 'before', 'after')`),
      from: `FROM (
        SELECT side, p, ${list}, count() OVER (PARTITION BY k) AS present,
          min(r) OVER (PARTITION BY k) AS low, max(r) OVER (PARTITION BY k) AS high,
          max(if(side = 1, p, 0)) OVER (PARTITION BY k) AS place
        FROM ${rows})
      WHERE present = 1 OR low != high ORDER BY place, side, p`,
    };
  // Equal rows are paired; the rest are the rows that one version has more often.
  return {
    output: output(`if(side = 0, 'removed', 'added')`),
    from: `FROM (
      SELECT side, p, ${list}, row_number() OVER (PARTITION BY r, side ORDER BY p) AS number,
        countIf(side = 0) OVER (PARTITION BY r) AS x, countIf(side = 1) OVER (PARTITION BY r) AS y
      FROM ${rows})
    WHERE number > least(x, y) ORDER BY side, p`,
  };
};
