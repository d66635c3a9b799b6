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
import { createShapes, type Shapes } from './number-shape.js';
import { doubleSql, exactSql } from './number-sql.js';
import { isNull, numberMembership, numberTest } from './number-test.js';
import type { Parameters } from './parameters.js';
import { always, isFalse, isTrue, negated, never, signs, type Test } from './test-sql.js';
import { textSql } from './text-sql.js';
import type { AnyContains, Condition, Operand, TextNode, TextTest } from './typed.js';

type Comparing = Extract<Condition, { kind: 'compare' }>;
type Belonging = Extract<Condition, { kind: 'in' }>;

export interface CompileContext {
  readonly emit: Emitter;
  readonly shapes: Shapes;
}

/** Context of one statement, shared by its expressions. */
export const createContext = (parameters: Parameters): CompileContext => {
  const shapes = createShapes();
  const emit: Emitter = {
    parameters,
    text: (node) => textSql(node, emit, shapes),
    exact: (node) => exactSql(node, emit, shapes),
    double: (node) => doubleSql(node, emit, shapes),
  };
  return { emit, shapes };
};

const join = (items: readonly string[], word: 'AND' | 'OR'): string => `(${items.join(` ${word} `)})`;

/** Most tests that ClickHouse may distribute over PREWHERE and WHERE: for 1,000 tests this takes half a minute. */
const maxSplitTests = 200;

/** Joins tests, with null as false. The function around a long AND prevents ClickHouse from splitting it. */
const joinTests = (items: readonly string[], word: 'AND' | 'OR'): string =>
  word === 'AND' && items.length > maxSplitTests ? `ifNull(${join(items, word)}, 0)` : join(items, word);

const whenTrue = (node: Condition, context: CompileContext): string => {
  switch (node.kind) {
    case 'constant':
      return node.value === true ? always : never;
    case 'and':
    case 'or':
      return joinTests(
        node.items.map((item) => whenTrue(item, context)),
        node.kind === 'and' ? 'AND' : 'OR',
      );
    case 'not':
      return whenFalse(node.operand, context);
    case 'isNull':
      return nullTest(node.operand, context);
    case 'contains':
    case 'startswith':
    case 'endswith':
      return textTest(node.kind, node.left, node.right, context);
    case 'anyContains':
      return anyContains(node, context);
    case 'compare':
      return isTrue(comparison(node, context));
    case 'in':
      return membership(node, true, context);
    default:
      return node satisfies never;
  }
};

const whenFalse = (node: Condition, context: CompileContext): string => {
  switch (node.kind) {
    case 'constant':
      return node.value === false ? always : never;
    case 'and':
    case 'or':
      return joinTests(
        node.items.map((item) => whenFalse(item, context)),
        node.kind === 'and' ? 'OR' : 'AND',
      );
    case 'not':
      return whenTrue(node.operand, context);
    case 'isNull':
      return negated(nullTest(node.operand, context));
    case 'contains':
    case 'startswith':
    case 'endswith':
      return negated(textTest(node.kind, node.left, node.right, context));
    case 'anyContains':
      return negated(anyContains(node, context));
    case 'compare':
      return isFalse(comparison(node, context));
    case 'in':
      return membership(node, false, context);
    default:
      return node satisfies never;
  }
};

/** SQL that is 1, 0 or null. */
const threeValued = (node: Condition, context: CompileContext): string => {
  switch (node.kind) {
    case 'constant':
      return node.value === null ? "CAST(NULL, 'Nullable(UInt8)')" : node.value ? always : never;
    case 'and':
    case 'or':
      return join(
        node.items.map((item) => threeValued(item, context)),
        node.kind === 'and' ? 'AND' : 'OR',
      );
    case 'not':
      return negated(threeValued(node.operand, context));
    case 'isNull':
    case 'contains':
    case 'startswith':
    case 'endswith':
    case 'anyContains':
      return whenTrue(node, context);
    case 'compare':
    case 'in':
      return `ifNull(${whenTrue(node, context)}, 0)`;
    default:
      return node satisfies never;
  }
};

const nullTest = (operand: Exclude<Operand, { type: 'null' }>, context: CompileContext): string => {
  switch (operand.type) {
    case 'number':
      return isNull({ node: operand.node, shape: context.shapes(operand.node) }, context.emit);
    case 'text':
      return `isNull(${context.emit.text(operand.node).sql})`;
    case 'date':
      return operand.node.kind === 'date' ? never : isNullDate(operand.node);
    case 'boolean':
      return `isNull(${threeValued(operand.node, context)})`;
    default:
      return operand satisfies never;
  }
};

const textTest = (kind: TextTest, left: TextNode, right: TextNode, { emit }: CompileContext): string => {
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
const anyContains = ({ columns, value }: AnyContains, { emit }: CompileContext): string => {
  const cells = columns.map((column) => emit.text({ kind: 'column', column }).sql);
  const found = `position(lowerUTF8(cell), lowerUTF8(${emit.parameters.add('String', value)})) > 0`;
  return `arrayExists(cell -> ifNull(${found}, 0), [${cells.join(', ')}])`;
};

const comparison = (node: Comparing, context: CompileContext): Test => {
  const { operator } = node;
  switch (node.type) {
    case 'number':
      return bracketed(numberTest(operator, node.left, node.right, context.emit, context.shapes));
    case 'date':
      return bracketed(dateTest(operator, node.left, node.right, context.emit));
    case 'text': {
      const left = context.emit.text(node.left);
      const right = context.emit.text(node.right);
      const nulls = [left, right].flatMap(({ sql, nullable }) => (nullable ? [`isNull(${sql})`] : []));
      return { operator, test: `(${left.sql} ${signs[operator]} ${right.sql})`, nulls };
    }
    case 'boolean': {
      const left = threeValued(node.left, context);
      const right = threeValued(node.right, context);
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

const membership = (node: Belonging, wanted: boolean, context: CompileContext): string => {
  const test = membershipTest(node, context);
  if (!node.orNull || test.nulls.length === 0) return wanted ? isTrue(test) : isFalse(test);
  const belongs =
    typeof test.test === 'string' ? `ifNull(${test.test}, 1)` : test.test ? always : test.nulls.join('');
  return wanted ? belongs : negated(belongs);
};

const membershipTest = (node: Belonging, { emit, shapes }: CompileContext): Test => {
  switch (node.type) {
    case 'number':
      return numberMembership(node.operand, node.values, emit, shapes);
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
export function* conditionSteps(node: Condition, context: CompileContext): Generator<void, string> {
  if (node.kind !== 'and' && node.kind !== 'or') return whenTrue(node, context);
  const items: string[] = [];
  for (const item of node.items) {
    items.push(yield* conditionSteps(item, context));
    if (items.length % conditionsPerStep === 0) yield;
  }
  return joinTests(items, node.kind === 'and' ? 'AND' : 'OR');
}

/** Compiles a condition for a WHERE clause at once. */
export const compileCondition = (condition: Condition, context: CompileContext): string =>
  whenTrue(condition, context);
