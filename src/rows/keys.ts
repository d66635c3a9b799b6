/** Questions about the keys of a merge: what a file does to the version before it. */
import type { NamedColumn } from '../model/column.js';
import type { ClickHouseServers, QueryParams } from '../storage/clickhouse/client.js';
import { type Digits, digitsSql } from './count.js';
import {
  type KeyCounts,
  type MergeSide,
  mergeServer,
  mergeSql,
  type SegmentMerge,
  winners,
} from './merge.js';
import { mergeSettings } from './statement-settings.js';

/** A key that several rows have. */
export interface RepeatedKey {
  /** Texts of its values, cut to 200 characters, by the names of the columns. */
  readonly key: Readonly<Record<string, string | null>>;
  readonly rows: number;
}

export interface Keys {
  count(merge: SegmentMerge): Promise<KeyCounts>;
  /** The first keys that several rows of one side have, at most three. */
  repeated(merge: SegmentMerge, side: 'base' | 'file'): Promise<RepeatedKey[]>;
  /** Most digits in use in a column of the version before, in the rows whose keys the file does not have. */
  keptDigits(merge: SegmentMerge, column: NamedColumn): Promise<Digits>;
}

const examples = 3;
const keyLength = 200;

export const createKeys = (servers: ClickHouseServers): Keys => {
  const partsOf = (merge: SegmentMerge) => mergeSql(servers.database, merge);

  const ask = <T>(merge: SegmentMerge, sql: string, params: QueryParams): Promise<T[]> =>
    mergeServer(servers, merge).rows<T>(sql, { params, settings: mergeSettings });

  const number = async (merge: SegmentMerge, sql: string, params: QueryParams): Promise<number> => {
    const [row] = await ask<{ n: string }>(merge, sql, params);
    return Number(row?.n ?? 0);
  };

  const countHits = async (
    merge: SegmentMerge,
    counts: Pick<KeyCounts, 'distinct' | 'rows'>,
  ): Promise<Pick<KeyCounts, 'known' | 'hits' | 'same'>> => {
    const sql = partsOf(merge);
    const { base, file, keysOf, comparedOf, on, params } = sql;
    const hash = (side: MergeSide): string =>
      merge.mode === 'delete' ? 'toUInt8(0)' : `sipHash128(tuple(${comparedOf(side).join(', ')}))`;
    const [row] = await ask<{ known: string; hits: string; same: string }>(
      merge,
      `SELECT toString(count()) AS known, toString(sum(n)) AS hits, toString(sum(s)) AS same FROM (
         SELECT f.r, count() AS n, countIf(b.h = f.h) AS s
         FROM (SELECT ${keysOf(base)}, ${hash(base)} AS h ${base.from}) AS b
         INNER JOIN (SELECT ${keysOf(file)}, ${hash(file)} AS h, _row AS r ${winners(merge, sql, counts)}) AS f ON ${on}
         GROUP BY f.r)`,
      params,
    );
    return { known: Number(row?.known ?? 0), hits: Number(row?.hits ?? 0), same: Number(row?.same ?? 0) };
  };

  return {
    async count(merge) {
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

    async repeated(merge, name) {
      const { keys, keyNames, keysOf, params, [name]: side } = partsOf(merge);
      const texts = keys.map((_, at) => `if(n${at}, NULL, substringUTF8(toString(k${at}), 1, ${keyLength}))`);
      const found = await ask<{ key: (string | null)[]; c: string }>(
        merge,
        `SELECT [${texts.join(', ')}] AS key, toString(c) AS c FROM (
           SELECT ${keyNames.join(', ')}, count() AS c, min(_row) AS first
           FROM (SELECT ${keysOf(side)}, _row ${side.from}) GROUP BY ${keyNames.join(', ')}
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
  };
};
