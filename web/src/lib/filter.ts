import type { Column, DataType } from './types.js';

const words = new Set(
  'and or not eq ne gt ge lt le in add sub mul div divby mod true false null asc desc'.split(' '),
);

/** A column name for a filter, in brackets if it could be parsed as something else. */
export const nameInFilter = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !words.has(name.toLowerCase()) && !/^\d*q[1-4]$/i.test(name)
    ? name
    : `[${name.replaceAll(']', ']]')}]`;

/** Renames a column in a filter or order, but not inside quoted texts or in function names. */
export const withColumnRenamed = (text: string, from: string, to: string): string =>
  text.replace(
    /'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|[\p{L}_][\p{L}\p{N}_]*(?!\s*\(|[\p{L}\p{N}_])/gu,
    (word) =>
      word === nameInFilter(from) || word === `[${from.replaceAll(']', ']]')}]` ? nameInFilter(to) : word,
  );

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

/** Comparisons per type, in the order of the menu. */
export const comparisons: Readonly<Record<DataType, readonly Comparison[]>> = {
  String: ['eq', 'ne', 'contains', 'startswith', 'null', 'notNull'],
  Decimal: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'null', 'notNull'],
  Date: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'null', 'notNull'],
};

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

/** Limited so that the filter stays readable. */
const maxSearched = 20;

/**
 * A filter for rows whose text columns contain all of the words, ignoring case; undefined if the input is not plain words,
 * or there is no text column.
 */
export const wordsFilter = (
  written: string,
  columns: readonly Pick<Column, 'name' | 'dataType'>[],
): string | undefined => {
  const texts = columns.filter(({ dataType }) => dataType === 'String').slice(0, maxSearched);
  const found = written.toLowerCase().trim().split(/\s+/);
  const isPlain = found.every((word) => /^[\p{L}\p{N}.'’-]+$/u.test(word) && !words.has(word));
  if (!isPlain || texts.length === 0) return undefined;
  const contains = (word: string): string =>
    texts
      .map(({ name }) => `contains(tolower(${nameInFilter(name)}), ${literal(word, 'String')})`)
      .join(' or ');
  return found.length === 1
    ? contains(found[0] ?? '')
    : found.map((word) => `(${contains(word)})`).join(' and ');
};

/** Condition for a bar of a histogram. Only the last bar includes its upper bound. */
export const range = (
  column: Pick<Column, 'name'>,
  { from, to, isLast }: { from: string | number; to: string | number; isLast: boolean },
): string => {
  const name = nameInFilter(column.name);
  return `${name} ge ${from} and ${name} ${isLast ? 'le' : 'lt'} ${to}`;
};

/** Joins two filters with `and`, with parentheses if the first one may contain `or`. */
export const both = (filter: string, more: string): string => {
  const trimmed = filter.trim();
  if (trimmed === '') return more;
  // An `or` inside a quoted text only costs unnecessary parentheses.
  return `${/\bor\b/i.test(trimmed) ? `(${trimmed})` : trimmed} and ${more}`;
};

const name = String.raw`\[(?:[^\]]|\]\])*\]|[\p{L}_][\p{L}\p{N}_]*`;
const value = String.raw`'(?:[^']|'')*'|(?!null\b)[^\s,()']+`;
const equals = new RegExp(`^(${name}) eq (${value})$`, 'u');
const isOneOf = new RegExp(`^(${name}) in \\(((?:${value})(?:,\\s*(?:${value}))*)\\)$`, 'u');

/** Operands of the top-level `and`; the whole filter as one if there is an `or` at that level. */
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

export const joined = (conditions: readonly string[]): string => conditions.join(' and ');

/** Values of a condition with `eq` or `in`; undefined for other conditions. */
const valuesIn = (condition: string): { name: string; values: readonly string[] } | undefined => {
  const [, single, only] = equals.exec(condition) ?? [];
  if (single !== undefined && only !== undefined) return { name: single, values: [only] };
  const [, column, list] = isOneOf.exec(condition) ?? [];
  if (column === undefined || list === undefined) return undefined;
  return { name: column, values: list.match(new RegExp(value, 'gu')) ?? [] };
};

/**
 * Adds a clicked condition to the filter, or removes it if it was clicked before. A second value of the same column becomes
 * an alternative.
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
