import { invalid } from '../lib/errors.js';
import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { timeColumnOf } from '../model/version.js';
import { type RowSource, rowOrder } from '../rows/index.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import { isYearSql } from '../storage/clickhouse/year-sql.js';
import type { OrderTerm } from './column-list.js';
import type { DownloadOptions } from './options/options.js';
import { judgedColumns } from './projection.js';

interface CompiledCondition {
  readonly sql: string;
  readonly params: BoundValues;
}

/** Rows of an answer, before any limit. */
export interface SelectedRows {
  /** `FROM … WHERE …` */
  readonly sql: string;
  readonly values: BoundValues;
  /** True if every row of the version matches, so that their number is known. */
  readonly complete: boolean;
  /** True if the rows are consecutive in the version. */
  readonly isConsecutive?: boolean;
}

/** Options that select rows, besides `$filter`. */
type RowOptions = Pick<DownloadOptions, 'last' | 'dropNA'>;

/** Selects all rows. */
export const anyRow: RowOptions = { last: undefined, dropNA: false };

interface SelectRowsInput {
  readonly rows: RowSource;
  /** True if `rows` are all rows of a version. */
  readonly isWhole: boolean;
  readonly columns: readonly StoredColumn[];
  readonly filter: CompiledCondition | undefined;
  readonly options: RowOptions;
  readonly chosen: readonly StoredColumn[];
}

const noDateColumn = (option: string) =>
  invalid('no_date_column', `${option} needs a Date column or a column of years, and the dataset has none.`);

export const requireTimeColumn = (option: string, columns: readonly StoredColumn[]): StoredColumn => {
  const column = timeColumnOf(columns);
  if (column === undefined) throw noDateColumn(option);
  return column;
};

/**
 * SQL of the same rows for counting: the filter is in PREWHERE, and the version is checked only for matching rows
 * (`RowSource.wherePart`). Not used for sorted rows, where ClickHouse needs PREWHERE itself: otherwise the first ten rows
 * of a filter that matches half of them take twice the CPU. By object, so that a copy with more conditions has no entry.
 */
const countedForms = new WeakMap<SelectedRows, string>();

export const selectRows = (input: SelectRowsInput): SelectedRows => {
  const { rows, isWhole, columns, filter, options, chosen } = input;
  const { from, where, wherePart, values } = rows;
  const judged = options.dropNA ? judgedColumns(chosen) : [];
  const filtered = filter === undefined ? [where] : [where, `(${filter.sql})`];
  const others: string[] = [];
  if (options.last !== undefined) {
    const time = requireTimeColumn('$last', columns);
    const name = storageName(time);
    // Ignores numbers that are not years.
    const isPeriod = time.years === true ? isYearSql(name) : `${name} IS NOT NULL`;
    others.push(
      `${name} >= (SELECT minOrNull(d) FROM (SELECT ${name} AS d FROM ${from} WHERE ${filtered.join(' AND ')}
        AND ${isPeriod} GROUP BY d ORDER BY d DESC LIMIT ${options.last}))`,
    );
    if (time.years === true) others.push(isPeriod);
  }
  // After `$last`, because `dropNA` must not change which dates are the last.
  if (judged.length > 0) {
    others.push(`NOT (${judged.map((column) => `${storageName(column)} IS NULL`).join(' AND ')})`);
  }
  const conditions = [...filtered, ...others];
  const selected = {
    sql: `FROM ${from} WHERE ${conditions.join('\nAND ')}`,
    values: { ...filter?.params, ...values },
    complete: isWhole && conditions.length === 1,
  };
  if (filter !== undefined && wherePart !== undefined) {
    const rest = [wherePart, ...others].join('\nAND ');
    countedForms.set(selected, `FROM ${from} PREWHERE (${filter.sql})\nWHERE ${rest}`);
  }
  return selected;
};

const orderSql = (terms: readonly OrderTerm[]): string =>
  [
    ...terms.map(
      ({ column, descending }) => `${storageName(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
    ),
    rowOrder,
  ].join(', ');

/** 2^64 - 1: no limit. */
const maxRows = '18446744073709551615';

const limitSql = ({ top, skip }: Pick<DownloadOptions, 'top' | 'skip'>): string => {
  if (top === undefined && skip === undefined) return '';
  // An offset needs a limit: `LIMIT 1 BY … OFFSET` is a syntax error.
  return ` LIMIT ${top ?? maxRows}${skip === undefined ? '' : ` OFFSET ${skip}`}`;
};

/** Expressions that are equal for equal rows: old versions may contain -0. */
const keysOf = (columns: readonly StoredColumn[]): string =>
  columns.map((column) => columnTypeOf(column.physical).key(storageName(column))).join(', ');

/** ORDER BY, LIMIT BY and LIMIT. */
export const buildTail = (
  options: Pick<DownloadOptions, 'top' | 'skip' | 'distinct'>,
  order: readonly OrderTerm[],
  chosen: readonly StoredColumn[],
): string => {
  // LIMIT BY keeps the first of equal rows and the order in one pass.
  const distinct = options.distinct ? ` LIMIT 1 BY ${keysOf(chosen)}` : '';
  return `ORDER BY ${orderSql(order)}${distinct}${limitSql(options)}`;
};

/** SQL of the number of matching rows, before `$top` and `$skip`. */
export const countSql = (source: SelectedRows, distinct: readonly StoredColumn[] | undefined): string =>
  distinct === undefined
    ? `SELECT toString(count()) AS n ${countedForms.get(source) ?? source.sql}`
    : `SELECT toString(count()) AS n FROM (SELECT 1 ${source.sql} GROUP BY ${keysOf(distinct)})`;
