import { firstDate32, lastDate32 } from './date-literal.js';
import { type DateSql, dateSql, isNullDate } from './date-sql.js';
import type { Emitter } from './emitter.js';
import { mirrored, signs, type Test } from './test-sql.js';
import type { Comparison, DateNode } from './typed.js';

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

/** As text of the form YYYY-MM-DD, whatever it is stored as. */
const textOf = (date: DateSql): string => (date.physical === 'd' ? `toString(${date.sql})` : date.sql);

const withLiteral = (
  operator: Comparison,
  { sql, physical }: DateSql,
  day: string,
  emit: Emitter,
): string | boolean => {
  if (physical !== 'd') return `${sql} ${signs[operator]} ${emit.parameters.add('String', day)}`;
  // Beyond what the type holds every stored date lies on one side.
  if (day < firstDate32) return holds(operator, '1', '0');
  if (day > lastDate32) return holds(operator, '0', '1');
  return `${sql} ${signs[operator]} ${emit.parameters.add('Date32', day)}`;
};

export const dateTest = (operator: Comparison, left: DateNode, right: DateNode, emit: Emitter): Test => {
  if (left.kind === 'date') {
    if (right.kind === 'date') return { operator, test: holds(operator, left.value, right.value), nulls: [] };
    return dateTest(mirrored[operator], right, left, emit);
  }
  const leftSql = dateSql(left);
  if (right.kind === 'date') {
    return { operator, test: withLiteral(operator, leftSql, right.value, emit), nulls: [isNullDate(left)] };
  }
  const rightSql = dateSql(right);
  const sides =
    leftSql.physical === rightSql.physical
      ? [leftSql.sql, rightSql.sql]
      : [textOf(leftSql), textOf(rightSql)];
  const nulls = [isNullDate(left), isNullDate(right)];
  return { operator, test: sides.join(` ${signs[operator]} `), nulls };
};

export const dateMembership = (node: DateNode, days: readonly string[], emit: Emitter): Test => {
  if (node.kind === 'date') return { operator: 'in', test: days.includes(node.value), nulls: [] };
  const { sql, physical } = dateSql(node);
  const stored = physical === 'd' ? days.filter((day) => day >= firstDate32 && day <= lastDate32) : days;
  const nulls = [isNullDate(node)];
  if (stored.length === 0) return { operator: 'in', test: false, nulls };
  const list = emit.parameters.addTexts([...new Set(stored)]);
  const typed = physical === 'd' ? `CAST(${list}, 'Array(Date32)')` : list;
  return { operator: 'in', test: `(${sql} IN ${typed})`, nulls };
};
