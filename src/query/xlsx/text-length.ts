import { invalid } from '../../lib/errors.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Plan } from '../plan.js';
import type { OutputColumn } from '../projection.js';
import type { ReadContext } from '../read-context.js';
import { buildTail } from '../statement.js';

/** Characters (UTF-16 units) that a cell may hold. */
const mostCharacters = 32_767;

const isText = ({ physical }: OutputColumn): boolean => physical === 's';

/** Asks for the longest text of each text column; undefined when there is none. `from` starts with FROM. */
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

/**
 * Looks at the rows that a sheet is made of.
 * @throws AppError `invalid` that names the column with a text that no cell can hold.
 */
export const requireCellTexts = async (
  reader: Reader,
  { source, options, order, chosen }: Plan,
  columns: readonly OutputColumn[],
  context: ReadContext,
): Promise<void> => {
  const isLimited = options.top !== undefined || options.skip !== undefined;
  const limited = `FROM (SELECT * ${source.sql} ${buildTail(options, order, chosen)})`;
  const sql = longestTextSql(columns, isLimited ? limited : source.sql);
  if (sql === undefined) return;
  const [row] = await reader.facts<{ place: number }>({
    sql: `${sql} FORMAT JSONEachRow`,
    values: source.values,
    queryId: `${context.queryId}-length`,
    signal: context.signal,
  });
  refuseLongText(columns, Number(row?.place ?? 0));
};
