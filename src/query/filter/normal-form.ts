import { canonicalText } from './number-literal.js';
import type { Condition, DateNode, FilterColumn, NumberNode, Operand, TextNode } from './typed.js';

/**
 * Canonical text of a typed tree, without differences in white space, brackets, case of operators, and spelling of
 * numbers and periods. Columns are ids. Used in entity tags, so filters that can select different rows must differ.
 */
const column = ({ id }: FilterColumn): string => `#${id}`;

const text = (node: TextNode): string => {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.value);
    case 'column':
      return column(node.column);
    case 'concat':
      return `concat(${text(node.left)},${text(node.right)})`;
    case 'tolower':
    case 'toupper':
    case 'trim':
      return `${node.kind}(${text(node.operand)})`;
    case 'substring': {
      const length = node.length === undefined ? '' : `,${number(node.length)}`;
      return `substring(${text(node.operand)},${number(node.from)}${length})`;
    }
    default:
      return node satisfies never;
  }
};

const number = (node: NumberNode): string => {
  switch (node.kind) {
    case 'number':
      return canonicalText(node.value);
    case 'column':
      return column(node.column);
    case 'arithmetic':
      return `${node.operator}(${number(node.left)},${number(node.right)})`;
    case 'negate':
    case 'round':
    case 'floor':
    case 'ceiling':
      return `${node.kind}(${number(node.operand)})`;
    case 'length':
      return `length(${text(node.operand)})`;
    case 'indexof':
      return `indexof(${text(node.left)},${text(node.right)})`;
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return `${node.kind}(${date(node.operand)})`;
    default:
      return node satisfies never;
  }
};

const date = (node: DateNode): string => {
  switch (node.kind) {
    case 'date':
      return `'${node.value}'`;
    case 'column':
      return column(node.column);
    default:
      return `${node.kind}(${date(node.operand)})`;
  }
};

export const normalOperand = (value: Exclude<Operand, { type: 'null' }>): string => {
  switch (value.type) {
    case 'number':
      return number(value.node);
    case 'text':
      return text(value.node);
    case 'date':
      return date(value.node);
    case 'boolean':
      return normalForm(value.node);
    default:
      return value satisfies never;
  }
};

export const normalForm = (node: Condition): string => {
  switch (node.kind) {
    case 'constant':
      return String(node.value);
    case 'and':
    case 'or':
      return `${node.kind}(${node.items.map(normalForm).join()})`;
    case 'not':
      return `not(${normalForm(node.operand)})`;
    case 'isNull':
      return `isnull(${normalOperand(node.operand)})`;
    case 'contains':
    case 'startswith':
    case 'endswith':
      return `${node.kind}(${text(node.left)},${text(node.right)})`;
    case 'anyContains':
      return normalForm(node.each);
    case 'compare':
      return `${node.operator}(${pair(node)})`;
    case 'in':
      return `in(${members(node)}${node.orNull ? ',null' : ''})`;
    default:
      return node satisfies never;
  }
};

const pair = (node: Extract<Condition, { kind: 'compare' }>): string => {
  switch (node.type) {
    case 'number':
      return `${number(node.left)},${number(node.right)}`;
    case 'text':
      return `${text(node.left)},${text(node.right)}`;
    case 'date':
      return `${date(node.left)},${date(node.right)}`;
    case 'boolean':
      return `${normalForm(node.left)},${normalForm(node.right)}`;
    default:
      return node satisfies never;
  }
};

const members = (node: Extract<Condition, { kind: 'in' }>): string => {
  switch (node.type) {
    case 'number':
      return [number(node.operand), ...node.values.map(canonicalText)].join();
    case 'text':
      return [text(node.operand), ...node.values.map((value) => JSON.stringify(value))].join();
    case 'date':
      return [date(node.operand), ...node.values.map((value) => `'${value}'`)].join();
    default:
      return node satisfies never;
  }
};
