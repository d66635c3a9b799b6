/** Columns that the product makes, and no others: their names and types become part of statements of ClickHouse. */

import { namedColumnOf } from '../model/column.js';
import { isPhysicalType } from '../model/column-types/column-types.js';
import { bookColumns, keyColumns, storedAs, tablePlace } from './place.js';
import { type ColumnDefinition, type PoolClass, slotColumns } from './slots.js';

const bookNames = (pool: PoolClass | null): readonly string[] => (pool === null ? bookColumns : keyColumns);

const ownPlace = tablePlace({ storeId: 1, shard: 1 });

/** The type that a column of this name has; undefined for a name that no table of the product has. */
const typeOf = (name: string, pool: PoolClass | null): string | undefined => {
  if (bookNames(pool).includes(name)) return name === '_gone' ? 'UInt8' : 'UInt64';
  if (pool !== null) return slotColumns(pool).find((slot) => slot.name === name)?.type;
  const physical = /^c[1-9]\d{0,15}_(.+)$/.exec(name)?.[1];
  if (physical === undefined || !isPhysicalType(physical)) return undefined;
  return storedAs(namedColumnOf(name), ownPlace).type;
};

/** The first column that is none of the product's, or one of `_seg`, `_row` and `_gone` that is missing; undefined: all are right. */
export const strangeColumn = (
  columns: readonly ColumnDefinition[],
  pool: PoolClass | null,
): string | undefined => {
  const names = new Set(columns.map(({ name }) => name));
  const missing = bookNames(pool).find((name) => !names.has(name));
  if (missing !== undefined || names.size < columns.length) return missing ?? 'a name that is there twice';
  return columns.find(({ name, type }) => typeOf(name, pool) !== type)?.name;
};
