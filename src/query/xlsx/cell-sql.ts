import { decimalShapeOf, type PhysicalType } from '../../model/column.js';
import type { OutputColumn } from '../projection.js';
import { quoteText } from '../sql-text.js';

/**
 * Cells of a sheet as ClickHouse writes them: a row is one line of XML, so that rows never become objects here.
 * Every text is an inline string: nothing that a value holds can be a formula.
 */
const emptyCell = '<c/>';

/** Style of dates in the workbook (see `workbook.ts`). */
export const dateStyle = 1;

/** Days from 1899-12-30, Excel's day 0 from March 1900 on, to 1970-01-01. */
const epochSerial = 25_569;
const daysIn400Years = 146_097;

/** Excel counts a 29 February 1900 that never was: earlier days are one less. */
const serial = (days: string): string => `(${days}) - if((${days}) < 61, 1, 0)`;

const controls = [...Array(0x20).keys()].filter((code) => code !== 0 && code !== 0x09 && code !== 0x0a);

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

/** Characters that XML can not hold, written as Excel does, and texts that look like such an escape. */
const escapedControls = (text: string): string => {
  const marked = `replaceAll(${text}, '_x', '_x005F_x')`;
  const replaced = controls.reduce(
    (sql, code) => `replaceAll(${sql}, char(${code}), '_x${hex(code)}_')`,
    marked,
  );
  return `replaceAll(replaceAll(${replaced}, '\\xEF\\xBF\\xBE', '_xFFFE_'), '\\xEF\\xBF\\xBF', '_xFFFF_')`;
};

const unusual = "'[\\\\x01-\\\\x08\\\\x0b-\\\\x1f]|_x|\\\\x{FFFE}|\\\\x{FFFF}'";

const escapedText = (text: string): string =>
  `replaceAll(encodeXMLComponent(if(match(${text}, ${unusual}), ${escapedControls(text)}, ${text})), '\\n', '&#10;')`;

const textCell = (text: string): string =>
  `concat('<c t="inlineStr"><is><t xml:space="preserve">', ${escapedText(text)}, '</t></is></c>')`;

const numberCell = (text: string): string => `concat('<c><v>', ${text}, '</v></c>')`;

const dateCell = (days: string): string =>
  `concat('<c s="${dateStyle}"><v>', toString(${serial(days)}), '</v></c>')`;

/** A number where a double is exactly this decimal, else its digits as text. */
const decimalCell = (sql: string, scale: number): string => {
  const asDouble = `toString(toFloat64OrZero(toString(assumeNotNull(${sql}))))`;
  const isExact = `toDecimal256OrNull(${asDouble}, ${scale}) = assumeNotNull(${sql})`;
  return `if(${isExact}, ${numberCell(`toString(assumeNotNull(${sql}))`)}, ${textCell(`toString(assumeNotNull(${sql}))`)})`;
};

/** A date kept as text lies outside of Date32: from 2300 on it is moved by whole cycles of the calendar. */
const textDateCell = (sql: string): string => {
  const text = `assumeNotNull(${sql})`;
  const year = `toUInt16OrZero(substring(${text}, 1, 4))`;
  const cycles = `intDiv(${year} - 1900, 400)`;
  const moved = `toDate32OrZero(concat(toString(${year} - 400 * ${cycles}), substring(${text}, 5)))`;
  return `if(${year} < 1900, ${textCell(text)}, ${dateCell(`toInt32(${moved}) + ${epochSerial} + ${daysIn400Years} * ${cycles}`)})`;
};

const cellOf = (sql: string, physical: PhysicalType): string => {
  switch (physical) {
    case 's':
      return textCell(`assumeNotNull(${sql})`);
    case 'd':
      return dateCell(`toInt32(assumeNotNull(${sql})) + ${epochSerial}`);
    case 't':
      return textDateCell(sql);
    case 'f':
      return numberCell(`toString(assumeNotNull(${sql}))`);
    default:
      return decimalCell(sql, decimalShapeOf(physical)?.scale ?? 0);
  }
};

/** The cell of a value that may be null. */
export const nullableCellXml = (sql: string, physical: PhysicalType): string =>
  `if((${sql}) IS NULL, ${quoteText(emptyCell)}, ${cellOf(sql, physical)})`;

/** The list of a SELECT that gives each row as one line of XML. */
export const rowXmlSql = (columns: readonly OutputColumn[]): string =>
  `concat('<row>', ${columns.map(({ sql, physical }) => nullableCellXml(sql, physical)).join(',\n')}, '</row>') AS row`;
