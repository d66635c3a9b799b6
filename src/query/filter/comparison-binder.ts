/** Binds comparisons and `in`: chooses the readings of the operands and checks that their types are comparable. */
import { numberFormOf } from '../../model/column-types/column-types.js';
import { type Binding, type BoundPair, type BoundSide, bindPair, bindSide, describe } from './binding.js';
import { firstDayOf } from './date-literal.js';
import { excerpt } from './failure.js';
import { type Exact, maxLiteralDigits, parseExact } from './number-literal.js';
import { readingsOf } from './readings.js';
import type { ComparisonOperator, LiteralNode, SyntaxNode } from './syntax.js';
import type { Comparison, Condition, Operand } from './typed.js';

type Comparing = Extract<SyntaxNode, { kind: 'compare' }>;

const negate = (operand: Condition): Condition => ({ kind: 'not', operand });

/** Text that is read as a date or period when compared with a date: a quoted text or a four-digit number. */
const dateTextOf = (node: SyntaxNode): string | undefined =>
  node.kind === 'string' ? node.value : node.kind === 'number' ? node.text : undefined;

const asDate = (node: SyntaxNode, operand: Operand, binding: Binding): Operand => {
  const text = dateTextOf(node);
  if (text === undefined) return operand;
  const day = firstDayOf(text);
  if (day !== undefined) return { type: 'date', node: { kind: 'date', value: day } };
  throw binding.failures.type(
    node.start,
    `${describe(node, operand)} is no date; write a day (2020-01-31) or a period (2020-01, 2020Q1, 2020)`,
  );
};

/** True for a quoted text compared with a column whose numbers the caller sees as text. */
const isNumberInQuotes = (column: Operand, node: SyntaxNode, { numbersInQuotes }: Binding): boolean =>
  numbersInQuotes &&
  node.kind === 'string' &&
  column.type === 'number' &&
  column.node.kind === 'column' &&
  numberFormOf(column.node.column.physical) === 'decimals';

const asNumber = (node: SyntaxNode, operand: Operand, binding: Binding): Operand => {
  const text = node.kind === 'string' ? node.value : '';
  const value = text.length <= maxLiteralDigits ? parseExact(text) : undefined;
  if (value !== undefined) return { type: 'number', node: { kind: 'number', value } };
  throw binding.failures.type(node.start, `${describe(node, operand)} is no number, as the column needs`);
};

const coerce = (
  nodes: readonly [SyntaxNode, SyntaxNode],
  left: Operand,
  right: Operand,
  binding: Binding,
): readonly [Operand, Operand] => {
  if (left.type === 'date' && right.type !== 'date') return [left, asDate(nodes[1], right, binding)];
  if (right.type === 'date' && left.type !== 'date') return [asDate(nodes[0], left, binding), right];
  if (isNumberInQuotes(left, nodes[1], binding)) return [left, asNumber(nodes[1], right, binding)];
  if (isNumberInQuotes(right, nodes[0], binding)) return [asNumber(nodes[0], left, binding), right];
  return [left, right];
};

const mismatch = (nodes: readonly [SyntaxNode, SyntaxNode], left: Operand, right: Operand): string => {
  const message = `${describe(nodes[0], left)} cannot be compared with ${describe(nodes[1], right)}`;
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

const canBeDate = ({ node, operand }: BoundSide): boolean =>
  operand.type === 'date' || firstDayOf(dateTextOf(node) ?? '') !== undefined;

const areComparable = (pair: BoundPair): boolean => {
  const [left, right] = [pair[0].operand.type, pair[1].operand.type];
  if (left === right || left === 'null' || right === 'null') return true;
  // One side reads a column, so it is a date only by its type.
  return pair.every(canBeDate);
};

const readsColumn = (pair: BoundPair): boolean => pair.some((side) => side.readsColumn);

/** The most likely reading that includes a column; comparable types take precedence. */
const chosenPair = (node: Comparing, binding: Binding): BoundPair => {
  const pairs = bindPair(node.left, node.right, binding).filter(readsColumn);
  // If no reading fits, the last one has the most values, so its message explains how to write them.
  const pair = pairs.find(areComparable) ?? pairs.at(-1);
  if (pair === undefined) throw binding.failures.noColumn(node.left.start);
  return pair;
};

export const bindComparison = (node: Comparing, binding: Binding): Condition => {
  const pair = chosenPair(node, binding);
  const nodes = [pair[0].node, pair[1].node] as const;
  const [left, right] = coerce(nodes, pair[0].operand, pair[1].operand, binding);
  if (left.type === 'null' || right.type === 'null') return compareWithNull(node.operator, left, right);
  const condition = compare(node.operator === 'ne' ? 'eq' : node.operator, left, right);
  if (!condition) throw binding.failures.type(nodes[0].start, mismatch(nodes, left, right));
  return node.operator === 'ne' ? negate(condition) : condition;
};

const compareWithNull = (operator: ComparisonOperator, left: Operand, right: Operand): Condition => {
  if (operator !== 'eq' && operator !== 'ne') return { kind: 'constant', value: false };
  const other = left.type === 'null' ? right : left;
  const isNull: Condition =
    other.type === 'null' ? { kind: 'constant', value: true } : { kind: 'isNull', operand: other };
  return operator === 'ne' ? negate(isNull) : isNull;
};

/** Undefined for operands of different types. The cast is safe: a node is of the type of its operand. */
const compare = (operator: Comparison, left: Operand, right: Operand): Condition | undefined =>
  left.type !== 'null' && right.type !== 'null' && left.type === right.type
    ? ({ kind: 'compare', type: left.type, operator, left: left.node, right: right.node } as Condition)
    : undefined;

/** Value of an item of a list; undefined for a boolean, which only `null in (…)` may be compared with. */
const literalOf = (item: Operand): Exact | string | undefined =>
  item.type !== 'null' && item.type !== 'boolean' && 'value' in item.node ? item.node.value : undefined;

export const bindMembership = (node: Extract<SyntaxNode, { kind: 'in' }>, binding: Binding): Condition => {
  const sides = readingsOf(node.operand, true).map((reading) => bindSide(reading, binding));
  const side = sides.find((one) => one.readsColumn);
  if (side === undefined)
    throw binding.failures.noColumn(node.operand.start, "put arithmetic before 'in' in parentheses");
  const { operand } = side;
  const orNull = node.items.some((item) => item.kind === 'null');
  if (operand.type === 'boolean')
    throw binding.failures.type(
      node.operand.start,
      "'in' needs a text, number or date before it, found a condition; put arithmetic before 'in' in parentheses",
    );
  const values: (Exact | string)[] = [];
  binding.later.push(itemSteps(node, { ...side, operand }, binding, values));
  if (operand.type === 'null') return { kind: 'constant', value: orNull };
  // The cast is safe: items are of the type of the operand.
  return { kind: 'in', type: operand.type, operand: operand.node, values, orNull } as Condition;
};

const itemsPerStep = 200;

function* itemSteps(
  { items }: Extract<SyntaxNode, { kind: 'in' }>,
  { node, operand }: BoundSide,
  binding: Binding,
  values: (Exact | string)[],
): Generator<void, void> {
  for (const [at, item] of items.entries()) {
    if (at % itemsPerStep === itemsPerStep - 1) yield;
    if (item.kind === 'null') continue;
    const value = literalOf(bindItem(item, node, operand, binding));
    if (value !== undefined) values.push(value);
  }
}

const bindItem = (item: LiteralNode, node: SyntaxNode, operand: Operand, binding: Binding): Operand => {
  const value = binding.bind(item);
  const [left, right] = coerce([node, item], operand, value, binding);
  if (left.type !== 'null' && left.type !== right.type) {
    throw binding.failures.type(item.start, mismatch([node, item], left, right));
  }
  return right;
};
