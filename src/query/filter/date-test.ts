import { type DateSql, dateSql, formSql, isNullDate } from './date-sql.js';
import type { Emitter } from './emitter.js';
import { holds, mirrored, signs, type Test } from './test-sql.js';
import type { Comparison, DateNode } from './typed.js';

const compareTexts = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

const textOf = ({ sql, physical }: DateSql): string => formSql(physical).text(sql);

const withLiteral = (
  operator: Comparison,
  { sql, physical }: DateSql,
  day: string,
  emit: Emitter,
): string | boolean => {
  const { first, last, parameter } = formSql(physical);
  if (day < first) return holds(operator, 1);
  if (day > last) return holds(operator, -1);
  return `${sql} ${signs[operator]} ${emit.parameters.add(parameter, day)}`;
};

export const dateTest = (operator: Comparison, left: DateNode, right: DateNode, emit: Emitter): Test => {
  if (left.kind === 'date') {
    // YYYY-MM-DD sorts as text in the order of the dates.
    if (right.kind === 'date')
      return { operator, test: holds(operator, compareTexts(left.value, right.value)), nulls: [] };
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
  const { first, last, list } = formSql(physical);
  const stored = days.filter((day) => day >= first && day <= last);
  const nulls = [isNullDate(node)];
  if (stored.length === 0) return { operator: 'in', test: false, nulls };
  const texts = emit.parameters.addTexts([...new Set(stored)]);
  return { operator: 'in', test: `(${sql} IN ${list(texts)})`, nulls };
};
