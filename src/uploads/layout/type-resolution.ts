/**
 * Resolves the physical type of a column from its values, the manifest and the current version.
 *
 * - The type that users see (Date, String, Decimal) is set by the manifest or the current version, unless widening was requested.
 *   A record with a value of another type is bad.
 * - In mode replace a column keeps its type if all values fit. Otherwise the current version is ignored.
 * - The date form of an earlier manifest is remembered for later files. A file whose dates have the built-in forms is read with
 *   those; it is read in one way or the other, never both.
 * - The physical type may grow within the visible one: a Decimal column of doubles that gets a number of twenty digits becomes
 *   exact decimals. That is no conflict, and no value is altered.
 */

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
import { decimalOf, decimalShapeOf } from '../../model/column-types/decimal.js';
import { saysYear } from '../../model/years.js';
import type { Digits } from '../../rows/index.js';
import { classOf, fitsClass, type Readings, readIn, resolveFree } from './kept-type.js';
import type { Layout, LayoutColumn } from './layout.js';

/** Type that the manifest or the current version requires; undefined: any. */
const givenType = (layout: Layout, column: LayoutColumn): DataType | undefined => {
  if (column.dataType !== undefined) return column.dataType;
  if (column.existing === undefined) return undefined;
  const existing = dataTypeOf(column.existing);
  return layout.widen === true && existing !== 'String' ? undefined : existing;
};

/** Comparison class that values must have; undefined: any. */
export const kindOf = (layout: Layout, column: LayoutColumn): ComparisonClass | undefined => {
  const type = givenType(layout, column);
  return type === undefined ? undefined : classOf(type);
};

const joinDecimals = (
  profile: ColumnProfile,
  existing: PhysicalType,
  counted: Digits | undefined,
): PhysicalType | undefined => {
  if (profile.kind === 'none') return existing;
  if (columnTypeOf(existing).numbers === 'doubles' && !profile.inexact) return existing;
  const shape = decimalShapeOf(existing);
  const fits =
    shape !== undefined &&
    profile.fractionDigits <= shape.scale &&
    profile.integerDigits <= shape.precision - shape.scale;
  if (fits) return existing;
  // By the digits in use, since the type may allow more than any stored number has.
  return decimalOf(
    Math.max(counted?.integer ?? 0, profile.integerDigits),
    Math.max(counted?.fraction ?? 0, profile.fractionDigits),
  );
};

const joinDates = (profile: ColumnProfile, existing: PhysicalType | undefined): PhysicalType =>
  physicalOfDates(profile.farDate || (existing !== undefined && columnTypeOf(existing).dates === 'texts'));

/** Type for the numbers of the file alone, in modes with a key. The merge decides whether it holds the stored numbers too. */
const ownDecimal = ({ keyIds }: Layout, profile: ColumnProfile): PhysicalType | undefined =>
  keyIds === undefined ? undefined : decimalOf(profile.integerDigits, profile.fractionDigits);

const resolveGiven = (
  layout: Layout,
  dataType: DataType,
  column: LayoutColumn,
  profile: ColumnProfile,
  counted: Digits | undefined,
): PhysicalType => {
  const { existing } = column;
  switch (dataType) {
    case 'String':
      return 's';
    case 'Date':
      return joinDates(profile, existing);
    case 'Decimal': {
      if (existing !== undefined && columnTypeOf(existing).numbers !== undefined)
        return joinDecimals(profile, existing, counted) ?? ownDecimal(layout, profile) ?? existing;
      const physical = profile.kind === 'number' ? physicalOf(profile) : 'u';
      return physical !== 'u' && dataTypeOf(physical) === dataType ? physical : physicalOfName[dataType];
    }
    default: {
      const never: never = dataType;
      return never;
    }
  }
};

const resolveWide = (
  column: LayoutColumn,
  profile: ColumnProfile,
  counted: Digits | undefined,
): PhysicalType | 'u' => {
  const { existing } = column;
  if (existing === undefined) return resolveFree(column, profile);
  if (profile.kind === 'none') return existing;
  const { compares } = columnTypeOf(existing);
  if (profile.kind === 'date' && compares === 'date') return joinDates(profile, existing);
  if (profile.kind === 'number' && compares === 'number')
    return joinDecimals(profile, existing, counted) ?? 's';
  return 's';
};

/** True if the type depends on the digits of the stored numbers. */
export const needsDigits = (column: LayoutColumn, profile: ColumnProfile): boolean =>
  column.existing !== undefined &&
  columnTypeOf(column.existing).numbers !== undefined &&
  profile.kind === 'number' &&
  joinDecimals(profile, column.existing, { integer: 0, fraction: 0 }) !== column.existing;

interface Reading {
  readonly column: LayoutColumn;
  readonly profile: ColumnProfile;
}

/** Decides whether the dates of a column are read in the remembered form or in the built-in ones. */
export const readingOf = (layout: Layout, column: LayoutColumn, { own, plain }: Readings): Reading => {
  if (plain === undefined) return { column, profile: own };
  const type = column.keeps ?? givenType(layout, column);
  const kind = type === undefined ? undefined : classOf(type);
  const isPlain = own.kind !== kind && (plain.kind === kind || kind === undefined || !fitsClass(own, kind));
  return isPlain
    ? { column: readIn('plain', column), profile: plain }
    : { column: readIn('remembered', column), profile: own };
};

/** Marks a column of years by its values. A column that has a type in the current version is not changed. */
const withYears = (column: LayoutColumn, profile: ColumnProfile): LayoutColumn => {
  if (column.existing !== undefined) return column;
  const { years: _years, ...rest } = column;
  const isNumber = column.physical !== 'u' && columnTypeOf(column.physical).numbers === 'doubles';
  const areYears = isNumber && profile.kind === 'number' && !profile.offYears && saysYear(column.name);
  return areYears ? { ...rest, years: true } : rest;
};

/** Proposes a type from the first chunk. A later value that does not fit leads to a replay with a profile of all values. */
export const proposeColumn = (layout: Layout, column: LayoutColumn, profile: ColumnProfile): LayoutColumn =>
  withYears(proposedType(layout, column, profile), profile);

const proposedType = (layout: Layout, column: LayoutColumn, profile: ColumnProfile): LayoutColumn => {
  const { existing } = column;
  // A longer number may need another type; that depends on the digits of the stored numbers and is resolved in a replay.
  const keeps = existing !== undefined && (column.dataType ?? dataTypeOf(existing)) === dataTypeOf(existing);
  if (keeps) return { ...column, physical: existing };
  const type = givenType(layout, column);
  if (type === undefined) return { ...column, physical: resolveFree(column, profile) };
  const physical =
    profile.kind === 'none' ? physicalOfName[type] : resolveGiven(layout, type, column, profile, undefined);
  return { ...column, physical };
};

/** Resolves the final type from the profile of all values. */
export const resolveColumn = (
  layout: Layout,
  column: LayoutColumn,
  profile: ColumnProfile,
  counted: Digits | undefined,
): LayoutColumn => {
  const type = givenType(layout, column);
  const settled: LayoutColumn =
    type === undefined
      ? { ...column, physical: resolveWide(column, profile, counted), fixed: false }
      : { ...column, physical: resolveGiven(layout, type, column, profile, counted), fixed: true };
  return withYears(settled, profile);
};
