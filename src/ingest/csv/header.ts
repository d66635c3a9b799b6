import { invalid } from '../../lib/errors.js';
import { firstItems, listed } from '../../lib/listing.js';
import { maxColumnNameBytes, maxColumns } from '../../model/column.js';
import { COMMA, QUOTE } from './bytes.js';
import { likelyDelimiters } from './dialect.js';
import { createFieldIndex } from './field-index.js';
import { indexRecords } from './record-parser.js';
import type { Dialect, HeaderRecord } from './types.js';

/** Number of fields of one record. */
export const countFields = (bytes: Uint8Array, dialect: Dialect): number => {
  const index = createFieldIndex(dialect, 1);
  indexRecords(index, bytes, true);
  return index.malformed[0]?.fieldCount ?? index.rows;
};

/** The names in a header record, or undefined where it is malformed at a quote. */
const readNames = (bytes: Uint8Array, dialect: Dialect): string[] | undefined => {
  const fieldCount = countFields(bytes, dialect);
  const index = createFieldIndex(dialect, Math.max(1, fieldCount));
  indexRecords(index, bytes, true);
  if (index.rows === 0 || index.next < bytes.length) return undefined;
  return Array.from({ length: fieldCount }, (_, field) => {
    const end = index.ends[field]!;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      bytes.subarray(index.starts[field], end < index.starts[field]! ? ~end : end),
    );
    return end < index.starts[field]! ? text.replaceAll('""', '"') : text;
  });
};

const isEmptyName = (name: string): boolean => name.trim() === '';

/**
 * The delimiter of a file by its header record: the most frequent one that leaves no column without a name
 * (commas in a header that is padded with tabs), else the most frequent one. A header without any is one column,
 * read with commas. Only the header counts: a wrong guess makes rows of another length, which are refused, never
 * read wrongly.
 */
export const sniffDelimiter = (header: Uint8Array): number => {
  const likely = likelyDelimiters(header);
  if (likely.length < 2) return likely[0] ?? COMMA;
  const named = likely.find((delimiter) => {
    const names = readNames(header, { delimiter, quote: QUOTE });
    return names !== undefined && !names.some(isEmptyName);
  });
  return named ?? likely[0] ?? COMMA;
};

/**
 * The names in a header record, exactly as they stand in the file, blanks at their ends included. Throws an
 * AppError for an empty name (nothing but blanks), for one that is too long, for names that occur twice (all of
 * them are listed), and for more columns than a dataset may have.
 */
export const parseHeader = (header: HeaderRecord): string[] => {
  const { bytes, dialect, line } = header;
  const fieldCount = countFields(bytes, dialect);
  if (fieldCount > maxColumns) {
    throw invalid(
      'too_many_columns',
      `The file has ${fieldCount} columns; at most ${maxColumns} are allowed.`,
    );
  }
  const names = readNames(bytes, dialect);
  if (names === undefined) {
    throw invalid('malformed_header', `Line ${line}: the header is malformed at a quote.`, { line });
  }
  checkNames(names, line);
  return names;
};

const checkNames = (names: readonly string[], line: number): void => {
  const empty = names.flatMap((name, i) => (isEmptyName(name) ? [i + 1] : []));
  if (empty.length > 0) {
    const positions = listed(empty.map(String), 10);
    throw invalid('empty_column_name', `Line ${line}: column ${positions} of the header has no name.`, {
      line,
      positions: firstItems(empty),
    });
  }
  const long = names.findIndex((name) => Buffer.byteLength(name) > maxColumnNameBytes);
  if (long >= 0) {
    throw invalid(
      'column_name_too_long',
      `Line ${line}: the name of column ${long + 1} is longer than ${maxColumnNameBytes} bytes.`,
      { line, position: long + 1, maxBytes: maxColumnNameBytes },
    );
  }
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  if (twice.size > 0) {
    const list = listed([...twice].map((name) => `"${name}"`));
    throw invalid('duplicate_column_name', `Line ${line}: the header names more than one column ${list}.`, {
      line,
      names: firstItems([...twice]),
    });
  }
};
