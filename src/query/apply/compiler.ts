/**
 * Bound steps → one SELECT. Every step reads the one before it as a subquery where it must, and adds to it where it
 * can: conditions and limits gather until something needs them settled.
 *
 * Rows always have a total order: that of the dataset, or of the keys of a group, behind what `orderby` asks for.
 */
import { numberedRows, type RowSource, rowOrder } from '../../rows/index.js';
import { type CompileContext, compileCondition } from '../filter/compiler.js';
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
  /** Columns that order the rows in addition to the fields, loosest first. */
  readonly sorted: readonly Sorting[];
  /** Columns that make the order total; ascending, never null unless they are keys. */
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
  // A row without columns still counts.
  `SELECT ${columns.length === 0 ? '1' : columns.join(', ')} ${source(relation)}`;

const hidden = ({ sorted, natural }: Relation): string[] => [...sorted.map(({ sql }) => sql), ...natural];

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** The relation as a subquery that has its limit behind it. */
const settled = (relation: Relation, needed: readonly string[]): Relation => {
  if (relation.limit === undefined) return relation;
  const columns = unique([...needed, ...hidden(relation)]);
  const from = `(${select(columns, relation)}${orderBy(relation)}${limitOf(relation)})`;
  return { ...relation, from, where: [], limit: undefined };
};

/** The relation with more columns. */
const extended = (relation: Relation, needed: readonly string[], added: readonly string[]): Relation => {
  const columns = unique([...needed, ...hidden(relation)]);
  const tail = relation.limit === undefined ? '' : `${orderBy(relation)}${limitOf(relation)}`;
  const from = `(${select([...columns, ...added], relation)}${tail})`;
  return { ...relation, from, where: [], limit: undefined };
};

/** A SELECT of the rows in their order. */
const ordered = (relation: Relation, needed: readonly string[]): string => {
  const columns = unique([...needed, ...hidden(relation)]);
  return `${select(columns, relation)}${orderBy(relation)}${limitOf(relation)}`;
};

/** Rows with their number in a column, where their order is more than a comparison of columns. */
const numbered = (relation: Relation, needed: readonly string[], name: string): Relation => {
  const columns = [...needed, `rowNumberInAllBlocks() AS ${name}`];
  const from = `(SELECT ${columns.join(', ')} FROM (${ordered(relation, needed)}))`;
  return { from, where: [], sorted: [], natural: [name], limit: undefined };
};

/** Expressions of one pipeline get names that are used once only. */
interface Names {
  next(): string;
}

interface Compiling {
  readonly context: CompileContext;
  readonly names: Names;
}

/** Order of the rows of the version. */
const reading: readonly string[] = [rowOrder];

const needsOrder = (step: Extract<BoundStep, { kind: 'group' }>): boolean =>
  step.aggregates.some(
    (item) => item.kind === 'method' && (item.method === 'first' || item.method === 'last'),
  );

const group = (
  step: Extract<BoundStep, { kind: 'group' }>,
  before: Relation,
  reads: readonly string[],
  { context, names }: Compiling,
): Relation => {
  let rows = settled(before, reads);
  // Keys may be null, and may be many: such rows are numbered where the order of rows counts.
  const isPlain = rows.sorted.length === 0 && rows.natural === reading;
  if (needsOrder(step) && !isPlain) rows = numbered(before, reads, names.next());
  const order = rows.natural.at(-1) ?? '0';
  const keys = (step.keys ?? []).map(({ field, value }) => {
    const sql = keySql(valueSql(value, field.physical, context), field.physical);
    return { name: field.sql, sql: `${sql} AS ${field.sql}` };
  });
  const aggregates = step.aggregates.map(
    (item) => `${aggregateSql(item, order, context)} AS ${item.field.sql}`,
  );
  const grouping = step.keys === undefined ? '' : ` GROUP BY ${keys.map(({ name }) => name).join(', ')}`;
  const from = `(${select([...keys.map(({ sql }) => sql), ...aggregates], rows)}${grouping} ${inMemory})`;
  return { from, where: [], sorted: [], natural: keys.map(({ name }) => name), limit: undefined };
};

/** Groups are bounded by the memory of a query, not by the disk: too many are a refusal, not a long wait. */
const inMemory =
  'SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0';

const sort = (
  terms: readonly OrderTerm[],
  before: Relation,
  reads: readonly string[],
  { context, names }: Compiling,
): Relation => {
  const made = terms.map(({ value, physical, descending }) => {
    const isColumn = value.node.kind === 'column';
    const sql = valueSql(value, physical, context);
    const name = isColumn ? sql : names.next();
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

/** Identifiers of the fields that are needed behind each step, from the last to the first. */
const neededBehind = (steps: readonly BoundStep[], result: readonly Field[]): string[][] => {
  let needed = new Set(result.map(({ sql }) => sql));
  const behind: string[][] = [];
  for (const step of [...steps].reverse()) {
    behind.unshift([...needed]);
    const reads = step.reads.map(({ sql }) => sql);
    if (step.kind === 'group') needed = new Set(reads);
    else {
      if (step.kind === 'compute') for (const { field } of step.made) needed.delete(field.sql);
      needed = new Set([...needed, ...reads]);
    }
  }
  behind.unshift([...needed]);
  return behind;
};

const applied = (
  step: BoundStep,
  before: Relation,
  /** Fields that the step and those behind it need. */
  needed: readonly string[],
  compiling: Compiling,
): Relation => {
  const { context } = compiling;
  switch (step.kind) {
    case 'filter': {
      const rows = settled(before, needed);
      return { ...rows, where: [...rows.where, `(${compileCondition(step.condition, context)})`] };
    }
    case 'compute': {
      const added = step.made.map(
        ({ field, value }) => `${valueSql(value, field.physical, context)} AS ${field.sql}`,
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

const createNames = (): Names => {
  let made = 0;
  return {
    next: () => {
      made += 1;
      return `_o${made}`;
    },
  };
};

export interface ResultColumn {
  readonly field: Field;
  /** Name in the table. */
  readonly name: string;
}

interface CompiledSteps {
  /** Operand of FROM. */
  readonly table: string;
  /** True where each row is one of the dataset, at its own position. */
  readonly keepsRows: boolean;
}

/** A SELECT in brackets: the named columns, and `rowOrder`. */
export const compileSteps = (
  steps: readonly BoundStep[],
  base: RowSource,
  result: readonly ResultColumn[],
  context: CompileContext,
): CompiledSteps => {
  const fields = result.map(({ field }) => field);
  const behind = neededBehind(steps, fields);
  const compiling: Compiling = { context, names: createNames() };
  let rows: Relation = {
    from: base.from,
    where: [base.where],
    sorted: [],
    natural: reading,
    limit: undefined,
  };
  for (const [index, step] of steps.entries()) rows = applied(step, rows, behind[index] ?? [], compiling);
  // As columns of the store are: what reads them counts on it.
  const columns = result.map(({ field, name }) => `toNullable(${field.sql}) AS ${name}`);
  if (rows.limit === undefined && rows.sorted.length === 0 && rows.natural === reading)
    return { table: `(${select([...columns, rowOrder], rows)})`, keepsRows: true };
  const inOrder = ordered(
    rows,
    fields.map(({ sql }) => sql),
  );
  const list = [...columns, numberedRows].join(', ');
  return { table: `(SELECT ${list} FROM (${inOrder}))`, keepsRows: false };
};
