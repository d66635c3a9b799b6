/**
 * Gives every node a type, or rejects it with its position and a hint. Null rules of OData 4.01 part 2, 5.1.1:
 * a comparison is true or false (null equals only null; an ordering with null is false), arithmetic and
 * functions of null are null, and `and`, `or`, `not` treat null as unknown.
 */
import { runAtOnce } from '../../lib/time-slicing.js';
import {
  type Binding,
  type BoundSide,
  bindPair,
  type ColumnLookup,
  countChosen,
  describe,
} from './binding.js';
import { bindCall } from './call-binder.js';
import { bindComparison, bindMembership } from './comparison-binder.js';
import { foldArithmetic } from './constant-folding.js';
import type { Failures } from './failure.js';
import { negateExact } from './number-literal.js';
import type { SyntaxNode } from './syntax.js';
import type { Condition, Operand } from './typed.js';

const bind = (node: SyntaxNode, binding: Binding): Operand => {
  switch (node.kind) {
    case 'null':
      return { type: 'null' };
    case 'boolean':
      return { type: 'boolean', node: { kind: 'constant', value: node.value } };
    case 'number':
      return { type: 'number', node: { kind: 'number', value: node.value } };
    case 'string':
      return { type: 'text', node: { kind: 'text', value: node.value } };
    case 'date':
      return { type: 'date', node: { kind: 'date', value: node.value } };
    case 'column':
      return bindColumn(node.name, binding);
    case 'call':
      return bindCall(node, binding);
    case 'negate':
      return bindNegate(node, binding);
    case 'arithmetic':
      return bindArithmetic(node, binding);
    case 'not':
      return { type: 'boolean', node: { kind: 'not', operand: bindCondition(node.operand, binding) } };
    case 'and':
    case 'or':
      return {
        type: 'boolean',
        node: { kind: node.kind, items: node.items.map((item) => bindCondition(item, binding)) },
      };
    case 'compare':
      return { type: 'boolean', node: bindComparison(node, binding) };
    case 'in':
      return { type: 'boolean', node: bindMembership(node, binding) };
    default:
      return node satisfies never;
  }
};

const bindColumn = (name: string, binding: Binding): Operand => {
  const column = binding.columns.get(name);
  if (column === undefined) throw new RangeError('the parser let an unknown column pass');
  binding.columnsRead += 1;
  switch (column.dataType) {
    case 'Decimal':
      // Columns of numbers beyond 76 digits are String columns.
      return { type: 'number', node: { kind: 'column', column } };
    case 'String':
      return { type: 'text', node: { kind: 'column', column } };
    case 'Date':
      return { type: 'date', node: { kind: 'column', column } };
    default:
      return column.dataType satisfies never;
  }
};

const bindCondition = (node: SyntaxNode, binding: Binding): Condition => {
  const operand = bind(node, binding);
  if (operand.type === 'boolean') return operand.node;
  if (operand.type === 'null') return { kind: 'constant', value: null };
  throw binding.failures.type(
    node.start,
    `expected a condition, found ${describe(node, operand)}; compare it with a value, and put the operand of 'not' in parentheses`,
  );
};

const bindNegate = (node: Extract<SyntaxNode, { kind: 'negate' }>, binding: Binding): Operand => {
  const operand = bind(node.operand, binding);
  if (operand.type === 'null') return operand;
  if (operand.type === 'number' && operand.node.kind === 'number') {
    return { type: 'number', node: { kind: 'number', value: negateExact(operand.node.value) } };
  }
  if (operand.type === 'number') return { type: 'number', node: { kind: 'negate', operand: operand.node } };
  throw binding.failures.type(
    node.operand.start,
    `'-' needs a number, found ${describe(node.operand, operand)}`,
  );
};

const isNumber = ({ operand }: BoundSide): boolean => operand.type === 'number' || operand.type === 'null';

const bindArithmetic = (node: Extract<SyntaxNode, { kind: 'arithmetic' }>, binding: Binding): Operand => {
  const before = binding.columnsRead;
  const pairs = bindPair(node.left, node.right, binding);
  const sides = pairs.find((pair) => pair.every(isNumber)) ?? pairs[0]!;
  countChosen(sides, before, binding);
  for (const side of sides) {
    if (isNumber(side)) continue;
    const hint = side.operand.type === 'date' ? '; dates can be compared, not calculated with' : '';
    throw binding.failures.type(
      side.node.start,
      `'${node.operator}' needs numbers, found ${describe(side.node, side.operand)}${hint}`,
    );
  }
  const [left, right] = [sides[0].operand, sides[1].operand];
  if (left.type !== 'number' || right.type !== 'number') return { type: 'null' };
  if (left.node.kind === 'number' && right.node.kind === 'number') {
    const value = foldArithmetic(node.operator, left.node.value, right.node.value);
    if (value === null) return { type: 'null' };
    if (value) return { type: 'number', node: { kind: 'number', value } };
  }
  return {
    type: 'number',
    node: { kind: 'arithmetic', operator: node.operator, left: left.node, right: right.node },
  };
};

const createBinding = (columns: ColumnLookup, failures: Failures, numbersInQuotes = false): Binding => {
  const binding: Binding = {
    columns,
    failures,
    numbersInQuotes,
    columnsRead: 0,
    later: [],
    bind: (node) => bind(node, binding),
  };
  return binding;
};

function* bindLater({ later }: Binding): Generator<void, void> {
  for (const steps of later) {
    yield* steps;
    yield;
  }
}

/** Binds an expression of any type. */
export const bindExpression = (root: SyntaxNode, columns: ColumnLookup, failures: Failures): Operand => {
  const binding = createBinding(columns, failures);
  const operand = bind(root, binding);
  runAtOnce(bindLater(binding));
  return operand;
};

/** Binds a whole filter, in bounded steps. Rejects an expression that is not a condition. */
export function* bindFilter(
  root: SyntaxNode,
  columns: ColumnLookup,
  failures: Failures,
  numbersInQuotes: boolean,
): Generator<void, Condition> {
  const binding = createBinding(columns, failures, numbersInQuotes);
  if (root.kind === 'null') throw failures.type(root.start, 'expected a condition, found null');
  const condition = bindCondition(root, binding);
  yield* bindLater(binding);
  return condition;
}
