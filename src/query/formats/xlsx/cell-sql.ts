import type { PhysicalType } from '../../../model/column.js';
import type { ColumnType } from '../../../model/column-types/column-type.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../../model/column-types/decimal.js';
import type { OutputColumn } from '../format.js';

/**
 * ClickHouse writes a row as one line of XML, so Node.js never parses rows. Every text is an inline string, so that no value
 * can become a formula.
 */

/** Index of the date style in `workbook.ts`. */
export const dateStyle = 1;

/** Days from 1899-12-30, which is Excel's day 0 for dates from March 1900 on, to 1970-01-01. */
const epochSerial = 25_569;
const daysIn400Years = 146_097;

/** Excel counts 29 February 1900, which did not exist, so earlier days are one less. */
const serial = (days: string): string => `(${days}) - if((${days}) < 61, 1, 0)`;

const controls = [...Array(0x20).keys()].filter((code) => code !== 0 && code !== 0x09 && code !== 0x0a);

const characters = (codes: readonly number[]): string =>
  codes.map((code) => `\\x${code.toString(16).padStart(2, '0')}`).join('');

/** Last hexadecimal digit of each control character. */
const lastDigits = controls.map((code) => (code % 16).toString(16).toUpperCase()).join('');

/**
 * Text that looks like an escape. Without the final underscore, which may begin the next escape or come from a control
 * character after it. Other texts with `_x`, such as names of variables, are not escaped: many readers do not unescape.
 */
const escapeLike = '_(x[0-9A-Fa-f]{4})';

/**
 * Escapes characters that XML does not allow, and texts that look like an escape, in the way Excel does. A control
 * character is first wrapped in its escape, and then translated to the last digit of it: one function per character would
 * make the analysis of a query with 1,000 columns take many seconds.
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

/** SQL arguments of `concat` for the address of a cell, such as `B7`. */
type CellAddress = string;

const escapedCell = (text: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '" t="inlineStr"><is><t xml:space="preserve">', ${text}, '</t></is></c>')`;

const textCell = (text: string, address: CellAddress): string => escapedCell(escapedText(text), address);

const numberCell = (text: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '"><v>', ${text}, '</v></c>')`;

const dateCell = (days: string, address: CellAddress): string =>
  `concat('<c r="', ${address}, '" s="${dateStyle}"><v>', toString(${serial(days)}), '</v></c>')`;

/** A number if a double represents the decimal exactly, otherwise its digits as text, which need no escapes. */
const decimalCell = (value: string, scale: number, address: CellAddress): string => {
  const digits = `toString(${value})`;
  const isExact = `toDecimal256OrNull(toString(toFloat64OrZero(${digits})), ${scale}) = ${value}`;
  return `if(${isExact}, ${numberCell(digits, address)}, ${escapedCell(digits, address)})`;
};

/** For dates outside of Date32, as `YYYY-MM-DD`. Dates from 2300 on are shifted by 400-year cycles of the calendar. */
const textDateCell = (text: string, address: CellAddress): string => {
  const year = `toUInt16OrZero(substring(${text}, 1, 4))`;
  const cycles = `intDiv(${year} - 1900, 400)`;
  const shifted = `toDate32OrZero(concat(toString(${year} - 400 * ${cycles}), substring(${text}, 5)))`;
  const days = `toInt32(${shifted}) + ${epochSerial} + ${daysIn400Years} * ${cycles}`;
  return `if(${year} < 1900, ${escapedCell(text, address)}, ${dateCell(days, address)})`;
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

/** Cell of a nullable value; a null has no cell. */
export const nullableCellXml = (sql: string, physical: PhysicalType, address: CellAddress): string =>
  `if((${sql}) IS NULL, '', ${cells[columnTypeOf(physical).sheet](`assumeNotNull(${sql})`, address, physical)})`;

/** `A`, `B`, … `XFD` for indexes from 0. */
export const columnLetters = (index: number): string => {
  const rest = Math.floor(index / 26) - 1;
  return `${rest < 0 ? '' : columnLetters(rest)}${String.fromCharCode(65 + (index % 26))}`;
};

const maxRows = 1_048_575;
/** A sheet is a ZIP entry of less than 4 GiB. */
const maxBytes = 4_000_000_000;
/** Bytes of XML of a number or a date. */
const valueBytes = 80;
/** Bytes of XML of a text of 120 bytes. A sheet of longer ones may exceed its bytes, which breaks the download at its end. */
const textBytes = 200;

/** Rows of a sheet below its header. @param texts number of the columns that have texts */
export const rowsPerSheet = (columns: number, texts: number): number => {
  const bytes = valueBytes * (columns - texts) + textBytes * texts;
  return Math.max(1, Math.min(maxRows, Math.floor(maxBytes / Math.max(1, bytes))));
};

/** Columns with cells of text; decimals that no double represents are text too. */
const textSheets: ReadonlySet<ColumnType['sheet']> = new Set(['text', 'exactNumber']);

export const rowsPerSheetOf = (columns: readonly Pick<OutputColumn, 'physical'>[]): number =>
  rowsPerSheet(
    columns.length,
    columns.filter(({ physical }) => textSheets.has(columnTypeOf(physical).sheet)).length,
  );

/** Row number within its sheet, as text; the header is row 1. Use only directly above a sorted subquery. */
export const sheetRowSql = (rowsOfSheet: number, before: number): string =>
  `toString((rowNumberInAllBlocks() + ${before}) % ${rowsOfSheet} + 2)`;

/** Selects each row as one line of XML. Rows are numbered outside of the subquery, where they are already sorted. */
export const sheetSql = (columns: readonly OutputColumn[], fromAndTail: string): string => {
  const inner = columns.map(({ sql }, index) => `${sql} AS x${index}`).join(',\n');
  const cells = columns.map(({ physical }, index) =>
    nullableCellXml(`x${index}`, physical, `'${columnLetters(index)}', n`),
  );
  const rowNumber = sheetRowSql(rowsPerSheetOf(columns), 0);
  return `SELECT concat('<row r="', n, '">', ${cells.join(',\n')}, '</row>')
FROM (SELECT *, ${rowNumber} AS n FROM (SELECT ${inner}\n${fromAndTail}))`;
};
