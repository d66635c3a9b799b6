import { invalid } from '../../../lib/errors.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import type { OutputColumn, RowCheck } from '../format.js';

/** Longest text of a cell, in UTF-16 units. */
export const maxCharacters = 32_767;

const isText = ({ physical }: OutputColumn): boolean => columnTypeOf(physical).sheet === 'text';

/** Selects the first text column with a text that is too long, counted from 1, or 0. @param from starts with FROM */
const longestTextSql = (columns: readonly OutputColumn[], from: string): string | undefined => {
  const texts = columns.filter(isText);
  if (texts.length === 0) return undefined;
  // Checks bytes first, which is much cheaper: a text never has more characters than bytes.
  const longest = texts.map(
    ({ sql }) =>
      `max(if(length(${sql}) > ${maxCharacters}, lengthUTF8(${sql}) + countMatches(assumeNotNull(${sql}), '[\\\\x{10000}-\\\\x{10FFFF}]'), 0))`,
  );
  return `SELECT arrayFirstIndex(x -> x > ${maxCharacters}, [${longest.map((sql) => `ifNull(${sql}, 0)`).join(', ')}]) AS place ${from}`;
};

const refuseLongText = (columns: readonly OutputColumn[], place: number): void => {
  const column = place === 0 ? undefined : columns.filter(isText)[place - 1];
  if (column === undefined) return;
  throw invalid(
    'text_too_long',
    `A cell of a sheet holds at most ${maxCharacters} characters and column ${column.name} has a longer text; choose another format.`,
    { limit: maxCharacters, column: column.name },
  );
};

/** Rejects texts that are too long for a cell. */
export const textLength: RowCheck = { sql: longestTextSql, judge: refuseLongText };
