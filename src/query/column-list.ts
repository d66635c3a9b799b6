import { type AppError, invalid } from '../lib/errors.js';
import { firstItems, listed } from '../lib/listing.js';
import { nearest } from '../lib/nearest.js';
import { weakMemo } from '../lib/weak-memo.js';
import { maxColumns, type StoredColumn } from '../model/column.js';
import { createColumnNames } from '../model/column-names.js';
import { quotedEnd } from './quoted-end.js';

/**
 * An item of a comma-separated list of columns in `$select` or `$orderby`:
 *   a name        may contain spaces
 *   "a name"      quotes inside are doubled; needed for names that contain a comma
 *   [a name]      closing brackets inside are doubled
 *   12            the id of a column, unless a column has this name
 */
interface ListItem {
  /** Trimmed text, or the unquoted name. */
  readonly text: string;
  /** Untrimmed text, since blanks at its ends may be part of a name. Equals `text` for a quoted item. */
  readonly whole: string;
  /** The original text of a quoted item, which is a name and never an id. */
  readonly quoted: string | undefined;
  /** Text after a quoted name, such as `desc`. */
  readonly rest: string;
}

const closers: Readonly<Record<string, string>> = { '"': '"', '[': ']' };

const maxItems = 2 * maxColumns;

const requireFewItems = (option: string, count: number): void => {
  if (count <= maxItems) return;
  throw invalid('too_complex', `${option} names more than ${maxItems} columns.`, { limit: maxItems });
};

/** Splits at the commas outside quotes. */
const splitList = (option: string, text: string): ListItem[] => {
  const items: ListItem[] = [];
  let at = 0;
  while (at <= text.length) {
    const from = at;
    while (/\s/.test(text[at] ?? '')) at += 1;
    const closer = closers[text[at] ?? ''];
    let name: string | undefined;
    const start = at;
    if (closer !== undefined) [name, at] = quotedName(option, text, at, closer);
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    const tail = text.slice(at, end).trim();
    if (name === undefined && tail === '') throw invalid('bad_option', `${option} has an empty item.`);
    items.push(
      name === undefined
        ? { text: tail, whole: text.slice(from, end), quoted: undefined, rest: '' }
        : { text: name, whole: name, quoted: text.slice(start, at), rest: tail },
    );
    requireFewItems(option, items.length);
    at = end + 1;
  }
  return items;
};

const quotedName = (option: string, text: string, start: number, closer: string): [string, number] => {
  const end = quotedEnd(text, start, closer);
  if (end >= 0) return [text.slice(start + 1, end).replaceAll(closer + closer, closer), end + 1];
  throw invalid('bad_option', `${option}: the ${text[start]} at character ${start + 1} is not closed.`);
};

/** Finds columns by name or id. */
interface ColumnIndex {
  /** @param written includes the quotes or brackets, which may be part of the name */
  byQuoted(name: string, written: string): StoredColumn | undefined;
  /** Tries an exact name, then a column id, then a name without the blanks at its ends. */
  byText(text: string, whole?: string): StoredColumn | undefined;
  readonly names: readonly string[];
}

/** Cached with the version's columns, of which there may be thousands. */
const indexOf = weakMemo((columns: readonly StoredColumn[]): ColumnIndex => {
  const names = new Map(columns.map((column) => [column.name, column]));
  const ids = new Map(columns.flatMap((column) => (column.id > 0 ? [[String(column.id), column]] : [])));
  const trimmed = createColumnNames(columns);
  return {
    byQuoted: (name, written) => names.get(name) ?? names.get(written) ?? trimmed.find(name),
    byText: (text, whole = text) =>
      names.get(whole) ?? names.get(text) ?? ids.get(text) ?? trimmed.find(text),
    names: [...names.keys()],
  };
});

const excerpt = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** One error for all unknown columns of a list. */
const unknownColumns = (option: string, unknown: readonly string[], index: ColumnIndex): AppError => {
  const names = [...new Set(unknown)];
  const near = names.length === 1 ? nearest(names[0]!, index.names) : undefined;
  const hint = near === undefined ? '' : ` Did you mean ${excerpt(near)}?`;
  return invalid(
    'unknown_column',
    `Invalid column names: ${listed(names.map(excerpt))} (${option}).${hint}`,
    { columns: firstItems(names).map(excerpt), count: names.length },
  );
};

/** Columns of `$select` in its order, without duplicates. */
export const selectedColumns = (
  select: string | readonly string[],
  columns: readonly StoredColumn[],
): StoredColumn[] => {
  const index = indexOf(columns);
  if (typeof select !== 'string') requireFewItems('$select', select.length);
  const items =
    typeof select === 'string'
      ? splitList('$select', select)
      : select.map((text) => ({ text, whole: text, quoted: undefined, rest: '' }));
  const found = new Set<StoredColumn>();
  const unknown: string[] = [];
  for (const item of items) {
    if (item.rest !== '') {
      throw invalid(
        'bad_option',
        `$select: expected a comma after ${excerpt(item.text)}, found ${excerpt(item.rest)}.`,
      );
    }
    const column =
      item.quoted === undefined
        ? index.byText(item.text, item.whole)
        : index.byQuoted(item.text, item.quoted);
    if (column === undefined) unknown.push(item.text);
    else found.add(column);
  }
  if (unknown.length > 0) throw unknownColumns('$select', unknown, index);
  return [...found];
};

export interface OrderTerm {
  readonly column: StoredColumn;
  readonly descending: boolean;
}

/** An unquoted item is tried as a column name first: a column may be named `price desc`. */
const orderTerm = (item: ListItem, index: ColumnIndex): OrderTerm | string => {
  if (item.quoted !== undefined) {
    const column = index.byQuoted(item.text, item.quoted);
    if (column === undefined) return item.text;
    if (!/^(asc|desc)?$/i.test(item.rest)) {
      throw invalid(
        'bad_option',
        `$orderby: expected asc or desc after ${excerpt(item.text)}, found ${excerpt(item.rest)}.`,
      );
    }
    return { column, descending: item.rest.toLowerCase() === 'desc' };
  }
  const whole = index.byText(item.text, item.whole);
  if (whole !== undefined) return { column: whole, descending: false };
  const parts = /^(.*\S)\s+(asc|desc)$/is.exec(item.text);
  const column = parts === null ? undefined : index.byText(parts[1]!);
  if (column === undefined) return parts?.[1] ?? item.text;
  return { column, descending: parts?.[2]?.toLowerCase() === 'desc' };
};

export const orderTerms = (orderBy: string, columns: readonly StoredColumn[]): OrderTerm[] => {
  const index = indexOf(columns);
  const terms = new Map<StoredColumn, OrderTerm>();
  const unknown: string[] = [];
  for (const item of splitList('$orderby', orderBy)) {
    const term = orderTerm(item, index);
    if (typeof term === 'string') unknown.push(term);
    else if (!terms.has(term.column)) terms.set(term.column, term);
  }
  if (unknown.length > 0) throw unknownColumns('$orderby', unknown, index);
  return [...terms.values()];
};
