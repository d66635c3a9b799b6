/**
 * Typed tree → SQL with bound parameters. Text of the caller enters SQL only through `parameters.add`, and the only
 * identifiers are the `sql` of columns.
 *
 * A condition is compiled either as "is true" or as "is false", both with null as no, so that comparisons stay plain and
 * can use indexes; `not` swaps the two. Three-valued SQL is needed only for a condition that is itself compared
 * (`contains(A,'x') eq null`).
 */
import { isNullDate } from './date-sql.js';
import { dateMembership, dateTest } from './date-test.js';
import type { Emitter } from './emitter.js';
import { createShapes } from './number-shape.js';
import { doubleSql, exactSql } from './number-sql.js';
import { isNull, numberMembership, numberTest } from './number-test.js';
import type { Parameters } from './parameters.js';
import { always, isFalse, isTrue, negated, never, signs, type Test } from './test-sql.js';
import { textSql } from './text-sql.js';
import type { AnyContains, Condition, Operand, TextNode, TextTest } from './typed.js';

type Comparing = Extract<Condition, { kind: 'compare' }>;
type Belonging = Extract<Condition, { kind: 'in' }>;

export const createEmitter = (parameters: Parameters): Emitter => {
  const emit: Emitter = {
    parameters,
    shapes: createShapes(),
    text: (node) => textSql(node, emit),
    exact: (node) => exactSql(node, emit),
    double: (node) => doubleSql(node, emit),
  };
  return emit;
};

const join = (items: readonly string[], word: 'AND' | 'OR'): string => `(${items.join(` ${word} `)})`;

/** Most tests that ClickHouse may distribute over PREWHERE and WHERE: for 1,000 tests this takes half a minute. */
const maxSplitTests = 200;

/** Joins tests, with null as false. The function around a long AND prevents ClickHouse from splitting it. */
const joinTests = (items: readonly string[], word: 'AND' | 'OR'): string =>
  word === 'AND' && items.length > maxSplitTests ? `ifNull(${join(items, word)}, 0)` : join(items, word);

/** SQL that is true if the condition is `wanted`; null means no. */
const whenIs = (wanted: boolean, node: Condition, emit: Emitter): string => {
  const sided = (sql: string): string => (wanted ? sql : negated(sql));
  switch (node.kind) {
    case 'constant':
      return node.value === wanted ? always : never;
    case 'and':
    case 'or':
      return joinTests(
        node.items.map((item) => whenIs(wanted, item, emit)),
        (node.kind === 'and') === wanted ? 'AND' : 'OR',
      );
    case 'not':
      return whenIs(!wanted, node.operand, emit);
    case 'isNull':
      return sided(nullTest(node.operand, emit));
    case 'contains':
    case 'startswith':
    case 'endswith':
      return sided(textTest(node.kind, node.left, node.right, emit));
    case 'anyContains':
      return sided(anyContains(node, emit));
    case 'compare':
      return (wanted ? isTrue : isFalse)(comparison(node, emit));
    case 'in':
      return membership(node, wanted, emit);
    default:
      return node satisfies never;
  }
};

/** SQL that is 1, 0 or null. */
const threeValued = (node: Condition, emit: Emitter): string => {
  switch (node.kind) {
    case 'constant':
      return node.value === null ? "CAST(NULL, 'Nullable(UInt8)')" : node.value ? always : never;
    case 'and':
    case 'or':
      return join(
        node.items.map((item) => threeValued(item, emit)),
        node.kind === 'and' ? 'AND' : 'OR',
      );
    case 'not':
      return negated(threeValued(node.operand, emit));
    case 'isNull':
    case 'contains':
    case 'startswith':
    case 'endswith':
    case 'anyContains':
      return whenIs(true, node, emit);
    case 'compare':
    case 'in':
      return `ifNull(${whenIs(true, node, emit)}, 0)`;
    default:
      return node satisfies never;
  }
};

const nullTest = (operand: Exclude<Operand, { type: 'null' }>, emit: Emitter): string => {
  switch (operand.type) {
    case 'number':
      return isNull({ node: operand.node, shape: emit.shapes(operand.node) }, emit);
    case 'text':
      return `isNull(${emit.text(operand.node).sql})`;
    case 'date':
      return operand.node.kind === 'date' ? never : isNullDate(operand.node);
    case 'boolean':
      return `isNull(${threeValued(operand.node, emit)})`;
    default:
      return operand satisfies never;
  }
};

const textTest = (kind: TextTest, left: TextNode, right: TextNode, emit: Emitter): string => {
  const operands = `${emit.text(left).sql}, ${emit.text(right).sql}`;
  switch (kind) {
    case 'contains':
      // Comparing bytes is enough: UTF-8 never matches in the middle of a character.
      return `(position(${operands}) > 0)`;
    case 'startswith':
      return `startsWith(${operands})`;
    case 'endswith':
      return `endsWith(${operands})`;
    default:
      return kind satisfies never;
  }
};

/**
 * One expression over an array of the columns: ClickHouse needs 24 s to analyse 2,500 conditions joined by OR, and 0.2 s
 * for an array of as many columns. A null contains nothing.
 */
const anyContains = ({ columns, value }: AnyContains, emit: Emitter): string => {
  const cells = columns.map((column) => emit.text({ kind: 'column', column }).sql);
  const found = `position(lowerUTF8(cell), lowerUTF8(${emit.parameters.add('String', value)})) > 0`;
  return `arrayExists(cell -> ifNull(${found}, 0), [${cells.join(', ')}])`;
};

const comparison = (node: Comparing, emit: Emitter): Test => {
  const { operator } = node;
  switch (node.type) {
    case 'number':
      return bracketed(numberTest(operator, node.left, node.right, emit));
    case 'date':
      return bracketed(dateTest(operator, node.left, node.right, emit));
    case 'text': {
      const left = emit.text(node.left);
      const right = emit.text(node.right);
      const nulls = [left, right].flatMap(({ sql, nullable }) => (nullable ? [`isNull(${sql})`] : []));
      return { operator, test: `(${left.sql} ${signs[operator]} ${right.sql})`, nulls };
    }
    case 'boolean': {
      const left = threeValued(node.left, emit);
      const right = threeValued(node.right, emit);
      // 2 represents null, which equals only null. Each side is written once, so nested SQL grows linearly.
      if (operator === 'eq')
        return { operator, test: `(ifNull(${left}, 2) = ifNull(${right}, 2))`, nulls: [] };
      // Marks the test as nullable.
      return { operator, test: `(${left} ${signs[operator]} ${right})`, nulls: ['NULL'] };
    }
    default:
      return node satisfies never;
  }
};

const bracketed = (test: Test): Test =>
  typeof test.test === 'string' ? { ...test, test: `(${test.test})` } : test;

const membership = (node: Belonging, wanted: boolean, emit: Emitter): string => {
  const test = membershipTest(node, emit);
  if (!node.orNull || test.nulls.length === 0) return wanted ? isTrue(test) : isFalse(test);
  const belongs =
    typeof test.test === 'string' ? `ifNull(${test.test}, 1)` : test.test ? always : test.nulls.join('');
  return wanted ? belongs : negated(belongs);
};

const membershipTest = (node: Belonging, emit: Emitter): Test => {
  switch (node.type) {
    case 'number':
      return numberMembership(node.operand, node.values, emit);
    case 'date':
      return dateMembership(node.operand, node.values, emit);
    case 'text': {
      const { sql, nullable } = emit.text(node.operand);
      const nulls = nullable ? [`isNull(${sql})`] : [];
      if (node.values.length === 0) return { operator: 'in', test: false, nulls };
      const list = emit.parameters.addTexts([...new Set(node.values)]);
      return { operator: 'in', test: `(${sql} IN ${list})`, nulls };
    }
    default:
      return node satisfies never;
  }
};

const conditionsPerStep = 100;

/** Compiles a condition for a WHERE clause, where null counts as false, in bounded steps. */
export function* conditionSteps(node: Condition, emit: Emitter): Generator<void, string> {
  if (node.kind !== 'and' && node.kind !== 'or') return whenIs(true, node, emit);
  const items: string[] = [];
  for (const item of node.items) {
    items.push(yield* conditionSteps(item, emit));
    if (items.length % conditionsPerStep === 0) yield;
  }
  return joinTests(items, node.kind === 'and' ? 'AND' : 'OR');
}

/** Compiles a condition for a WHERE clause at once. */
export const compileCondition = (condition: Condition, emit: Emitter): string =>
  whenIs(true, condition, emit);
