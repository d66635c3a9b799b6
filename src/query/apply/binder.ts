/**
 * Assigns types to the columns of every step.
 *
 * Numeric results follow the rule of uploads: a double if it represents every possible value exactly, otherwise an exact
 * decimal. Results that cannot be exact are doubles: averages, medians, quantiles, deviations, quotients, and sums of
 * columns whose range exceeds 76 digits.
 */

import { runAtOnce } from '../../lib/time-slicing.js';
import type { PhysicalType } from '../../model/column.js';
import { columnTypeOf, dataTypeOf, physicalOfDay } from '../../model/column-types/column-types.js';
import { nameProblem } from '../../model/names.js';
import { bindExpression, bindFilter } from '../filter/binder.js';
import { type ColumnLookup, describe } from '../filter/binding.js';
import { dateSql } from '../filter/date-sql.js';
import type { Failures } from '../filter/failure.js';
import { createShapes, type Shapes } from '../filter/number-shape.js';
import type { SyntaxNode } from '../filter/syntax.js';
import type { DateNode } from '../filter/typed.js';
import { columnNames } from './column-names.js';
import { exactColumn } from './exact-double.js';
import { type NumberRange, physicalOf, rangeOfNumber, sumRange } from './number-range.js';
import type { AggregateItem, MethodName, NamedExpression, Step } from './syntax.js';
import type { Aggregate, BoundStep, Field, NewField, Value } from './typed.js';

interface BindInput {
  readonly steps: readonly Step[];
  readonly fields: readonly Field[];
  /** Upper bound of the rows of any step. */
  readonly rows: number;
  readonly failures: Failures;
  /** See `FilterLimits`. */
  readonly numbersInQuotes: boolean;
}

interface Scope {
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  readonly shapes: Shapes;
  readonly failures: Failures;
  readonly rows: number;
  readonly numbersInQuotes: boolean;
  /** Ids of computed columns count down from -1, so they never equal an id of the dataset. */
  readonly newId: () => number;
}

const createScope = (fields: readonly Field[], before: Omit<Scope, 'fields' | 'byName'>): Scope => ({
  ...before,
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
});

const readsOf = (scope: Scope, nodes: readonly SyntaxNode[]): Field[] =>
  [...new Set(nodes.flatMap(columnNames))].flatMap((name) => scope.byName.get(name) ?? []);

/** Calculations see doubles as the decimals that they represent. */
const lookupFor = (node: SyntaxNode, scope: Scope): ColumnLookup =>
  node.kind === 'column'
    ? scope.byName
    : {
        get: (name) => {
          const field = scope.byName.get(name);
          return field && exactColumn(field);
        },
      };

const bindValue = (node: SyntaxNode, scope: Scope): Value => {
  const operand = bindExpression(node, lookupFor(node, scope), scope.failures);
  if (operand.type === 'null')
    throw scope.failures.type(node.start, 'expected a number, a text or a date, found null');
  if (operand.type === 'boolean')
    throw scope.failures.type(
      node.start,
      'expected a number, a text or a date, found a condition; write conditions in filter(…)',
    );
  return operand;
};

const physicalOfDate = (node: DateNode): PhysicalType =>
  node.kind === 'date' ? physicalOfDay(node.value) : dateSql(node).physical;

interface ResultType {
  readonly physical: PhysicalType;
  readonly range?: NumberRange | undefined;
}

const typeOf = (value: Value, scope: Scope): ResultType => {
  switch (value.type) {
    case 'text':
      return { physical: 's' };
    case 'date':
      return { physical: physicalOfDate(value.node) };
    case 'number': {
      // A bare column keeps its type.
      if (value.node.kind === 'column') {
        const { physical, range } = value.node.column as Field;
        return { physical, range };
      }
      const range = rangeOfNumber(value.node, scope.shapes);
      return { physical: physicalOf(range), range };
    }
    default:
      return value satisfies never;
  }
};

const newField = (name: string, type: ResultType, scope: Scope, isEntity: boolean): Field => {
  const id = scope.newId();
  return { id, name, dataType: dataTypeOf(type.physical), sql: `x${-id}`, isEntity, ...type };
};

const makeField = ({ node, name }: NamedExpression, scope: Scope, isKey: boolean): NewField => {
  const value = bindValue(node, scope);
  const type = typeOf(value, scope);
  const made = newField(name, type, scope, isKey || columnTypeOf(type.physical).isEntity);
  return { field: made, value };
};

const keyField = (key: NamedExpression, scope: Scope): NewField => {
  const problem = nameProblem(key.name);
  if (problem !== undefined && key.node.kind !== 'column')
    throw scope.failures.type(key.start, `give this key a name with 'as': it ${problem}`);
  const made = makeField(key, scope, true);
  // A bare column of the dataset keeps its id.
  const own = key.node.kind === 'column' ? scope.byName.get(key.node.name) : undefined;
  return own === undefined || own.name !== key.name
    ? made
    : {
        ...made,
        field: { ...made.field, id: own.id, ...(own.years === undefined ? {} : { years: own.years }) },
      };
};

const forNumbers: ReadonlySet<MethodName> = new Set(['sum', 'average', 'median', 'quantile', 'stddev']);

const methodType = (
  method: MethodName,
  type: ResultType,
  sum: NumberRange | undefined,
  rows: number,
): ResultType => {
  switch (method) {
    case 'sum':
      // A sum beyond 76 digits fails when it is calculated.
      return { physical: physicalOf(sum), range: sum };
    case 'min':
    case 'max':
    case 'first':
    case 'last':
      return type;
    case 'countdistinct':
      return countType(rows);
    case 'average':
    case 'median':
    case 'quantile':
    case 'stddev':
      return { physical: 'f' };
    default:
      return method satisfies never;
  }
};

const countType = (rows: number): ResultType => ({
  physical: 'f',
  range: { scale: 0, units: BigInt(Math.max(1, rows)) },
});

const bindAggregate = (item: AggregateItem, scope: Scope): Aggregate => {
  if (item.kind === 'count')
    return { kind: 'count', field: newField(item.name, countType(scope.rows), scope, false) };
  const { method, operand, level } = item;
  const value = bindValue(operand, scope);
  if (forNumbers.has(method) && value.type !== 'number')
    throw scope.failures.type(operand.start, `${method} needs a number, found ${describe(operand, value)}`);
  const type = typeOf(value, scope);
  const sum = type.range && sumRange(type.range, scope.rows);
  const result = methodType(method, type, sum, scope.rows);
  const field = newField(item.name, result, scope, false);
  return { kind: 'method', field, method, value, operand: type.physical, level, sum };
};

const bindStep = (step: Step, scope: Scope): BoundStep => {
  const { fields } = scope;
  switch (step.kind) {
    case 'filter': {
      const condition = runAtOnce(
        bindFilter(step.condition, scope.byName, scope.failures, scope.numbersInQuotes),
      );
      return { kind: 'filter', condition, reads: readsOf(scope, [step.condition]), fields };
    }
    case 'compute': {
      const made = step.items.map((item) => makeField(item, scope, false));
      const reads = readsOf(
        scope,
        step.items.map(({ node }) => node),
      );
      return { kind: 'compute', made, reads, fields: [...fields, ...made.map(({ field }) => field)] };
    }
    case 'group': {
      const keys = step.keys?.map((key) => keyField(key, scope));
      const aggregates = step.items.map((item) => bindAggregate(item, scope));
      const nodes = step.items.flatMap((item) => (item.kind === 'count' ? [] : [item.operand]));
      const reads = readsOf(scope, [...(step.keys ?? []).map(({ node }) => node), ...nodes]);
      return {
        kind: 'group',
        keys,
        aggregates,
        reads,
        fields: [...(keys ?? []), ...aggregates].map(({ field }) => field),
      };
    }
    case 'orderby': {
      const terms = step.items.map(({ node, descending }) => {
        const value = bindValue(node, scope);
        return { value, physical: typeOf(value, scope).physical, descending };
      });
      return {
        kind: 'orderby',
        terms,
        reads: readsOf(
          scope,
          step.items.map(({ node }) => node),
        ),
        fields,
      };
    }
    case 'top':
    case 'skip':
      return { kind: step.kind, count: step.count, reads: [], fields };
    default:
      return step satisfies never;
  }
};

/** @throws AppError `invalid` with the position of the mistake. */
export const bindPipeline = ({ steps, fields, rows, failures, numbersInQuotes }: BindInput): BoundStep[] => {
  let last = 0;
  const newId = (): number => {
    last -= 1;
    return last;
  };
  let scope = createScope(fields, { failures, rows, numbersInQuotes, newId, shapes: createShapes() });
  return steps.map((step) => {
    const bound = bindStep(step, scope);
    scope = createScope(bound.fields, scope);
    return bound;
  });
};
