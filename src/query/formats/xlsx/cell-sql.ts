import type { PhysicalType } from '../../../model/column.js';
import type { ColumnType } from '../../../model/column-types/column-type.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../../model/column-types/decimal.js';
import type { OutputColumn } from '../format.js';

/**
 * Cells of a sheet as ClickHouse writes them: a row is one line of XML, so that rows never become objects here.
 * Every text is an inline string: nothing that a value holds can be a formula.
 */
/** Style of dates in the workbook (see `workbook.ts`). */
export const dateStyle = 1;

/** Days from 1899-12-30, Excel's day 0 from March 1900 on, to 1970-01-01. */
const epochSerial = 25_569;
const daysIn400Years = 146_097;

/** Excel counts a 29 February 1900 that never was: earlier days are one less. */
const serial = (days: string): string => `(${days}) - if((${days}) < 61, 1, 0)`;

const controls = [...Array(0x20).keys()].filter((code) => code !== 0 && code !== 0x09 && code !== 0x0a);

const characters = (codes: readonly number[]): string =>
  codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('');

/** The last hexadecimal digit of each. */
const lastDigits = controls.map((code) => (code % 16).toString(16).toUpperCase()).join('');

/**
 * Text that looks like an escape. The underscore at its end is left out: it may begin the next one, or come from a
 * control character behind it. Other texts with `_x`, such as names of variables, stay as they are: many readers
 * do not undo escapes.
 */
const escapeLike = '_(x[0-9A-Fa-f]{4})';

/**
 * Characters that XML cannot hold, written as Excel does, and texts that look like such an escape. A control
 * character is put between the ends of its escape, and then becomes the last digit in it: a function for each of
 * the thirty would make the analysis of a query with 1,000 columns take many seconds.
 */
const escapedControls = (text: string): string => {
  const marked = `replaceRegexpAll(${text}, '${escapeLike}', '_x005F_\\\\1')`;
  const low = `replaceRegexpAll(${marked}, '([\\\\x01-\\\\x08\\\\x0b-\\\\x0f])', '_x000\\\\1_')`;
  const high = `replaceRegexpAll(${low}, '([\\\\x10-\\\\x1f])', '_x001\\\\1_')`;
  const replaced = `translate(${high}, '${characters(controls)}', '${lastDigits}')`;
  return `replaceAll(replaceAll(${replaced}, '\\xEF\\xBF\\xBE', '_xFFFE_'), '\\xEF\\xBF\\xBF', '_xFFFF_')`;
};

const unusual = `'[\\\\x01-\\\\x08\\\\x0b-\\\\x1f]|${escapeLike}|\\\\x{FFFE}|\\\\x{FFFF}'`;

const escapedText = (text: string): string =>
  `replaceAll(encodeXMLComponent(if(match(${text}, ${unusual}), ${escapedControls(text)}, ${text})), '\\n', '&#10;')`;

/** SQL arguments of `concat` that give the address of a cell, such as `B7`. */
type CellAddress = string;

const textCell = (text: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '" t="inlineStr"><is><t xml:space="preserve">', ${escapedText(text)}, '</t></is></c>')`;

const numberCell = (text: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '"><v>', ${text}, '</v></c>')`;

const dateCell = (days: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '" s="${dateStyle}"><v>', toString(${serial(days)}), '</v></c>')`;

/** A number where a double is exactly this decimal, else its digits as text. */
const decimalCell = (value: string, scale: number, address: CellAddress): string => {
  const digits = `toString(${value})`;
  const isExact = `toDecimal256OrNull(toString(toFloat64OrZero(${digits})), ${scale}) = ${value}`;
  return `if(${isExact}, ${numberCell(digits, address)}, ${textCell(digits, address)})`;
};

/** A date kept as text is outside of Date32: from 2300 on it is moved by whole cycles of the calendar. */
const textDateCell = (text: string, address: CellAddress): string => {
  const year = `toUInt16OrZero(substring(${text}, 1, 4))`;
  const cycles = `intDiv(${year} - 1900, 400)`;
  const moved = `toDate32OrZero(concat(toString(${year} - 400 * ${cycles}), substring(${text}, 5)))`;
  const days = `toInt32(${moved}) + ${epochSerial} + ${daysIn400Years} * ${cycles}`;
  return `if(${year} < 1900, ${textCell(text, address)}, ${dateCell(days, address)})`;
};

const cells: Readonly<
  Record<ColumnType['sheet'], (value: string, address: CellAddress, physical: PhysicalType) => string>
> = {
  text: textCell,
  day: (value, address) => dateCell(`toInt32(${value}) + ${epochSerial}`, address),
  dayText: textDateCell,
  number: (value, address) => numberCell(`toString(${value})`, address),
  exactNumber: (value, address, physical) =>
    decimalCell(value, decimalShapeOf(physical)?.scale ?? 0, address),
};

/** The cell of a value that may be null, which is no cell. */
export const nullableCellXml = (sql: string, physical: PhysicalType, address: CellAddress): string =>
  `if((${sql}) IS NULL, '', ${cells[columnTypeOf(physical).sheet](`assumeNotNull(${sql})`, address, physical)})`;

/** `A`, `B`, … `XFD` for places from 0. */
export const columnLetters = (place: number): string => {
  const rest = Math.floor(place / 26) - 1;
  return `${rest < 0 ? '' : columnLetters(rest)}${String.fromCharCode(65 + (place % 26))}`;
};

/** Rows of a sheet below its header; more are on further sheets. */
export const rowsPerSheet = (columns: number): number =>
  Math.max(1, Math.min(mostRows, Math.floor(mostCells / Math.max(1, columns))));

const mostRows = 1_048_575;
/** Sheets are entries of an archive, which hold less than 4 GiB each. */
const mostCells = 50_000_000;

/** Number of a row in its sheet, as text; the header is row 1. Only right above a sorted subquery. */
export const sheetRowSql = (rowsOfSheet: number, before: number): string =>
  `toString((rowNumberInAllBlocks() + ${before}) % ${rowsOfSheet} + 2)`;

/**
 * The query that gives each row as one line of XML. The rows are numbered where they have their order already:
 * outside of the subquery.
 */
export const sheetSql = (columns: readonly OutputColumn[], fromAndTail: string): string => {
  const inner = columns.map(({ sql }, index) => `${sql} AS x${index}`).join(',\n');
  const cells = columns.map(({ physical }, index) =>
    nullableCellXml(`x${index}`, physical, `'${columnLetters(index)}', n`),
  );
  const rowNumber = sheetRowSql(rowsPerSheet(columns.length), 0);
  return `SELECT concat('<row r="', n, '">', ${cells.join(',\n')}, '</row>')
FROM (SELECT *, ${rowNumber} AS n FROM (SELECT ${inner}\n${fromAndTail}))`;
};
