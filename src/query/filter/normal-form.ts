import { canonicalText } from './number-literal.js';
import type { Condition, DateNode, NumberNode, TextNode } from './typed.js';

type TypedNode = Condition | NumberNode | TextNode | DateNode;

const called = (name: string, nodes: readonly TypedNode[]): string =>
  `${name}(${nodes.map(normalForm).join()})`;

/**
 * Canonical text of a typed tree, without differences in white space, brackets, case of operators, and spelling of
 * numbers and periods. Columns are ids. Used in entity tags, so filters that can select different rows must differ.
 */
export const normalForm = (node: TypedNode): string => {
  switch (node.kind) {
    case 'constant':
      return String(node.value);
    case 'column':
      return `#${node.column.id}`;
    case 'number':
      return canonicalText(node.value);
    case 'text':
      return JSON.stringify(node.value);
    case 'date':
      return `'${node.value}'`;
    case 'and':
    case 'or':
      return called(node.kind, node.items);
    case 'isNull':
      return called('isnull', [node.operand.node]);
    case 'anyContains':
      return normalForm(node.each);
    case 'compare':
    case 'arithmetic':
      return called(node.operator, [node.left, node.right]);
    case 'in': {
      // The cast is safe: a value of a list is a literal of its type.
      const values = node.values.map((value) => ({ kind: node.type, value }) as TypedNode);
      const orNull: readonly TypedNode[] = node.orNull ? [{ kind: 'constant', value: null }] : [];
      return called('in', [node.operand, ...values, ...orNull]);
    }
    case 'contains':
    case 'startswith':
    case 'endswith':
    case 'concat':
    case 'indexof':
      return called(node.kind, [node.left, node.right]);
    case 'substring':
      return called(node.kind, [
        node.operand,
        node.from,
        ...(node.length === undefined ? [] : [node.length]),
      ]);
    default:
      return called(node.kind, [node.operand]);
  }
};
