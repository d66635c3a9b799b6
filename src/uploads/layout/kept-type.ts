/** Mode replace: a column keeps the type of the current version if all values of the file fit. */

import { physicalOf } from '../../csv/profile.js';
import type { ColumnProfile } from '../../csv/types.js';
import type { DataType, PhysicalType } from '../../model/column.js';
import type { ComparisonClass } from '../../model/column-types/column-type.js';
import {
  columnTypeOf,
  dataTypeOf,
  physicalOfDates,
  physicalOfName,
} from '../../model/column-types/column-types.js';
import type { LayoutColumn } from './layout.js';

/** Comparison class of a type. */
export const classOf = (type: DataType): ComparisonClass => columnTypeOf(physicalOfName[type]).compares;

export const fitsClass = (profile: ColumnProfile, kind: ComparisonClass): boolean =>
  kind === 'text' || profile.kind === 'none' || profile.kind === kind;

/** Physical type of the values under the previous type of the column; undefined if they do not fit. */
const keptType = (keeps: DataType, profile: ColumnProfile): PhysicalType | undefined => {
  if (!fitsClass(profile, classOf(keeps))) return undefined;
  switch (keeps) {
    case 'String':
      return physicalOfName[keeps];
    case 'Date':
      return physicalOfDates(profile.farDate);
    case 'Decimal': {
      const physical = profile.kind === 'none' ? physicalOfName[keeps] : physicalOf(profile);
      return physical === 'u' || dataTypeOf(physical) !== keeps ? undefined : physical;
    }
    default: {
      const never: never = keeps;
      return never;
    }
  }
};

/** Type of a column that no manifest sets. */
export const resolveFree = ({ keeps }: LayoutColumn, profile: ColumnProfile): PhysicalType | 'u' =>
  (keeps && keptType(keeps, profile)) ?? physicalOf(profile);

export const typeOfColumn = ({ physical }: LayoutColumn): DataType =>
  physical === 'u' ? 'String' : dataTypeOf(physical);

/** True if the column does not keep its previous type. */
export const lostType = (column: LayoutColumn): boolean =>
  column.keeps !== undefined && typeOfColumn(column) !== column.keeps;

/** Profiles of a column under its own rules and, if these are remembered from an earlier manifest, under the built-in date forms. */
export interface Readings {
  readonly own: ColumnProfile;
  readonly plain?: ColumnProfile;
}

/** Returns the column with rules for its remembered date form, or for the built-in forms. */
export const readIn = (form: 'remembered' | 'plain', column: LayoutColumn): LayoutColumn => {
  const { rules: _rules, ...rest } = column;
  return form === 'plain' || column.dateForm === undefined ? rest : { ...rest, rules: column.dateForm };
};
