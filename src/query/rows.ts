import type { Readable } from 'node:stream';
import { endingWith } from '../lib/byte-stream.js';
import type { ReadableVersion } from '../model/version.js';
import { isPooled, serverOf, widePartColumns } from '../rows/index.js';
import type { Reader, ReadSettings } from '../storage/clickhouse/reader.js';
import { formats } from './formats/formats.js';
import { isHeavy, type Plan } from './plan.js';
import type { ReadContext } from './read-context.js';
import { requireFitting } from './row-check.js';
import { openGroups } from './row-groups.js';
import { buildTail, countSql, type SelectedRows } from './statement.js';
import { checkTransposed, openTransposed } from './transposed-rows.js';

/** Number of rows, or of distinct rows with `$distinct`, before `$top` and `$skip`. */
export const countRows = async (
  reader: Reader,
  plan: Plan,
  source: SelectedRows,
  context: ReadContext,
): Promise<number> => {
  const { chosen, options, version } = plan;
  const [row] = await reader.queryObjects<{ n: string }>({
    sql: `${countSql(source, options.distinct ? chosen : undefined)} FORMAT JSONEachRow`,
    values: source.values,
    settings: poolSettings(version),
    place: serverOf(version),
    isHeavy: isHeavy(plan),
    ...context,
  });
  return Number(row?.n ?? 0);
};

/**
 * Makes the checks of `openRows` without reading the rows.
 * @throws AppError `invalid` if the format cannot represent them
 */
export const checkRows = async (reader: Reader, plan: Plan, context: ReadContext): Promise<void> => {
  if (plan.options.transpose) await checkTransposed(reader, plan, context);
  else await requireFitting(reader, plan, plan.output, context);
};

/** Opens the rows in the format of the plan. */
export const openRows = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  if (plan.options.transpose) return openTransposed(reader, plan, context);
  const { join } = formats[plan.format];
  const open = (page: Plan, at: ReadContext): Promise<Readable> => openSelected(reader, page, at);
  if (join === undefined || plan.wholeFile === undefined) return open(plan, context);
  const { first, files } = await openGroups(reader, plan, context, open);
  return endingWith(join(files, plan.output.length), first);
};

/** Opens the rows with a single query. */
const openSelected = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  const { answerRows, output, order, chosen, options, format } = plan;
  const { select, frame } = formats[format];
  await requireFitting(reader, plan, output, context);
  const { sql, settings } = select.rows(
    output,
    `${answerRows.sql}\n${buildTail(options, order, chosen)}`,
    options,
  );
  const bytes = await reader.open({
    sql,
    values: answerRows.values,
    settings: { ...settings, ...readSettings(plan) },
    place: serverOf(plan.version),
    isHeavy: isHeavy(plan),
    ...context,
  });
  return endingWith(frame.rows(bytes, output, plan.about), bytes);
};

/**
 * A part of a pool table has rows of many segments, so part headers cannot answer the `count()` of one. Trying costs
 * ClickHouse a fifteenth of a small read (4.7 ms of CPU instead of 4.4). The `count()` of a read copy does not need the setting.
 */
const poolSettings = ({ place }: ReadableVersion): ReadSettings =>
  place !== null && isPooled(place) ? { optimize_use_implicit_projections: 0 } : {};

const isUnfiltered = ({ complete, isConsecutive = false }: SelectedRows): boolean =>
  complete || isConsecutive;

/** Up to this many cells, reading all is cheaper than filtering first. */
const fewCells = 1_000_000;

/** Up to this many rows, one stream of ClickHouse is about as fast as several. */
const fewRows = 10_000;

/**
 * Settings that depend on the amount of data.
 *
 * read_in_order_two_level_merge_threshold: the first rows of a version are at the start of its first part, so opening all
 * parts gains nothing (ten rows of 5 M: 7 ms instead of 12; 100,000 rows would take 65 ms instead of 34).
 *
 * output_format_parallel_formatting: one thread formats filtered rows. The reading threads are busy already, and passing
 * blocks between threads costs more CPU than formatting a few rows (5 M rows of six columns, 6 % of which match: 200 ms
 * instead of 230; all match: 820 instead of 680).
 *
 * optimize_move_to_prewhere: PREWHERE evaluates the filter before it reads the other columns. In a table of many columns,
 * whose parts have a mark per column, opening each part twice costs more than reading a few useless cells: 40 ms
 * of CPU instead of 25 ms for 6 of 1,000 columns and 50,000 rows. With many cells PREWHERE is faster.
 */
const readSettings = ({ version, chosen, answerRows, order, options }: Plan): ReadSettings => ({
  ...poolSettings(version),
  ...(isUnfiltered(answerRows) &&
  order.length === 0 &&
  (options.top ?? Infinity) + (options.skip ?? 0) <= fewRows
    ? { read_in_order_two_level_merge_threshold: 100 }
    : {}),
  ...(isUnfiltered(answerRows) ? {} : { output_format_parallel_formatting: 0 }),
  ...(version.columns.length > widePartColumns && version.rowCount * chosen.length <= fewCells
    ? { optimize_move_to_prewhere: 0 }
    : {}),
});
