/** The type that a column had, and keeps in a file that replaces its rows where all of the values fit. */

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

/** How values of a type compare. */
export const classOf = (type: DataType): ComparisonClass => columnTypeOf(physicalOfName[type]).compares;

export const fitsClass = (profile: ColumnProfile, kind: ComparisonClass): boolean =>
  kind === 'text' || profile.kind === 'none' || profile.kind === kind;

/** How values are stored under the type that the column had; undefined where they do not fit it. */
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

/** The type of a column that nothing but its values and the version before decide. */
export const resolveFree = ({ keeps }: LayoutColumn, profile: ColumnProfile): PhysicalType | 'u' =>
  (keeps && keptType(keeps, profile)) ?? physicalOf(profile);

/** True for a column whose values do not fit the type that it had. */
export const lostType = ({ keeps, physical }: LayoutColumn): boolean =>
  keeps !== undefined && (physical === 'u' ? 'String' : dataTypeOf(physical)) !== keeps;

/** Values of a column as its rules read them, and as the built-in forms of dates do where those rules are remembered. */
export interface Readings {
  readonly own: ColumnProfile;
  readonly plain?: ColumnProfile;
}

/** A column as it is read: in the form that is remembered of its dates, or in the built-in ones. */
export const readIn = (form: 'remembered' | 'plain', column: LayoutColumn): LayoutColumn => {
  const { rules: _rules, ...rest } = column;
  return form === 'plain' || column.dateForm === undefined ? rest : { ...rest, rules: column.dateForm };
};
