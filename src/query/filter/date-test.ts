import { firstDate32, lastDate32 } from './date-literal.js';
import type { Emitter } from './emitter.js';
import { mirrored, signs, type Test } from './test-sql.js';
import type { Comparison, DateNode, FilterColumn } from './typed.js';

/** Dates as text of the form YYYY-MM-DD are ordered as dates are. */
const holds = (operator: Comparison, left: string, right: string): boolean => {
  switch (operator) {
    case 'eq':
      return left === right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    default:
      return operator satisfies never;
  }
};

const nullOf = (column: FilterColumn): string => `isNull(${column.sql})`;

const textOf = (column: FilterColumn): string =>
  column.physical === 'd' ? `toString(${column.sql})` : column.sql;

const withLiteral = (
  operator: Comparison,
  column: FilterColumn,
  day: string,
  emit: Emitter,
): string | boolean => {
  if (column.physical !== 'd')
    return `${column.sql} ${signs[operator]} ${emit.parameters.add('String', day)}`;
  // Beyond what the type holds every stored date lies on one side.
  if (day < firstDate32) return holds(operator, '1', '0');
  if (day > lastDate32) return holds(operator, '0', '1');
  return `${column.sql} ${signs[operator]} ${emit.parameters.add('Date32', day)}`;
};

export const dateTest = (operator: Comparison, left: DateNode, right: DateNode, emit: Emitter): Test => {
  if (left.kind === 'date') {
    if (right.kind === 'date') return { operator, test: holds(operator, left.value, right.value), nulls: [] };
    return dateTest(mirrored[operator], right, left, emit);
  }
  if (right.kind === 'date') {
    return {
      operator,
      test: withLiteral(operator, left.column, right.value, emit),
      nulls: [nullOf(left.column)],
    };
  }
  const same = left.column.physical === right.column.physical;
  const [leftSql, rightSql] = same
    ? [left.column.sql, right.column.sql]
    : [textOf(left.column), textOf(right.column)];
  const nulls = [nullOf(left.column), nullOf(right.column)];
  return { operator, test: `${leftSql} ${signs[operator]} ${rightSql}`, nulls };
};

export const dateMembership = (node: DateNode, days: readonly string[], emit: Emitter): Test => {
  if (node.kind === 'date') return { operator: 'in', test: days.includes(node.value), nulls: [] };
  const { sql, physical } = node.column;
  const stored = physical === 'd' ? days.filter((day) => day >= firstDate32 && day <= lastDate32) : days;
  const nulls = [nullOf(node.column)];
  if (stored.length === 0) return { operator: 'in', test: false, nulls };
  const list = emit.parameters.addTexts([...new Set(stored)]);
  const typed = physical === 'd' ? `CAST(${list}, 'Array(Date32)')` : list;
  return { operator: 'in', test: `(${sql} IN ${typed})`, nulls };
};
