/**
 * `$filter`: text → lexer → parser → binder → compiler, each of which knows only the one before it.
 *
 * The language is OData 4.01's common expressions over three types (text, number, date), and beyond it column
 * names with spaces and periods of statistics. What the binder can not type is refused with its place; the
 * compiler never sees text of the caller. Nothing but an AppError of kind `invalid` leaves this file.
 */
import { bindFilter } from './binder.js';
import { compileCondition, createContext } from './compiler.js';
import { createFailures } from './failure.js';
import { defaultLimits, type FilterLimits } from './limits.js';
import { createNameIndex, unknownColumns } from './names.js';
import { normalForm } from './normal-form.js';
import {
  createPackedParameters,
  createParameters,
  maxPlainParameters,
  type ParameterValue,
} from './parameters.js';
import { parseFilter } from './parser.js';
import type { FilterColumn } from './typed.js';

export type { FilterColumn, FilterLimits };

export interface CompiledFilter {
  /** Condition for a WHERE clause, in brackets where needed; null counts as false. */
  readonly sql: string;
  /** Logical values of the placeholders p0, p1, …, as `query_params` of @clickhouse/client takes them. */
  readonly params: Readonly<Record<string, ParameterValue>>;
  /** Equal for all spellings of one filter; columns appear as ids. For entity tags. */
  readonly normalized: string;
}

export const compileFilter = (
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits> = {},
): CompiledFilter => {
  const bounds = { ...defaultLimits, ...limits };
  const failures = createFailures(text);
  if (Buffer.byteLength(text) > bounds.maxBytes) {
    throw failures.limit(0, `the filter is longer than ${bounds.maxBytes} bytes`);
  }
  const surrogate = text.search(/\p{Surrogate}/u);
  if (surrogate >= 0) throw failures.syntax(surrogate, 'well-formed Unicode', 'half of a surrogate pair');
  const byName = new Map(columns.map((column) => [column.name, column]));
  const names = createNameIndex([...byName.keys()]);
  const { root, unknown } = parseFilter(text, names, failures, bounds);
  if (unknown.length > 0) throw unknownColumns(text, unknown, names.names);
  const condition = bindFilter(root, byName, failures);
  const plain = createParameters();
  const plainSql = compileCondition(condition, createContext(plain));
  const packed = plain.count() > maxPlainParameters ? createPackedParameters() : undefined;
  const sql = packed ? compileCondition(condition, createContext(packed)) : plainSql;
  if (sql.length > bounds.maxSqlLength) {
    throw failures.limit(0, 'the filter is too complex; split it or calculate with fewer columns at once');
  }
  return {
    sql,
    params: (packed ?? plain).values(),
    normalized: normalForm(condition),
  };
};
