/**
 * Gives every node a type, or refuses it with the place and a hint. Null rules of OData 4.01 part 2, 5.1.1:
 * a comparison is true or false (null equals null alone; an ordering with null is false), arithmetic and
 * functions of null are null, `and`, `or`, `not` take null as unknown.
 */
import { type Binding, describe } from './binding.js';
import { bindCall } from './call-binder.js';
import { foldArithmetic } from './constant-folding.js';
import { firstDayOf } from './date-literal.js';
import { excerpt, type Failures } from './failure.js';
import { negateExact } from './number-literal.js';
import type { ComparisonOperator, LiteralNode, SyntaxNode } from './syntax.js';
import type { Comparison, Condition, FilterColumn, Operand } from './typed.js';

const negate = (operand: Condition): Condition => ({ kind: 'not', operand });

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
      return { type: 'boolean', node: negate(bindCondition(node.operand, binding)) };
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

const bindColumn = (name: string, { columns }: Binding): Operand => {
  const column = columns.get(name);
  if (column === undefined) throw new RangeError('the parser let an unknown column pass');
  switch (column.dataType) {
    case 'Decimal':
      // Numbers beyond 76 digits are stored as text and are String columns; the two never disagree.
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

const bindArithmetic = (node: Extract<SyntaxNode, { kind: 'arithmetic' }>, binding: Binding): Operand => {
  const left = bind(node.left, binding);
  const right = bind(node.right, binding);
  for (const [side, operand] of [
    [node.left, left],
    [node.right, right],
  ] as const) {
    if (operand.type === 'number' || operand.type === 'null') continue;
    const hint = operand.type === 'date' ? '; dates can be compared, not calculated with' : '';
    throw binding.failures.type(
      side.start,
      `'${node.operator}' needs numbers, found ${describe(side, operand)}${hint}`,
    );
  }
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

/** A quoted text or a four-digit number beside a date is a date or period; anything else stays as it is. */
const asDate = (node: SyntaxNode, operand: Operand, binding: Binding): Operand => {
  const text = node.kind === 'string' ? node.value : node.kind === 'number' ? node.text : undefined;
  if (text === undefined) return operand;
  const day = firstDayOf(text);
  if (day !== undefined) return { type: 'date', node: { kind: 'date', value: day } };
  throw binding.failures.type(
    node.start,
    `${describe(node, operand)} is no date; write a day (2020-01-31) or a period (2020-01, 2020Q1, 2020)`,
  );
};

const coerce = (
  nodes: readonly [SyntaxNode, SyntaxNode],
  left: Operand,
  right: Operand,
  binding: Binding,
): readonly [Operand, Operand] => {
  if (left.type === 'date' && right.type !== 'date') return [left, asDate(nodes[1], right, binding)];
  if (right.type === 'date' && left.type !== 'date') return [asDate(nodes[0], left, binding), right];
  return [left, right];
};

const mismatch = (nodes: readonly [SyntaxNode, SyntaxNode], left: Operand, right: Operand): string => {
  const message = `${describe(nodes[0], left)} can not be compared with ${describe(nodes[1], right)}`;
  const [text, number] = left.type === 'text' ? nodes : [nodes[1], nodes[0]];
  const kinds = [left.type, right.type].sort().join();
  if (kinds === 'number,text' && number.kind === 'number')
    return `${message}; quote it: '${excerpt(number.text)}'`;
  if (kinds === 'number,text' && text.kind === 'string') return `${message}; write the number without quotes`;
  const [other, date] = left.type === 'date' ? [nodes[1], nodes[0]] : nodes;
  if (kinds === 'date,text' && other.kind === 'column' && date.kind === 'date') {
    return `${message}; quote it: '${excerpt(date.text)}'`;
  }
  return message;
};

const bindComparison = (node: Extract<SyntaxNode, { kind: 'compare' }>, binding: Binding): Condition => {
  const nodes = [node.left, node.right] as const;
  const [left, right] = coerce(nodes, bind(node.left, binding), bind(node.right, binding), binding);
  if (left.type === 'null' || right.type === 'null') return compareWithNull(node.operator, left, right);
  const condition = compare(node.operator === 'ne' ? 'eq' : node.operator, left, right);
  if (!condition) throw binding.failures.type(node.left.start, mismatch(nodes, left, right));
  return node.operator === 'ne' ? negate(condition) : condition;
};

const compareWithNull = (operator: ComparisonOperator, left: Operand, right: Operand): Condition => {
  if (operator !== 'eq' && operator !== 'ne') return { kind: 'constant', value: false };
  const other = left.type === 'null' ? right : left;
  const isNull: Condition =
    other.type === 'null' ? { kind: 'constant', value: true } : { kind: 'isNull', operand: other };
  return operator === 'ne' ? negate(isNull) : isNull;
};

const compare = (operator: Comparison, left: Operand, right: Operand): Condition | undefined => {
  if (left.type === 'number' && right.type === 'number') {
    return { kind: 'compare', type: 'number', operator, left: left.node, right: right.node };
  }
  if (left.type === 'text' && right.type === 'text') {
    return { kind: 'compare', type: 'text', operator, left: left.node, right: right.node };
  }
  if (left.type === 'date' && right.type === 'date') {
    return { kind: 'compare', type: 'date', operator, left: left.node, right: right.node };
  }
  if (left.type === 'boolean' && right.type === 'boolean') {
    return { kind: 'compare', type: 'boolean', operator, left: left.node, right: right.node };
  }
  return undefined;
};

const bindMembership = (node: Extract<SyntaxNode, { kind: 'in' }>, binding: Binding): Condition => {
  const operand = bind(node.operand, binding);
  const orNull = node.items.some((item) => item.kind === 'null');
  const items = node.items.filter((item) => item.kind !== 'null');
  const bound = items.map((item) => bindItem(item, node.operand, operand, binding));
  switch (operand.type) {
    case 'null':
      return { kind: 'constant', value: orNull };
    case 'number': {
      const values = bound.flatMap((item) =>
        item.type === 'number' && item.node.kind === 'number' ? [item.node.value] : [],
      );
      return { kind: 'in', type: 'number', operand: operand.node, values, orNull };
    }
    case 'text': {
      const values = bound.flatMap((item) =>
        item.type === 'text' && item.node.kind === 'text' ? [item.node.value] : [],
      );
      return { kind: 'in', type: 'text', operand: operand.node, values, orNull };
    }
    case 'date': {
      const values = bound.flatMap((item) =>
        item.type === 'date' && item.node.kind === 'date' ? [item.node.value] : [],
      );
      return { kind: 'in', type: 'date', operand: operand.node, values, orNull };
    }
    case 'boolean':
      throw binding.failures.type(
        node.operand.start,
        "'in' needs a text, number or date before it, found a condition; put arithmetic before 'in' in parentheses",
      );
    default:
      return operand satisfies never;
  }
};

const bindItem = (item: LiteralNode, node: SyntaxNode, operand: Operand, binding: Binding): Operand => {
  const value = bind(item, binding);
  const [left, right] = coerce([node, item], operand, value, binding);
  if (left.type !== 'null' && left.type !== right.type) {
    throw binding.failures.type(item.start, mismatch([node, item], left, right));
  }
  return right;
};

/** The typed form of a whole filter; what is not a condition is refused. */
export const bindFilter = (
  root: SyntaxNode,
  columns: ReadonlyMap<string, FilterColumn>,
  failures: Failures,
): Condition => {
  const binding: Binding = { columns, failures, bind: (node) => bind(node, binding) };
  if (root.kind === 'null') throw failures.type(root.start, 'expected a condition, found null');
  return bindCondition(root, binding);
};
