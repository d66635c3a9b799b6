/**
 * How large and how fine the numbers of a version are: what sums and calculations need to be exact and quick. Asked
 * of ClickHouse once for each column of a version, whose rows never change.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import type { NumberForm } from '../../model/column-types/column-type.js';
import { columnTypeOf, numberFormOf } from '../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import type { ReadableVersion } from '../../model/version.js';
import { serverOf, versionSource } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import { exactOf, parseExact } from '../filter/number-literal.js';
import { isMany, type ReadContext } from '../read-context.js';
import { digitsOf, type NumberRange } from './number-range.js';

/** By column id. A column without an entry has no range, or none is known yet. */
export type NumberRanges = ReadonlyMap<number, NumberRange>;

export interface NumberFactsReader {
  /** Cached ranges of the columns. */
  remembered(version: ReadableVersion, columns: readonly StoredColumn[]): NumberRanges;
  /** The same, with a query for those that are not cached. */
  find(
    version: ReadableVersion,
    columns: readonly StoredColumn[],
    context: ReadContext,
  ): Promise<NumberRanges>;
}

/** Doubles beyond this are written with an exponent or more digits than whole units have room for. */
const powers = [0, 1, 2, 3, 4, 5, 6];

/** Decimals of the text of a double; the quick answers hold as long as value × 10^n is exact. */
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

const mostDigits = 76;

/** Rounded up, beyond what summing up doubles may have lost. */
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
  if (exact === undefined || scale > mostDigits || exact.scale < -mostDigits) return null;
  const units = exact.digits * 10n ** BigInt(Math.max(0, scale - exact.scale));
  // Beyond that no decimal type holds the column.
  return digitsOf(units) > mostDigits ? null : { scale, units, total: totalUnits(total, scale) };
};

/** Columns that are kept in memory together. */
const mostColumns = 100_000;
/** Columns of one query. */
const batch = 200;

export const createNumberRanges = (reader: Reader): NumberFactsReader => {
  /** Null: no decimal type holds the column. Oldest first. */
  const known = new Map<string, NumberRange | null>();
  const keyOf = ({ versionId }: ReadableVersion, column: StoredColumn): string =>
    `${versionId}/${storageName(column)}`;

  const remember = (key: string, range: NumberRange | null): void => {
    known.set(key, range);
    for (const oldest of known.keys()) {
      if (known.size <= mostColumns) break;
      known.delete(oldest);
    }
  };

  const remembered = (version: ReadableVersion, columns: readonly StoredColumn[]): NumberRanges =>
    new Map(
      columns.flatMap((column) => {
        const range = known.get(keyOf(version, column));
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
      if (found !== undefined) remember(keyOf(version, column), rangeOf(column, found));
    }
  };

  return {
    remembered,
    async find(version, columns, context) {
      const missing = columns.filter(
        (column) => columnTypeOf(column.physical).numbers !== undefined && !known.has(keyOf(version, column)),
      );
      for (let at = 0; at < missing.length; at += batch) {
        const queryId = `${context.queryId}-facts${at}`;
        await read(version, missing.slice(at, at + batch), { ...context, queryId });
      }
      return remembered(version, columns);
    },
  };
};
