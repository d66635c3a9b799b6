import { serverOf } from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { OutputColumn } from './formats/format.js';
import { formats } from './formats/formats.js';
import { isHeavy, type Plan } from './plan.js';
import type { ReadContext } from './read-context.js';
import { buildTail } from './statement.js';

/**
 * Checks that the format can represent the rows of an answer.
 * @throws AppError `invalid` if it cannot
 */
export const requireFitting = async (
  reader: Reader,
  plan: Plan,
  columns: readonly OutputColumn[],
  context: ReadContext,
): Promise<void> => {
  const { format, answerRows, options, order, chosen, version } = plan;
  const { check } = formats[format];
  const isLimited = options.top !== undefined || options.skip !== undefined;
  const limited = `FROM (SELECT * ${answerRows.sql} ${buildTail(options, order, chosen)})`;
  const sql = check?.sql(columns, isLimited ? limited : answerRows.sql);
  if (check === undefined || sql === undefined) return;
  const [row] = await reader.queryObjects<{ place: number }>({
    sql: `${sql} FORMAT JSONEachRow`,
    values: answerRows.values,
    place: serverOf(version),
    isHeavy: isHeavy(plan),
    ...context,
    queryId: `${context.queryId}-check`,
  });
  check.judge(columns, Number(row?.place ?? 0));
};
