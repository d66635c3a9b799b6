/**
 * Ranges of the number columns of a version, which make sums and calculations exact and fast. Queried from ClickHouse
 * once per column, because only a repair changes the rows of a version.
 */
import { createCache } from '../../lib/cache.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import type { NumberForm } from '../../model/column-types/column-type.js';
import { columnTypeOf, numberFormOf } from '../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import { contentName, type ReadableVersion } from '../../model/version.js';
import { serverOf, versionSource } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import { exactOf, parseExact } from '../filter/number-literal.js';
import { isMany, type ReadContext } from '../read-context.js';
import { digitsOf, type NumberRange } from './number-range.js';

/** By column id. A column without an entry has no range, or an unknown one. */
export type NumberRanges = ReadonlyMap<number, NumberRange>;

export interface NumberFactsReader {
  /** Cached ranges. */
  remembered(version: ReadableVersion, columns: readonly StoredColumn[]): NumberRanges;
  /** Returns the ranges; queries those that are not cached. */
  find(
    version: ReadableVersion,
    columns: readonly StoredColumn[],
    context: ReadContext,
  ): Promise<NumberRanges>;
}

/** Numbers of decimals that are tried before the text of a double is parsed. */
const powers = [0, 1, 2, 3, 4, 5, 6];

/** Decimals in the text of a double. The fast paths require that value × 10^n is exact. */
const decimalsSql = (sql: string): string => {
  const quick = powers.map((n) =>
    n === 0
      ? `${sql} = round(${sql}), 0`
      : `abs(${sql}) < 9e${15 - n} AND round(${sql} * 1e${n}) / 1e${n} = ${sql}, ${n}`,
  );
  const parts = `splitByChar('e', toString(${sql}))`;
  const written = `toInt32(length(splitByChar('.', ${parts}[1])[2])) - toInt32OrZero(${parts}[2])`;
  return `multiIf(${quick.join(', ')}, greatest(0, ${written}))`;
};

const factsSql: Readonly<Record<NumberForm, (name: string) => string>> = {
  doubles: (name) =>
    `(toString(maxOrNull(abs(${name}))), maxIf(${decimalsSql(`assumeNotNull(${name})`)}, ${name} IS NOT NULL), toString(sum(abs(${name}))))`,
  decimals: (name) => `(toString(max(abs(${name}))), 0, toString(sum(abs(toFloat64(${name})))))`,
};

const rangeSql = (column: StoredColumn): string =>
  factsSql[numberFormOf(column.physical)](storageName(column));

type Row = Readonly<
  Record<string, readonly [largest: string | null, decimals: number, total: string | null]>
>;

const maxDigits = 76;

/** Rounded up by more than the sum of doubles can have lost. */
const totalUnits = (text: string | null, scale: number): bigint | undefined => {
  const total = Number(text ?? 0);
  if (!Number.isFinite(total)) return undefined;
  const { digits, scale: own } = exactOf(total * 1.000_001);
  const units = own <= scale ? digits * 10n ** BigInt(scale - own) : digits / 10n ** BigInt(own - scale);
  return units + 1n;
};

const rangeOf = (column: StoredColumn, [largest, decimals, total]: Row[string]): NumberRange | null => {
  const scale = decimalShapeOf(column.physical)?.scale ?? decimals;
  const exact = parseExact(largest ?? '0');
  if (exact === undefined || scale > maxDigits || exact.scale < -maxDigits) return null;
  const units = exact.digits * 10n ** BigInt(Math.max(0, scale - exact.scale));
  // No decimal type covers more digits.
  return digitsOf(units) > maxDigits ? null : { scale, units, total: totalUnits(total, scale) };
};

/** Size of the cache, in columns. */
const maxCached = 100_000;
const columnsPerQuery = 200;

export const createNumberRanges = (reader: Reader): NumberFactsReader => {
  /** Null if no decimal type covers the column. */
  const cached = createCache<NumberRange | null>({ limit: maxCached, weigh: () => 1 });
  const keyOf = (version: ReadableVersion, column: StoredColumn): string =>
    `${contentName(version)}/${storageName(column)}`;

  const remembered = (version: ReadableVersion, columns: readonly StoredColumn[]): NumberRanges =>
    new Map(
      columns.flatMap((column) => {
        const range = cached.get(keyOf(version, column));
        return range == null ? [] : [[column.id, range] as const];
      }),
    );

  const read = async (
    version: ReadableVersion,
    columns: readonly StoredColumn[],
    context: ReadContext,
  ): Promise<void> => {
    const { from, where, values } = versionSource(reader.database, version);
    const items = columns.map((column, index) => `${rangeSql(column)} AS f${index}`);
    const [row] = await reader.queryObjects<Row>({
      sql: `SELECT ${items.join(', ')} FROM ${from} WHERE ${where} FORMAT JSONEachRow`,
      values,
      place: serverOf(version),
      isHeavy: isMany(version.rowCount),
      settings: { output_format_json_quote_64bit_integers: 0, output_format_json_named_tuples_as_objects: 0 },
      ...context,
    });
    for (const [index, column] of columns.entries()) {
      const found = row?.[`f${index}`];
      if (found !== undefined) cached.set(keyOf(version, column), rangeOf(column, found));
    }
  };

  return {
    remembered,
    async find(version, columns, context) {
      const missing = columns.filter(
        (column) =>
          columnTypeOf(column.physical).numbers !== undefined &&
          cached.get(keyOf(version, column)) === undefined,
      );
      for (let at = 0; at < missing.length; at += columnsPerQuery) {
        const queryId = `${context.queryId}-facts${at}`;
        await read(version, missing.slice(at, at + columnsPerQuery), { ...context, queryId });
      }
      return remembered(version, columns);
    },
  };
};
