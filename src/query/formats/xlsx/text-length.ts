import { invalid } from '../../../lib/errors.js';
import { columnTypeOf } from '../../../model/column-types/column-types.js';
import type { OutputColumn, RowCheck } from '../format.js';

/** Characters (UTF-16 units) that a cell may hold. */
export const mostCharacters = 32_767;

const isText = ({ physical }: OutputColumn): boolean => columnTypeOf(physical).sheet === 'text';

/** Selects the length of the longest text of each text column; undefined without text columns. `from` starts with FROM. */
const longestTextSql = (columns: readonly OutputColumn[], from: string): string | undefined => {
  const texts = columns.filter(isText);
  if (texts.length === 0) return undefined;
  // Bytes bound the characters, and reading them costs much less.
  const longest = texts.map(
    ({ sql }) =>
      `max(if(length(${sql}) > ${mostCharacters}, lengthUTF8(${sql}) + countMatches(assumeNotNull(${sql}), '[\\\\x{10000}-\\\\x{10FFFF}]'), 0))`,
  );
  return `SELECT arrayFirstIndex(x -> x > ${mostCharacters}, [${longest.map((sql) => `ifNull(${sql}, 0)`).join(', ')}]) AS place ${from}`;
};

const refuseLongText = (columns: readonly OutputColumn[], place: number): void => {
  const column = place === 0 ? undefined : columns.filter(isText)[place - 1];
  if (column === undefined) return;
  throw invalid(
    'text_too_long',
    `A cell of a sheet holds at most ${mostCharacters} characters and column ${column.name} has a longer text; choose another format.`,
    { limit: mostCharacters, column: column.name },
  );
};

/** Texts that no cell can hold. */
export const textLength: RowCheck = { sql: longestTextSql, judge: refuseLongText };
