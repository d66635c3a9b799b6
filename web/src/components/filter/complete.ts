import { nameInFilter } from '../../lib/filter.js';
import type { Column } from '../../lib/types.js';

/** Possible continuations of a filter, and the part of the text that they replace. */
export type Suggestions =
  | { readonly kind: 'words'; readonly from: number; readonly items: readonly string[] }
  | { readonly kind: 'values'; readonly from: number; readonly column: Column; readonly startsWith: string };

const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in ('];
const functions = [
  'contains(',
  'startswith(',
  'endswith(',
  'tolower(',
  'length(',
  'year(',
  'quarter(',
  'month(',
  'startofmonth(',
  'round(',
];
const most = 12;

/** Start of the text that is being typed: after the last opening quote that is not closed. */
const openQuote = (text: string): number => {
  let open = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "'") continue;
    // Doubled, it is part of the text.
    if (open !== -1 && text[at + 1] === "'") at += 1;
    else open = open === -1 ? at : -1;
  }
  return open;
};

/** The column whose name, as a filter writes it, ends the text; the longest one. */
const columnBefore = (text: string, columns: readonly Column[]): Column | undefined => {
  const before = text.trimEnd();
  const found = columns.filter(({ name }) => {
    const written = [nameInFilter(name), name].find((form) => before.endsWith(form));
    return written !== undefined && !/[\p{L}\p{N}_]/u.test(before[before.length - written.length - 1] ?? ' ');
  });
  return found.sort((a, b) => b.name.length - a.name.length)[0];
};

const holds = (name: string, part: string): boolean => name.toLowerCase().includes(part);

/** @param text The filter up to the caret. */
export const suggest = (text: string, columns: readonly Column[]): Suggestions | undefined => {
  const quote = openQuote(text);
  if (quote !== -1) {
    const before = text
      .slice(0, quote)
      .replace(/(?:\b(?:eq|ne|gt|ge|lt|le)\s*|\bin\s*\([^)]*|,\s*)$/i, '')
      .replace(/\bin\s*\([^)]*$/i, '');
    const column = columnBefore(before, columns);
    if (column === undefined) return undefined;
    return { kind: 'values', from: quote, column, startsWith: text.slice(quote + 1).replaceAll("''", "'") };
  }
  const [part = ''] = /[\p{L}\p{N}_[][\p{L}\p{N}_]*$/u.exec(text) ?? [];
  const from = text.length - part.length;
  const before = text.slice(0, from).trimEnd();
  const wanted = part.replace('[', '').toLowerCase();
  const isBehindColumn = columnBefore(before, columns) !== undefined;
  if (isBehindColumn) {
    const items = operators.filter((word) => word.startsWith(wanted));
    return items.length === 0 ? undefined : { kind: 'words', from, items };
  }
  const isBehindValue = /(?:'|\d|\)|\bnull|\btrue|\bfalse)$/.test(before);
  if (isBehindValue) {
    const items = ['and ', 'or '].filter((word) => word.startsWith(wanted));
    return items.length === 0 ? undefined : { kind: 'words', from, items };
  }
  if (part === '' && !/(?:^|\(|\band|\bor|\bnot)$/i.test(before)) return undefined;
  const names = columns.filter(({ name }) => holds(name, wanted)).map(({ name }) => `${nameInFilter(name)} `);
  const starting = names.filter((name) => name.toLowerCase().replace('[', '').startsWith(wanted));
  const rest = names.filter((name) => !starting.includes(name));
  const calls = functions.filter((name) => name.startsWith(wanted));
  const items = [...starting, ...rest, ...calls].slice(0, most);
  return items.length === 0 ? undefined : { kind: 'words', from, items };
};
