import { excerpt, type Failures } from './failure.js';
import type { SyntaxNode } from './syntax.js';
import type { FilterColumn, Operand } from './typed.js';

/** What the binding of one filter needs at every node. */
export interface Binding {
  readonly columns: ReadonlyMap<string, FilterColumn>;
  readonly failures: Failures;
  bind(node: SyntaxNode): Operand;
}

const columnTypes = {
  text: 'String',
  date: 'Date',
  number: 'Decimal',
  boolean: 'Boolean',
  null: 'null',
} as const;
const nouns = {
  number: 'a number',
  text: 'a text',
  date: 'a date',
  boolean: 'a condition',
  null: 'null',
} as const;

/** How a message names what stands at a node. */
export const describe = (node: SyntaxNode, operand: Operand): string => {
  switch (node.kind) {
    case 'column':
      return `the ${columnTypes[operand.type]} column ${excerpt(node.name)}`;
    case 'string':
      return `the text '${excerpt(node.value)}'`;
    case 'number':
    case 'date':
      return `the ${node.kind} ${excerpt(node.text)}`;
    default:
      return nouns[operand.type];
  }
};
