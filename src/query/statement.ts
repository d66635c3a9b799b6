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

/** The part of a filter that the rows must satisfy. */
interface CompiledCondition {
  readonly sql: string;
  readonly params: BoundValues;
}

/** Rows of a version that an answer is made of, before any limit. */
export interface SelectedRows {
  /** `FROM … WHERE …` */
  readonly sql: string;
  readonly values: BoundValues;
  /** True when every row of the version qualifies, so that their number is known. */
  readonly complete: boolean;
  /** True when the rows follow each other in the version, none left out. */
  readonly isConsecutive?: boolean;
}

/** Options that say which rows take part, besides `$filter`. */
type RowOptions = Pick<DownloadOptions, 'last' | 'dropNA'>;

/** None of them given. */
export const anyRow: RowOptions = { last: undefined, dropNA: false };

interface SelectRowsInput {
  /** All rows, and whether they are those of a version. */
  readonly rows: RowSource;
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
 * The same rows for a statement that only counts them: the filter is the PREWHERE, and the version is tested in the rows that are left
 * (`RowSource.wherePart`). Where rows are sorted, ClickHouse needs PREWHERE for itself: the first ten of the half that a filter keeps take twice
 * the CPU if it is in use. Kept by object, so that a copy with further conditions has none.
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
    // A number that is no year belongs to no period.
    const isPeriod = time.years === true ? isYearSql(name) : `${name} IS NOT NULL`;
    others.push(
      `${name} >= (SELECT min(d) FROM (SELECT ${name} AS d FROM ${from} WHERE ${filtered.join(' AND ')}
        AND ${isPeriod} GROUP BY d ORDER BY d DESC LIMIT ${options.last}))`,
    );
    if (time.years === true) others.push(isPeriod);
  }
  // Behind `$last`: which dates are the last does not depend on it.
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
    const behind = [wherePart, ...others].join('\nAND ');
    countedForms.set(selected, `FROM ${from} PREWHERE (${filter.sql})\nWHERE ${behind}`);
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

/** More rows than there are. */
const mostRows = '18446744073709551615';

const limitSql = ({ top, skip }: Pick<DownloadOptions, 'top' | 'skip'>): string => {
  if (top === undefined && skip === undefined) return '';
  // `LIMIT 1 BY … OFFSET` is no statement, so an offset always has a limit.
  return ` LIMIT ${top ?? mostRows}${skip === undefined ? '' : ` OFFSET ${skip}`}`;
};

/** Equal for equal rows: versions of before may have stored a zero with a sign. */
const keysOf = (columns: readonly StoredColumn[]): string =>
  columns.map((column) => columnTypeOf(column.physical).key(storageName(column))).join(', ');

/** Order, distinctness and limits of the rows of `source`. */
export const buildTail = (
  options: Pick<DownloadOptions, 'top' | 'skip' | 'distinct'>,
  order: readonly OrderTerm[],
  chosen: readonly StoredColumn[],
): string => {
  // Keeps the first of equal rows, and the order, in one pass.
  const distinct = options.distinct ? ` LIMIT 1 BY ${keysOf(chosen)}` : '';
  return `ORDER BY ${orderSql(order)}${distinct}${limitSql(options)}`;
};

/** Number of rows that match, before `$top` and `$skip`. */
export const countSql = (source: SelectedRows, distinct: readonly StoredColumn[] | undefined): string =>
  distinct === undefined
    ? `SELECT toString(count()) AS n ${countedForms.get(source) ?? source.sql}`
    : `SELECT toString(count()) AS n FROM (SELECT 1 ${source.sql} GROUP BY ${keysOf(distinct)})`;
