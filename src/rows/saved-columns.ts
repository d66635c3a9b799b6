/** Checks the columns of a backup: their names and types become part of ClickHouse statements, so only those of the product are allowed. */

import { namedColumnOf } from '../model/column.js';
import { isPhysicalType } from '../model/column-types/column-types.js';
import { bookColumns, keyColumns, storedAs, tablePlace } from './place.js';
import { type ColumnDefinition, type PoolClass, slotColumns } from './slots.js';

const bookNames = (pool: PoolClass | null): readonly string[] => (pool === null ? bookColumns : keyColumns);

const ownPlace = tablePlace({ storeId: 1, shard: 1 });

/** Type of a column with this name; undefined if no table of the product has such a column. */
const typeOf = (name: string, pool: PoolClass | null): string | undefined => {
  if (bookNames(pool).includes(name)) return name === '_gone' ? 'UInt8' : 'UInt64';
  if (pool !== null) return slotColumns(pool).find((slot) => slot.name === name)?.type;
  const physical = /^c[1-9]\d{0,15}_(.+)$/.exec(name)?.[1];
  if (physical === undefined || !isPhysicalType(physical)) return undefined;
  return storedAs(namedColumnOf(name), ownPlace).type;
};

/** The first unexpected column, or a missing one of `_seg`, `_row` and `_gone`; undefined: all are as expected. */
export const strangeColumn = (
  columns: readonly ColumnDefinition[],
  pool: PoolClass | null,
): string | undefined => {
  const names = new Set(columns.map(({ name }) => name));
  const missing = bookNames(pool).find((name) => !names.has(name));
  if (missing !== undefined || names.size < columns.length) return missing ?? 'a duplicate name';
  return columns.find(({ name, type }) => typeOf(name, pool) !== type)?.name;
};
