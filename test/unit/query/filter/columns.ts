import type { PhysicalType } from '../../../../src/model/column.js';
import { dataTypeOf } from '../../../../src/model/column-types/column-types.js';
import type { FilterColumn } from '../../../../src/query/filter/filter.js';

const isList = (
  types: Readonly<Record<string, PhysicalType>> | readonly (readonly [string, PhysicalType])[],
): types is readonly (readonly [string, PhysicalType])[] => Array.isArray(types);

/** Columns by name and physical type, numbered from 1. */
export const columnsOf = (
  types: Readonly<Record<string, PhysicalType>> | readonly (readonly [string, PhysicalType])[],
): FilterColumn[] =>
  (isList(types) ? types : Object.entries(types)).map(([name, physical], index) => ({
    id: index + 1,
    name,
    dataType: dataTypeOf(physical),
    physical,
    sql: `c${index + 1}_${physical}`,
  }));
