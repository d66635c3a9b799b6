/**
 * `$filter`: text → lexer → parser → binder → compiler, each of which knows only the one before it.
 *
 * The language is OData 4.01's common expressions over three types (text, number, date), and beyond it column
 * names with spaces and periods of statistics. What the binder cannot type is refused with its place; the
 * compiler never sees text of the caller. Nothing but an AppError of kind `invalid` leaves this file.
 */
import { runAtOnce, runSliced } from '../../lib/time-slicing.js';
import { bindFilter } from './binder.js';
import { conditionSteps, createContext } from './compiler.js';
import { cheapestFirst } from './cost.js';
import { createFailures } from './failure.js';
import { defaultLimits, type FilterLimits } from './limits.js';
import { createNameIndex, type NameIndex, unknownColumns } from './names.js';
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

interface ColumnNames {
  readonly byName: ReadonlyMap<string, FilterColumn>;
  readonly names: NameIndex;
}

/** Kept with the columns of versions that are in use: there may be thousands. */
const known = new WeakMap<readonly FilterColumn[], ColumnNames>();

const namesOf = (columns: readonly FilterColumn[]): ColumnNames => {
  const found = known.get(columns);
  if (found !== undefined) return found;
  const byName = new Map(columns.map((column) => [column.name, column]));
  const made = { byName, names: createNameIndex([...byName.keys()]) };
  known.set(columns, made);
  return made;
};

/** Each step is bounded work; the caller may let other work run between them. */
function* compileSteps(
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits>,
): Generator<void, CompiledFilter> {
  const bounds = { ...defaultLimits, ...limits };
  const failures = createFailures(text);
  if (Buffer.byteLength(text) > bounds.maxBytes) {
    throw failures.limit(0, `the filter is longer than ${bounds.maxBytes} bytes`);
  }
  const surrogate = text.search(/\p{Surrogate}/u);
  if (surrogate >= 0) throw failures.syntax(surrogate, 'well-formed Unicode', 'half of a surrogate pair');
  const { byName, names } = namesOf(columns);
  yield;
  const { root, unknown } = yield* parseFilter(text, names, failures, bounds);
  if (unknown.length > 0) throw unknownColumns(text, unknown, names.names);
  yield;
  const condition = yield* bindFilter(root, byName, failures, bounds.numbersInQuotes);
  const ordered = cheapestFirst(condition);
  yield;
  const plain = createParameters();
  const plainSql = yield* conditionSteps(ordered, createContext(plain));
  yield;
  const packed = plain.count() > maxPlainParameters ? createPackedParameters() : undefined;
  const sql = packed ? yield* conditionSteps(ordered, createContext(packed)) : plainSql;
  if (sql.length > bounds.maxSqlLength) {
    throw failures.limit(0, 'the filter is too complex; split it or calculate with fewer columns at once');
  }
  yield;
  return { sql, params: (packed ?? plain).values(), normalized: normalForm(condition) };
}

/** @throws AppError `invalid` that says where the filter is wrong. */
export const compileFilter = (
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits> = {},
): CompiledFilter => runAtOnce(compileSteps(text, columns, limits));

/** The same for long texts, in time slices. */
export const compileFilterYielding = (
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits> = {},
): Promise<CompiledFilter> => runSliced(compileSteps(text, columns, limits));
