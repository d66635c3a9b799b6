import { type AppError, invalid } from '../lib/errors.js';
import { firstItems, listed } from '../lib/listing.js';
import { nearest } from '../lib/nearest.js';
import { maxColumns, type StoredColumn } from '../model/column.js';
import { createColumnNames } from '../model/column-names.js';

/**
 * Lists of columns as `$select` and `$orderby` write them, separated by commas. An item is
 *   a name        as it is, spaces included
 *   "a name"      quotes doubled inside; the form for names that hold a comma
 *   [a name]      closing brackets doubled inside
 *   12            the id of a column, unless a column is called so
 */
interface ListItem {
  /** The text as written, for messages. */
  readonly text: string;
  /** The same with blanks at its ends, which may be part of a name; of a quoted item the quoted text. */
  readonly whole: string;
  /** A quoted item as it was written: it is a name, never an id. */
  readonly quoted: string | undefined;
  /** Text after a quoted name or after the last blank of a bare one, such as `desc`. */
  readonly rest: string;
}

const closers: Readonly<Record<string, string>> = { '"': '"', '[': ']' };

/** Twice as many as a dataset has columns: more items than this name nothing new. */
const mostItems = 2 * maxColumns;

const requireFewItems = (option: string, count: number): void => {
  if (count <= mostItems) return;
  throw invalid('too_complex', `${option} names more than ${mostItems} columns.`, { limit: mostItems });
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
  let end = text.indexOf(closer, start + 1);
  while (end >= 0 && text[end + 1] === closer) end = text.indexOf(closer, end + 2);
  if (end >= 0) return [text.slice(start + 1, end).replaceAll(closer + closer, closer), end + 1];
  throw invalid('bad_option', `${option}: the ${text[start]} at character ${start + 1} is not closed.`);
};

/** Finds columns by name or id. */
interface ColumnIndex {
  /** A quoted item; a header may hold the quotes or brackets themselves. */
  byQuoted(name: string, written: string): StoredColumn | undefined;
  /** An unquoted item: a name, otherwise an id of this dataset, otherwise a name without the blanks at its ends. */
  byText(text: string, whole?: string): StoredColumn | undefined;
  readonly names: readonly string[];
}

/** Indexes of versions that are in use: thousands of columns are not to be gone through for each request. */
const indexes = new WeakMap<readonly StoredColumn[], ColumnIndex>();

const indexOf = (columns: readonly StoredColumn[]): ColumnIndex => {
  const known = indexes.get(columns);
  if (known !== undefined) return known;
  const index = createColumnIndex(columns);
  indexes.set(columns, index);
  return index;
};

const createColumnIndex = (columns: readonly StoredColumn[]): ColumnIndex => {
  const names = new Map(columns.map((column) => [column.name, column]));
  const ids = new Map(columns.flatMap((column) => (column.id > 0 ? [[String(column.id), column]] : [])));
  const trimmed = createColumnNames(columns);
  return {
    byQuoted: (name, written) => names.get(name) ?? names.get(written) ?? trimmed.find(name),
    byText: (text, whole = text) =>
      names.get(whole) ?? names.get(text) ?? ids.get(text) ?? trimmed.find(text),
    names: [...names.keys()],
  };
};

const excerpt = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** One error for all columns that a list names and the dataset lacks. */
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

/** Columns that `$select` names, in its order, each once. */
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

/** A bare item is first tried as a name as a whole: a column may be called `price desc`. */
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
