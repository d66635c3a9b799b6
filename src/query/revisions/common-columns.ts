/** Columns of a dataset in types that can represent their values in all versions. */
import { type PhysicalType, type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf, dataTypeOf, physicalOfDates } from '../../model/column-types/column-types.js';
import { decimalOf } from '../../model/column-types/decimal.js';
import { segmentSource, serverOf } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { ReadContext } from '../read-context.js';
import type { RangeGroup } from './history.js';

/** Digits before and after the point. */
type Digits = readonly [integer: number, fraction: number];

/** Digits of numbers with an exponent: more than any decimal type has. */
const tooMany = 100;

const digitsSql = (column: StoredColumn): string => {
  const text = columnTypeOf(column.physical).canonicalText(storageName(column));
  const integer = `replaceRegexpOne(splitByChar('.', ifNull(${text}, ''))[1], '^-?0?', '')`;
  const fraction = `splitByChar('.', ifNull(${text}, ''))[2]`;
  return `(max(if(position(ifNull(${text}, ''), 'e') > 0, ${tooMany}, length(${integer}))), max(length(${fraction})))`;
};

/** Physical types of a column in all groups; empty if the column never had values. */
const typesOf = (id: number, groups: readonly RangeGroup[]): Set<PhysicalType> =>
  new Set(
    groups.flatMap(({ columns }) =>
      columns.filter((column) => column.id === id && column.untyped !== true).map(({ physical }) => physical),
    ),
  );

const areAll = (types: ReadonlySet<PhysicalType>, kind: 'number' | 'date'): boolean =>
  [...types].every((physical) => columnTypeOf(physical).compares === kind);

/** Most digits of each column in any group, with one statement. */
const countDigits = async (
  reader: Reader,
  groups: readonly RangeGroup[],
  ids: readonly number[],
  context: ReadContext,
): Promise<Digits[]> => {
  const sources = groups.map((group, at) => {
    const segments = [...new Set(group.ranges.map(({ segment }) => segment))];
    return segmentSource(reader.database, { ...group, segments }, `d${at}`);
  });
  const parts = groups.map((group, at) => {
    const counts = ids.map((id, index) => {
      const own = group.columns.find((column) => column.id === id);
      return `${own === undefined ? '(toUInt64(0), toUInt64(0))' : digitsSql(own)} AS c${index}`;
    });
    const { from, where } = sources[at]!;
    return `SELECT ${counts.join(', ')} FROM ${from} WHERE ${where}`;
  });
  const rows = await reader.queryObjects<Record<string, Digits>>({
    sql: `SELECT * FROM (${parts.join('\nUNION ALL ')}) FORMAT JSONEachRow`,
    values: Object.assign({}, ...sources.map(({ values }) => values)),
    place: serverOf(...groups),
    settings: { output_format_json_quote_64bit_integers: 0, output_format_json_named_tuples_as_objects: 0 },
    ...context,
    queryId: `${context.queryId}-digits`,
  });
  return ids.map((_, index) => {
    const found = rows.map((row) => row[`c${index}`] ?? [0, 0]);
    return [Math.max(0, ...found.map(([integer]) => integer)), Math.max(0, ...found.map(([, rest]) => rest))];
  });
};

/**
 * A column that is a number in all versions becomes a decimal with room for all digits. It becomes text only if it had values
 * of several kinds, or numbers that do not fit into one decimal type.
 */
export const commonColumns = async (
  reader: Reader,
  groups: readonly RangeGroup[],
  columns: readonly StoredColumn[],
  context: ReadContext,
): Promise<StoredColumn[]> => {
  const types = new Map(columns.map(({ id }) => [id, typesOf(id, groups)]));
  const mixed = columns.flatMap(({ id }) => {
    const found = types.get(id) ?? new Set();
    return found.size > 1 && areAll(found, 'number') ? [id] : [];
  });
  const digits = mixed.length === 0 ? [] : await countDigits(reader, groups, mixed, context);
  const decimals = new Map(mixed.map((id, at) => [id, decimalOf(...(digits[at] ?? [tooMany, 0])) ?? 's']));
  return columns.map((column) => {
    const found = types.get(column.id) ?? new Set();
    const [first = column.physical] = found;
    const many = areAll(found, 'date') ? physicalOfDates(true) : 's';
    const physical = found.size < 2 ? first : (decimals.get(column.id) ?? many);
    return { ...column, physical, dataType: dataTypeOf(physical) };
  });
};
