import type { Column, DataType } from './types.js';

/** Texts of the `$filter` language. */

const words = new Set(
  'and or not eq ne gt ge lt le in add sub mul div divby mod true false null asc desc'.split(' '),
);

/** A column's name as it is written in a filter; brackets where it could be read as something else. */
export const nameInFilter = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !words.has(name.toLowerCase()) && !/^\d*q[1-4]$/i.test(name)
    ? name
    : `[${name.replaceAll(']', ']]')}]`;

/** A filter or an order in which a column has another name; texts in quotes and names of functions are left as they are. */
export const withColumnRenamed = (text: string, from: string, to: string): string =>
  text.replace(
    /'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|[\p{L}_][\p{L}\p{N}_]*(?!\s*\(|[\p{L}\p{N}_])/gu,
    (word) =>
      word === nameInFilter(from) || word === `[${from.replaceAll(']', ']]')}]` ? nameInFilter(to) : word,
  );

/** A value as a literal of its column's type. */
const literal = (value: string, type: DataType): string =>
  type === 'String' ? `'${value.replaceAll("'", "''")}'` : value;

export type Comparison =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'contains'
  | 'startswith'
  | 'null'
  | 'notNull';

/** Comparisons of each type, in the order of the list. */
export const comparisons: Readonly<Record<DataType, readonly Comparison[]>> = {
  String: ['eq', 'ne', 'contains', 'startswith', 'null', 'notNull'],
  Decimal: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'null', 'notNull'],
  Date: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'null', 'notNull'],
};

/** One condition: a column, what is asked of it, and a value. */
export const condition = (
  column: Pick<Column, 'name' | 'dataType'>,
  comparison: Comparison,
  value = '',
): string => {
  const name = nameInFilter(column.name);
  switch (comparison) {
    case 'null':
      return `${name} eq null`;
    case 'notNull':
      return `${name} ne null`;
    case 'contains':
    case 'startswith':
      return `${comparison}(${name}, ${literal(value, 'String')})`;
    default:
      return `${name} ${comparison} ${literal(value.trim(), column.dataType)}`;
  }
};

/** Most columns that are searched for words, so that the filter can still be read. */
const mostSearched = 20;

/**
 * A filter for the rows that hold each of some words in one of their texts, whatever their case; undefined: what was
 * written is no plain words, or there is no text.
 */
export const wordsFilter = (
  written: string,
  columns: readonly Pick<Column, 'name' | 'dataType'>[],
): string | undefined => {
  const texts = columns.filter(({ dataType }) => dataType === 'String').slice(0, mostSearched);
  const found = written.toLowerCase().trim().split(/\s+/);
  const isPlain = found.every((word) => /^[\p{L}\p{N}.'’-]+$/u.test(word) && !words.has(word));
  if (!isPlain || texts.length === 0) return undefined;
  const holds = (word: string): string =>
    texts
      .map(({ name }) => `contains(tolower(${nameInFilter(name)}), ${literal(word, 'String')})`)
      .join(' or ');
  return found.length === 1 ? holds(found[0] ?? '') : found.map((word) => `(${holds(word)})`).join(' and ');
};

/** From a bar of a histogram; the last one holds its end. */
export const range = (
  column: Pick<Column, 'name'>,
  { from, to, isLast }: { from: string | number; to: string | number; isLast: boolean },
): string => {
  const name = nameInFilter(column.name);
  return `${name} ge ${from} and ${name} ${isLast ? 'le' : 'lt'} ${to}`;
};

/** Both of two filters; brackets where an `or` would take the other one in. */
export const both = (filter: string, more: string): string => {
  const trimmed = filter.trim();
  if (trimmed === '') return more;
  // An `or` inside of a text costs a pair of brackets that is not needed.
  return `${/\bor\b/i.test(trimmed) ? `(${trimmed})` : trimmed} and ${more}`;
};

const name = String.raw`\[(?:[^\]]|\]\])*\]|[\p{L}_][\p{L}\p{N}_]*`;
const value = String.raw`'(?:[^']|'')*'|(?!null\b)[^\s,()']+`;
const equals = new RegExp(`^(${name}) eq (${value})$`, 'u');
const isOneOf = new RegExp(`^(${name}) in \\(((?:${value})(?:,\\s*(?:${value}))*)\\)$`, 'u');

/** Conditions that a filter joins by `and`; the whole of it where an `or` is next to them. */
export const conditionsOf = (filter: string): readonly string[] => {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: word, index } of filter.matchAll(
    /'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|[()]|[\p{L}\p{N}_]+/gu,
  )) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (depth === 0 && word.toLowerCase() === 'or') return [filter.trim()];
    else if (depth === 0 && word.toLowerCase() === 'and') {
      found.push(filter.slice(from, index).trim());
      from = index + word.length;
    }
  }
  const all = [...found, filter.slice(from).trim()];
  return all.length === 1 && all[0] === '' ? [] : all;
};

/** A filter of such conditions. */
export const joined = (conditions: readonly string[]): string => conditions.join(' and ');

/** Values that a condition allows its column to have; undefined: it is no list of values. */
const valuesIn = (condition: string): { name: string; values: readonly string[] } | undefined => {
  const [, single, only] = equals.exec(condition) ?? [];
  if (single !== undefined && only !== undefined) return { name: single, values: [only] };
  const [, column, list] = isOneOf.exec(condition) ?? [];
  if (column === undefined || list === undefined) return undefined;
  return { name: column, values: list.match(new RegExp(value, 'gu')) ?? [] };
};

/**
 * A filter with what was clicked: a second value of a column is one more that rows may have, a value that was clicked
 * before is taken out again.
 */
export const toggled = (filter: string, clicked: string): string => {
  const wanted = valuesIn(clicked);
  const conditions = conditionsOf(filter);
  const at = wanted === undefined ? -1 : conditions.findIndex((one) => valuesIn(one)?.name === wanted.name);
  const before = valuesIn(conditions[at] ?? '');
  const [more] = wanted?.values ?? [];
  if (before === undefined || more === undefined) return both(filter, clicked);
  const values = before.values.includes(more)
    ? before.values.filter((one) => one !== more)
    : [...before.values, more];
  const condition =
    values.length === 1 ? `${before.name} eq ${values[0]}` : `${before.name} in (${values.join(', ')})`;
  return joined(
    conditions.flatMap((one, index) => (index !== at ? [one] : values.length === 0 ? [] : [condition])),
  );
};
