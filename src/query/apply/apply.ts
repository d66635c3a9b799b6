/**
 * `$apply`: text → parser → binder → compiler. Expressions are those of `$filter`.
 *
 * The result has the shape of a version: columns, and a table with `rowOrder`. Filters, order, formats, sheets and
 * transposing therefore work on it unchanged.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import type { ReadableVersion } from '../../model/version.js';
import type { RowSource } from '../../rows/index.js';
import type { BoundValues } from '../../storage/clickhouse/query-form.js';
import { createEmitter } from '../filter/compiler.js';
import { createFailures, requireWellFormed, type TextOwner } from '../filter/failure.js';
import { defaultLimits, type FilterLimits } from '../filter/limits.js';
import { createPackedParameters, createParameters, type Parameters } from '../filter/parameters.js';
import { bindPipeline } from './binder.js';
import { columnNames } from './column-names.js';
import { compileSteps, type ResultColumn } from './compiler.js';
import { normalPipeline } from './normal-form.js';
import { rangeOfType } from './number-range.js';
import type { NumberRanges } from './number-ranges.js';
import { parsePipeline } from './parser.js';
import type { Step } from './syntax.js';
import type { BoundStep, Field } from './typed.js';

const applyText: TextOwner = {
  option: '$apply',
  noun: 'pipeline',
  codes: {
    syntax: 'apply_syntax',
    type: 'apply_type',
    unsupported: 'apply_unsupported',
    limit: 'too_complex',
  },
};

interface ApplyInput {
  readonly text: string;
  readonly version: ReadableVersion;
  readonly rows: RowSource;
  /** Needed before rows are read, because result types depend on them. */
  readonly ranges: NumberRanges;
  readonly limits?: Partial<FilterLimits> | undefined;
}

export interface AppliedRows {
  readonly columns: readonly StoredColumn[];
  /** Operand of FROM. */
  readonly rows: RowSource;
  /** True if each row is a row of the version, at its original position. */
  readonly keepsRows: boolean;
  /** Equal for all spellings of one pipeline. Does not depend on the ranges. */
  readonly normalized: string;
}

/** Most plain parameters: a filter after the pipeline needs parameters too; see parameters.ts. */
const maxParameters = 100;

const fieldsOf = ({ columns }: ReadableVersion, ranges: NumberRanges): Field[] =>
  columns.map((column) => ({
    ...column,
    sql: storageName(column),
    range: ranges.get(column.id) ?? rangeOfType(column.physical),
  }));

const isOwn = ({ id }: Field): boolean => id > 0;

/** `storageId` counts from 1, because the result is a table of its own. */
const storedColumn = (field: Field, index: number): StoredColumn => ({
  id: isOwn(field) ? field.id : -1 - index,
  storageId: index + 1,
  name: field.name,
  dataType: field.dataType,
  physical: field.physical,
  isEntity: field.isEntity,
  ...(field.years === undefined ? {} : { years: field.years }),
  description: null,
});

const parse = ({ text, version, limits }: Pick<ApplyInput, 'text' | 'version' | 'limits'>): Step[] => {
  const bounds = { ...defaultLimits, ...limits };
  const failures = createFailures(text, applyText);
  if (Buffer.byteLength(text) > bounds.maxBytes)
    throw failures.limit(0, `the pipeline is longer than ${bounds.maxBytes} bytes`);
  requireWellFormed(text, failures);
  return parsePipeline({ text, names: version.columns.map(({ name }) => name), failures, limits: bounds });
};

const bind = (input: ApplyInput): BoundStep[] => {
  const { text, version, ranges, limits } = input;
  const failures = createFailures(text, applyText);
  const fields = fieldsOf(version, ranges);
  const { numbersInQuotes } = { ...defaultLimits, ...limits };
  return bindPipeline({ steps: parse(input), fields, rows: version.rowCount, failures, numbersInQuotes });
};

const compile = (input: ApplyInput, steps: readonly BoundStep[], result: readonly ResultColumn[]) => {
  const { rows, text, limits = {} } = input;
  const run = (parameters: Parameters) => ({
    ...compileSteps(steps, rows, result, createEmitter(parameters)),
    parameters,
  });
  const plain = run(createParameters('a'));
  const { table, keepsRows, parameters } =
    plain.parameters.count() > maxParameters ? run(createPackedParameters('a')) : plain;
  if (table.length > (limits.maxSqlLength ?? defaultLimits.maxSqlLength))
    throw createFailures(text, applyText).limit(0, 'the pipeline is too complex; use fewer calculations');
  return { table, keepsRows, values: parameters.values() as BoundValues };
};

/** Number columns used in calculations: the pipeline needs their ranges. */
export const calculatedColumns = ({
  text,
  version,
  limits,
}: Omit<ApplyInput, 'ranges' | 'rows'>): StoredColumn[] => {
  const names = new Set(parse({ text, version, limits }).flatMap(calculatedNames));
  return version.columns.filter(
    ({ name, physical }) => columnTypeOf(physical).numbers !== undefined && names.has(name),
  );
};

const calculatedNames = (step: Step): string[] => {
  switch (step.kind) {
    case 'compute':
    case 'orderby':
      return step.items.flatMap(({ node }) => columnNames(node));
    case 'group': {
      const operands = step.items.flatMap((item) => (item.kind === 'count' ? [] : [item.operand]));
      return [...(step.keys ?? []).map(({ node }) => node), ...operands].flatMap(columnNames);
    }
    default:
      return [];
  }
};

/** @throws AppError `invalid` with the position of the mistake. */
export const applyPipeline = (input: ApplyInput): AppliedRows => {
  const steps = bind(input);
  const fields = steps.at(-1)?.fields ?? fieldsOf(input.version, input.ranges);
  const columns = fields.map(storedColumn);
  const result = fields.map((field, index) => ({ field, name: storageName(columns[index]!) }));
  const { table, keepsRows, values } = compile(input, steps, result);
  return {
    columns,
    rows: {
      from: table,
      where: 'true',
      values: { ...values, ...input.rows.values },
    },
    keepsRows,
    normalized: normalPipeline(steps),
  };
};
