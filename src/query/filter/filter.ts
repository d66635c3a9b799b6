/**
 * `$filter`: text → lexer → parser → binder → compiler, each of which knows only the one before it.
 *
 * The language is the common expressions of OData 4.01 over three types (text, number, date), plus column names with
 * spaces and statistical periods. The binder rejects an expression that has no type, and gives its position. The
 * compiler never sees text of the caller. This file throws only AppErrors of kind `invalid`.
 */
import { runAtOnce, runSliced } from '../../lib/time-slicing.js';
import { weakMemo } from '../../lib/weak-memo.js';
import { bindFilter } from './binder.js';
import { conditionSteps, createEmitter } from './compiler.js';
import { cheapestFirst } from './cost.js';
import { createFailures, requireWellFormed } from './failure.js';
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

/** Cached with the version's columns, of which there may be thousands. */
const namesOf = weakMemo((columns: readonly FilterColumn[]) => {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return { byName, names: createNameIndex([...byName.keys()]) };
});

/** Each step is bounded work, so the caller can yield to the event loop between steps. */
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
  requireWellFormed(text, failures);
  const { byName, names } = namesOf(columns);
  yield;
  const { root, unknown } = yield* parseFilter(text, names, failures, bounds);
  if (unknown.length > 0) throw unknownColumns(text, unknown, names.names);
  yield;
  const condition = yield* bindFilter(root, byName, failures, bounds.numbersInQuotes);
  const ordered = cheapestFirst(condition);
  yield;
  const plain = createParameters();
  const plainSql = yield* conditionSteps(ordered, createEmitter(plain));
  yield;
  const packed = plain.count() > maxPlainParameters ? createPackedParameters() : undefined;
  const sql = packed ? yield* conditionSteps(ordered, createEmitter(packed)) : plainSql;
  if (sql.length > bounds.maxSqlLength) {
    throw failures.limit(0, 'the filter is too complex; split it or calculate with fewer columns at once');
  }
  yield;
  return { sql, params: (packed ?? plain).values(), normalized: normalForm(condition) };
}

/** @throws AppError `invalid` with the position of the mistake. */
export const compileFilter = (
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits> = {},
): CompiledFilter => runAtOnce(compileSteps(text, columns, limits));

/** Compiles in time slices, for long filters. */
export const compileFilterYielding = (
  text: string,
  columns: readonly FilterColumn[],
  limits: Partial<FilterLimits> = {},
): Promise<CompiledFilter> => runSliced(compileSteps(text, columns, limits));
