import type { Readable } from 'node:stream';
import type { ReadableVersion } from '../model/version.js';
import { isPooled, serverOf, widePartColumns } from '../rows/index.js';
import type { Reader, ReadSettings } from '../storage/clickhouse/reader.js';
import { formats } from './formats/formats.js';
import { isHeavy, type Plan } from './plan.js';
import type { ReadContext } from './read-context.js';
import { requireFitting } from './row-check.js';
import { openGroups } from './row-groups.js';
import { buildTail, countSql, type SelectedRows } from './statement.js';
import { openTransposed } from './transposed-rows.js';

/** Number of rows in the source, with `$distinct` of different ones, before `$top` and `$skip`. */
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

/** Bytes of the answer in its format, from its first byte on. */
export const openRows = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  if (plan.options.transpose) return openTransposed(reader, plan, context);
  const { join } = formats[plan.format];
  const open = (page: Plan, at: ReadContext): Promise<Readable> => openSelected(reader, page, at);
  if (join === undefined || plan.wholeFile === undefined) return open(plan, context);
  const { first, files } = await openGroups(reader, plan, context, open);
  // A generator that never started does not close its source.
  return join(files, plan.output.length).once('close', () => first.destroy());
};

/** The rows by one query. */
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
  return frame.rows(bytes, output, plan.about);
};

/**
 * In a pool, `count()` of a segment does not follow from the headers of parts, which have many. To look there costs ClickHouse a
 * fifteenth of a small read (4.7 ms of CPU instead of 4.4).
 */
const poolSettings = ({ place }: ReadableVersion): ReadSettings =>
  place !== null && isPooled(place) ? { optimize_use_implicit_projections: 0 } : {};

const isUnfiltered = ({ complete, isConsecutive = false }: SelectedRows): boolean =>
  complete || isConsecutive;

/** Cells that are cheaper to read than to check first. */
const fewCells = 1_000_000;

/** Rows that one stream of ClickHouse reads about as soon as several do. */
const fewRows = 10_000;

/**
 * Settings that follow from how much is read.
 *
 * The first rows of a version are at the start of its first part: nothing is gained from opening all parts at once
 * (ten rows of 5 M: 7 ms instead of 12; 100,000 rows would take 65 ms instead of 34).
 *
 * Rows that pass a filter are formatted by one thread: those that read them are busy as well, and to hand every block
 * to others costs more CPU than the formatting of a few rows (5 M rows of six columns, 6 % of which pass: 200 ms
 * instead of 230; all pass: 820 instead of 680).
 *
 * A filter is tested first and the other columns are read where it held (PREWHERE). In a table of many columns,
 * whose parts have a mark per column, opening each part twice costs more than reading a few cells in vain: 40 ms
 * of CPU against 25 ms for 6 of 1,000 columns and 50,000 rows. With many cells it is the other way round.
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
