import type { BadRow, EncodePhysical, Violation } from '../../csv/types.js';
import type { DataType } from '../../model/column.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import { maxDigits } from '../../model/column-types/decimal.js';
import type { ProcessError } from '../../model/process.js';
import type { Layout, LayoutColumn } from '../layout/layout.js';
import { maxRawBytes, type Reject } from '../lifecycle/rejects.js';

const columnOf = (layout: Layout, field: number | null): LayoutColumn | undefined =>
  layout.columns.find((column) => column.field === field);

/** Type of the column in the previous version, unless a manifest sets the type. */
const existingType = (column: LayoutColumn | undefined): Pick<ProcessError, 'existingType'> =>
  column?.existing === undefined || column.dataType !== undefined
    ? {}
    : { existingType: dataTypeOf(column.existing) };

const describe = (bad: BadRow, layout: Layout): string => {
  switch (bad.reason) {
    case 'field_count':
      return `has ${bad.fieldCount ?? 0} field${bad.fieldCount === 1 ? '' : 's'}, the header has ${layout.fieldCount}`;
    case 'text_after_quote':
      return 'has text after a closing quote';
    case 'blank_before_quote':
      return 'has a space before an opening quote';
    case 'unterminated_quote':
      return 'opens a quote and never closes it';
    case 'value':
      return 'has a value that does not fit the type of its column';
    default: {
      const unknown: never = bad.reason;
      return unknown;
    }
  }
};

/** The error for a record that cannot be read. */
export const badRowError = (bad: BadRow, layout: Layout): ProcessError => {
  const column = columnOf(layout, bad.field);
  return {
    code: bad.reason,
    message: `Line ${bad.line} ${describe(bad, layout)}.`,
    line: bad.line,
    ...(column === undefined ? {} : { column: column.name }),
    ...(bad.value === null ? {} : { value: bad.value }),
    ...(bad.reason === 'value' ? existingType(column) : {}),
  };
};

/** The record for the table of rejects. */
export const rejectOf = (bad: BadRow, bytes: Buffer, layout: Layout): Reject => {
  const { message, column } = badRowError(bad, layout);
  const end = Math.min(bad.rawEnd, bad.rawStart + maxRawBytes);
  return {
    row: bad.row,
    line: bad.line,
    column: column ?? null,
    reason: bad.reason,
    message,
    raw: bytes.toString('utf8', bad.rawStart, end),
  };
};

const typeName = (physical: EncodePhysical): DataType =>
  physical === 'u' || physical === 'skip' ? 'String' : dataTypeOf(physical);

/** Explains why a number does not fit a column of numbers; empty for other values. */
const tooManyDigits = ({ physical, value }: Violation): string =>
  typeName(physical) === 'Decimal' &&
  /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(value) &&
  /\d{16}|\d\.\d{15}|e/i.test(value)
    ? `: together with the other numbers of the column it needs more than ${maxDigits} digits`
    : '';

/** The error for a value that does not fit the type of its column. */
export const violationError = (violation: Violation, layout: Layout): ProcessError => {
  const found = columnOf(layout, violation.field);
  const column = found?.name ?? `field ${violation.field + 1}`;
  return {
    code: 'value',
    message: `Line ${violation.line}, column ${column}: the value does not fit type ${typeName(violation.physical)}${tooManyDigits(violation)}.`,
    line: violation.line,
    column,
    value: violation.value,
    ...existingType(found),
  };
};
