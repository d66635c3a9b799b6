/**
 * Bound steps → one SELECT. A step extends the query of the previous one if it can: conditions and limits accumulate
 * until a step needs them applied, and then become a subquery.
 *
 * Rows always have a total order: `orderby` first, then the order of the dataset or of the group keys.
 */
import { numberedRows, type RowSource, rowOrder } from '../../rows/index.js';
import { compileCondition } from '../filter/compiler.js';
import type { Emitter } from '../filter/emitter.js';
import { aggregateSql } from './aggregate-sql.js';
import type { BoundStep, Field, OrderTerm } from './typed.js';
import { keySql, valueSql } from './value-sql.js';

interface Sorting {
  readonly sql: string;
  readonly descending: boolean;
}

/** Rows between two steps. */
interface Relation {
  readonly from: string;
  readonly where: readonly string[];
  /** Terms of `orderby`, most significant first. */
  readonly sorted: readonly Sorting[];
  /** Columns that make the order total: ascending, and null only if they are group keys. */
  readonly natural: readonly string[];
  readonly limit: { readonly skip: number; readonly top: number } | undefined;
}

const orderBy = ({ sorted, natural }: Relation): string => {
  const terms = [
    ...sorted.map(({ sql, descending }) => `${sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`),
    ...natural.map((sql) => `${sql} ASC NULLS LAST`),
  ];
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`;
};

const limitOf = ({ limit }: Relation): string => {
  if (limit === undefined) return '';
  const top = Number.isFinite(limit.top) ? ` LIMIT ${limit.top}` : '';
  return `${top}${limit.skip === 0 ? '' : ` OFFSET ${limit.skip}`}`;
};

const source = ({ from, where }: Relation): string =>
  where.length === 0 ? `FROM ${from}` : `FROM ${from} WHERE ${where.join(' AND ')}`;

const select = (columns: readonly string[], relation: Relation): string =>
  // A SELECT needs a column, even if only the number of rows matters.
  `SELECT ${columns.length === 0 ? '1' : columns.join(', ')} ${source(relation)}`;

const orderColumns = ({ sorted, natural }: Relation): string[] => [
  ...sorted.map(({ sql }) => sql),
  ...natural,
];

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Turns a relation with a limit into a subquery. */
const settled = (relation: Relation, needed: readonly string[]): Relation => {
  if (relation.limit === undefined) return relation;
  const columns = unique([...needed, ...orderColumns(relation)]);
  const from = `(${select(columns, relation)}${orderBy(relation)}${limitOf(relation)})`;
  return { ...relation, from, where: [], limit: undefined };
};

/** The relation as a subquery with added columns. */
const extended = (relation: Relation, needed: readonly string[], added: readonly string[]): Relation => {
  const columns = unique([...needed, ...orderColumns(relation)]);
  const tail = relation.limit === undefined ? '' : `${orderBy(relation)}${limitOf(relation)}`;
  const from = `(${select([...columns, ...added], relation)}${tail})`;
  return { ...relation, from, where: [], limit: undefined };
};

/** SELECT of the rows in order. */
const ordered = (relation: Relation, needed: readonly string[]): string => {
  const columns = unique([...needed, ...orderColumns(relation)]);
  return `${select(columns, relation)}${orderBy(relation)}${limitOf(relation)}`;
};

/** Numbers the rows in a column, for an order that one column cannot express. */
const numbered = (relation: Relation, needed: readonly string[], name: string): Relation => {
  const columns = [...needed, `rowNumberInAllBlocks() AS ${name}`];
  const from = `(SELECT ${columns.join(', ')} FROM (${ordered(relation, needed)}))`;
  return { from, where: [], sorted: [], natural: [name], limit: undefined };
};

interface Compiling {
  readonly emit: Emitter;
  /** A unique name for an expression of the pipeline. */
  readonly newName: () => string;
}

/** Order of the dataset. */
const datasetOrder: readonly string[] = [rowOrder];

const needsOrder = (step: Extract<BoundStep, { kind: 'group' }>): boolean =>
  step.aggregates.some(
    (item) => item.kind === 'method' && (item.method === 'first' || item.method === 'last'),
  );

const group = (
  step: Extract<BoundStep, { kind: 'group' }>,
  before: Relation,
  reads: readonly string[],
  { emit, newName }: Compiling,
): Relation => {
  let rows = settled(before, reads);
  // Group keys may be null, and there may be several, so their order needs a row number.
  const isDatasetOrder = rows.sorted.length === 0 && rows.natural === datasetOrder;
  if (needsOrder(step) && !isDatasetOrder) rows = numbered(before, reads, newName());
  const order = rows.natural.at(-1) ?? '0';
  const keys = (step.keys ?? []).map(({ field, value }) => {
    const sql = keySql(valueSql(value, field.physical, emit), field.physical);
    return { name: field.sql, sql: `${sql} AS ${field.sql}` };
  });
  const aggregates = step.aggregates.map((item) => `${aggregateSql(item, order, emit)} AS ${item.field.sql}`);
  const grouping = step.keys === undefined ? '' : ` GROUP BY ${keys.map(({ name }) => name).join(', ')}`;
  const from = `(${select([...keys.map(({ sql }) => sql), ...aggregates], rows)}${grouping} ${inMemory})`;
  return { from, where: [], sorted: [], natural: keys.map(({ name }) => name), limit: undefined };
};

/** Groups must fit into the memory of a query. Too many groups fail at once instead of spilling to disk. */
const inMemory =
  'SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0';

const sort = (
  terms: readonly OrderTerm[],
  before: Relation,
  reads: readonly string[],
  { emit, newName }: Compiling,
): Relation => {
  const made = terms.map(({ value, physical, descending }) => {
    const isColumn = value.node.kind === 'column';
    const sql = valueSql(value, physical, emit);
    const name = isColumn ? sql : newName();
    return { name, descending, added: isColumn ? [] : [`${sql} AS ${name}`] };
  });
  const added = made.flatMap((term) => term.added);
  const rows = added.length === 0 ? settled(before, reads) : extended(before, reads, added);
  return {
    ...rows,
    sorted: [...made.map(({ name, descending }) => ({ sql: name, descending })), ...rows.sorted],
  };
};

const limited = (relation: Relation, kind: 'top' | 'skip', count: number): Relation => {
  const { skip, top } = relation.limit ?? { skip: 0, top: Number.POSITIVE_INFINITY };
  if (kind === 'top') return { ...relation, limit: { skip, top: Math.min(top, count) } };
  return { ...relation, limit: { skip: skip + count, top: Math.max(0, top - count) } };
};

/** For each step, and the end, the SQL names of the fields that are still needed. */
const neededBefore = (steps: readonly BoundStep[], result: readonly Field[]): string[][] => {
  let needed = new Set(result.map(({ sql }) => sql));
  const neededAt: string[][] = [];
  for (const step of [...steps].reverse()) {
    neededAt.unshift([...needed]);
    const reads = step.reads.map(({ sql }) => sql);
    if (step.kind === 'group') needed = new Set(reads);
    else {
      if (step.kind === 'compute') for (const { field } of step.made) needed.delete(field.sql);
      needed = new Set([...needed, ...reads]);
    }
  }
  neededAt.unshift([...needed]);
  return neededAt;
};

const applied = (
  step: BoundStep,
  before: Relation,
  /** Fields that this step or a later one reads. */
  needed: readonly string[],
  compiling: Compiling,
): Relation => {
  const { emit } = compiling;
  switch (step.kind) {
    case 'filter': {
      const rows = settled(before, needed);
      return { ...rows, where: [...rows.where, `(${compileCondition(step.condition, emit)})`] };
    }
    case 'compute': {
      const added = step.made.map(
        ({ field, value }) => `${valueSql(value, field.physical, emit)} AS ${field.sql}`,
      );
      return extended(before, needed, added);
    }
    case 'group':
      return group(step, before, needed, compiling);
    case 'orderby':
      return sort(step.terms, before, needed, compiling);
    case 'top':
    case 'skip':
      return limited(before, step.kind, step.count);
    default:
      return step satisfies never;
  }
};

export interface ResultColumn {
  readonly field: Field;
  /** Name in the table. */
  readonly name: string;
}

interface CompiledSteps {
  /** Operand of FROM. */
  readonly table: string;
  /** True if each row is a row of the dataset, at its original position. */
  readonly keepsRows: boolean;
}

/** Compiles the pipeline to a SELECT in parentheses, with the named columns and `rowOrder`. */
export const compileSteps = (
  steps: readonly BoundStep[],
  base: RowSource,
  result: readonly ResultColumn[],
  emit: Emitter,
): CompiledSteps => {
  const fields = result.map(({ field }) => field);
  const needed = neededBefore(steps, fields);
  let named = 0;
  const compiling: Compiling = { emit, newName: () => `_o${++named}` };
  let rows: Relation = {
    from: base.from,
    where: [base.where],
    sorted: [],
    natural: datasetOrder,
    limit: undefined,
  };
  for (const [index, step] of steps.entries()) rows = applied(step, rows, needed[index] ?? [], compiling);
  // Readers expect nullable columns, as in stored tables.
  const columns = result.map(({ field, name }) => `toNullable(${field.sql}) AS ${name}`);
  if (rows.limit === undefined && rows.sorted.length === 0 && rows.natural === datasetOrder)
    return { table: `(${select([...columns, rowOrder], rows)})`, keepsRows: true };
  const inOrder = ordered(
    rows,
    fields.map(({ sql }) => sql),
  );
  const list = [...columns, numberedRows].join(', ');
  return { table: `(SELECT ${list} FROM (${inOrder}))`, keepsRows: false };
};
