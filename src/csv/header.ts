import { invalid } from '../lib/errors.js';
import { firstItems, listed } from '../lib/listing.js';
import type { Steps } from '../lib/time-slicing.js';
import { maxColumnNameBytes, maxColumns } from '../model/column.js';
import { hasBidiControl } from '../model/names.js';
import { COMMA, QUOTE, TAB } from './bytes.js';
import { likelyDelimiters } from './dialect.js';
import { createFieldIndex } from './field-index.js';
import { indexRecords } from './record-parser.js';
import type { Dialect, HeaderRecord } from './types.js';

/** A header may be as long as the longest record, so it is read in steps: one pass over its bytes, or so many names. */
const namesPerStep = 500;

/** Number of fields of one record. */
const countFields = (bytes: Uint8Array, dialect: Dialect): number => {
  const index = createFieldIndex(dialect, 1, false);
  indexRecords(index, bytes, true);
  return index.malformed[0]?.fieldCount ?? index.rows;
};

/** Names in a header record, or undefined if a quote is malformed. */
function* readNames(bytes: Uint8Array, dialect: Dialect, fieldCount: number): Steps<string[] | undefined> {
  const index = createFieldIndex(dialect, Math.max(1, fieldCount), false);
  indexRecords(index, bytes, true);
  yield;
  if (index.rows === 0 || index.next < bytes.length) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const names: string[] = [];
  while (names.length < fieldCount) {
    const start = index.starts[names.length]!;
    const end = index.ends[names.length]!;
    const text = decoder.decode(bytes.subarray(start, end < start ? ~end : end));
    names.push(end < start ? text.replaceAll('""', '"') : text);
    if (names.length % namesPerStep === 0) yield;
  }
  return names;
}

const isEmptyName = (name: string): boolean => name.trim() === '';

/** True if every column of the header has a name. */
function* isNamed(header: Uint8Array, dialect: Dialect, fieldCount: number): Steps<boolean> {
  // Refused later, whatever its names are.
  if (fieldCount > maxColumns) return true;
  const names = yield* readNames(header, dialect, fieldCount);
  return names !== undefined && !names.some(isEmptyName);
}

/** True if the header uses tabs as padding, next to another candidate. */
const isPadded = (header: Buffer): boolean =>
  [',\t', '\t,', ';\t', '\t;'].some((pair) => header.includes(pair));

/** True if several delimiters are possible, so that the record after the header decides. */
export const isAmbiguous = (header: Uint8Array): boolean => likelyDelimiters(header).length > 1;

function* sniffDelimiter(header: Buffer, next: Uint8Array | undefined): Steps<number> {
  const likely = likelyDelimiters(header);
  yield;
  if (likely.length < 2) return likely[0] ?? COMMA;
  const tabs = likely.filter((byte) => byte === TAB);
  const others = likely.filter((byte) => byte !== TAB);
  const named: number[] = [];
  for (const delimiter of isPadded(header) ? [...others, ...tabs] : [...tabs, ...others]) {
    const dialect = { delimiter, quote: QUOTE };
    const fieldCount = countFields(header, dialect);
    yield;
    if (!(yield* isNamed(header, dialect, fieldCount))) continue;
    if (next === undefined || countFields(next, dialect) === fieldCount) return delimiter;
    named.push(delimiter);
  }
  return named[0] ?? likely[0] ?? COMMA;
}

/**
 * Reads the first record of a file as its header. If the dialect is unknown, tries the tab first (unless it is padding), then the candidates
 * by frequency, and takes the first that gives every column a name and both records the same number of fields, or else the first that gives
 * every column a name. If none does, takes the most frequent. A header without candidates is one column.
 * @param next The record after the header; undefined if there is none.
 */
export function* headerSteps(
  bytes: Buffer,
  line: number,
  known: Dialect | { readonly delimiter: number | undefined },
  next?: Uint8Array,
): Steps<HeaderRecord> {
  const delimiter = known.delimiter ?? (yield* sniffDelimiter(bytes, next));
  const dialect = { delimiter, quote: 'quote' in known ? known.quote : QUOTE };
  const fieldCount = countFields(bytes, dialect);
  yield;
  return { bytes, line, dialect, fieldCount };
}

/**
 * Names in a header record, exactly as in the file, including blanks at their ends.
 * @throws AppError for a name that is blank, too long or has bidirectional control characters, for duplicate names (all are
 *   listed), and for more columns than a dataset may have.
 */
export function* headerNames({ bytes, dialect, line, fieldCount }: HeaderRecord): Steps<string[]> {
  if (fieldCount > maxColumns) {
    throw invalid(
      'too_many_columns',
      `The file has ${fieldCount} columns; at most ${maxColumns} are allowed.`,
    );
  }
  const names = yield* readNames(bytes, dialect, fieldCount);
  if (names === undefined) {
    throw invalid('malformed_header', `Line ${line}: the header is malformed at a quote.`, { line });
  }
  yield* checkNames(names, line);
  return names;
}

function* checkNames(names: readonly string[], line: number): Steps<void> {
  const empty = names.flatMap((name, i) => (isEmptyName(name) ? [i + 1] : []));
  if (empty.length > 0) {
    const positions = listed(empty.map(String), 10);
    throw invalid('empty_column_name', `Line ${line}: column ${positions} of the header has no name.`, {
      line,
      positions: firstItems(empty),
    });
  }
  yield;
  const long = names.findIndex((name) => Buffer.byteLength(name) > maxColumnNameBytes);
  if (long >= 0) {
    throw invalid(
      'column_name_too_long',
      `Line ${line}: the name of column ${long + 1} is longer than ${maxColumnNameBytes} bytes.`,
      { line, position: long + 1, maxBytes: maxColumnNameBytes },
    );
  }
  yield;
  const bidi = names.findIndex(hasBidiControl);
  if (bidi >= 0) {
    throw invalid(
      'invalid_column_name',
      `Line ${line}: the name of column ${bidi + 1} contains bidirectional control characters.`,
      { line, position: bidi + 1 },
    );
  }
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) {
    if (seen.size % namesPerStep === 0) yield;
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
}
