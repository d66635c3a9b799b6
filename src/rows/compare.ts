/** Compares rows by hashes that are equal for equal values. */
import { type PhysicalType, type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { clickHouseType } from './place.js';

/** Types, by column id, of the columns that have the same type in everything that is compared. */
export type CommonTypes = ReadonlyMap<number, PhysicalType>;

/** Columns that have the same type in every list that includes them. */
export const commonTypes = (...lists: readonly (readonly StoredColumn[])[]): CommonTypes => {
  const types = new Map<number, PhysicalType>();
  const mixed = new Set<number>();
  for (const { id, physical } of lists.flat()) {
    if ((types.get(id) ?? physical) !== physical) mixed.add(id);
    types.set(id, physical);
  }
  for (const id of mixed) types.delete(id);
  return types;
};

/** Two expressions: whether the value is null, and the value, as stored if the type is common, otherwise as text. */
const comparedValue = (
  column: StoredColumn | undefined,
  common: PhysicalType | undefined,
): readonly [string, string] => {
  const none = common === undefined ? `''` : `defaultValueOfTypeName('${clickHouseType(common)}')`;
  if (column === undefined) return ['toUInt8(1)', none];
  const name = storageName(column);
  const type = columnTypeOf(column.physical);
  return [
    `isNull(${name})`,
    `ifNull(${common === undefined ? type.canonicalText(name) : type.key(name)}, ${none})`,
  ];
};

/**
 * Hash of some columns: equal for equal values, whatever their types. A missing column is null.
 * @param types Common types of everything that the hash is compared with.
 */
export const hashOf = (
  ids: readonly number[],
  columns: readonly StoredColumn[],
  types: CommonTypes,
): string => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const parts = ids.flatMap((id) => comparedValue(byId.get(id), types.get(id)));
  return `sipHash128(${parts.join(', ')})`;
};

/** Key by which rows of two versions are matched: the given columns if there are any, otherwise the entities, that both versions have. */
export const commonKeys = (
  from: readonly StoredColumn[],
  to: readonly StoredColumn[],
  given: readonly number[] = [],
): readonly StoredColumn[] => {
  const before = new Map(from.map((column) => [column.id, column]));
  if (given.length > 0) return to.filter(({ id }) => given.includes(id) && before.has(id));
  return to.filter(({ id, isEntity }) => isEntity && before.get(id)?.isEntity === true);
};
