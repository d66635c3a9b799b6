import { nameInFilter } from '../../lib/filter.js';
import type { Column } from '../../lib/types.js';

/** Completions, which replace the text from `from` to the caret. */
export type Suggestions =
  | { readonly kind: 'words'; readonly from: number; readonly items: readonly string[] }
  | { readonly kind: 'values'; readonly from: number; readonly column: Column; readonly startsWith: string };

const operators = ['eq ', 'ne ', 'gt ', 'ge ', 'lt ', 'le ', 'in ('];
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
const maxItems = 12;

/** Position of the quote that is not closed, or -1. */
const openQuote = (text: string): number => {
  let open = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "'") continue;
    // A doubled quote is part of the text.
    if (open !== -1 && text[at + 1] === "'") at += 1;
    else open = open === -1 ? at : -1;
  }
  return open;
};

/** The column with the longest name at the end of the text. */
const columnBefore = (text: string, columns: readonly Column[]): Column | undefined => {
  const before = text.trimEnd();
  const found = columns.filter(({ name }) => {
    const written = [nameInFilter(name), name].find((form) => before.endsWith(form));
    return written !== undefined && !/[\p{L}\p{N}_]/u.test(before[before.length - written.length - 1] ?? ' ');
  });
  return found.sort((a, b) => b.name.length - a.name.length)[0];
};

const contains = (name: string, part: string): boolean => name.toLowerCase().includes(part);

/** @param text filter up to the caret */
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
  // A column may have the name of an operator.
  const isAfterOperator = /(?<![\p{L}\p{N}_])(?:eq|ne|gt|ge|lt|le)$/iu.test(before);
  const isAfterColumn = !isAfterOperator && columnBefore(before, columns) !== undefined;
  if (isAfterColumn) {
    const items = operators.filter((word) => word.startsWith(wanted));
    return items.length === 0 ? undefined : { kind: 'words', from, items };
  }
  const isAfterValue = /(?:'|\d|\)|\bnull|\btrue|\bfalse)$/.test(before);
  if (isAfterValue) {
    const items = ['and ', 'or '].filter((word) => word.startsWith(wanted));
    return items.length === 0 ? undefined : { kind: 'words', from, items };
  }
  if (part === '' && !/(?:^|\(|\band|\bor|\bnot)$/i.test(before)) return undefined;
  const names = columns
    .filter(({ name }) => contains(name, wanted))
    .map(({ name }) => `${nameInFilter(name)} `);
  const starting = names.filter((name) => name.toLowerCase().replace('[', '').startsWith(wanted));
  const rest = names.filter((name) => !starting.includes(name));
  const calls = functions.filter((name) => name.startsWith(wanted));
  const items = [...starting, ...rest, ...calls].slice(0, maxItems);
  return items.length === 0 ? undefined : { kind: 'words', from, items };
};
