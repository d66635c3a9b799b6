import { excerpt, type Failures } from './failure.js';
import { pairReadings } from './readings.js';
import type { SyntaxNode } from './syntax.js';
import type { FilterColumn, Operand } from './typed.js';

/** Columns by name; a map will do. */
export interface ColumnLookup {
  get(name: string): FilterColumn | undefined;
}

/** Context for the binding of one filter. */
export interface Binding {
  readonly columns: ColumnLookup;
  readonly failures: Failures;
  /** See `FilterLimits`. */
  readonly numbersInQuotes: boolean;
  /** Counted up with each column that is bound. */
  columnsRead: number;
  /** Values of long lists that are still to be bound, in steps. */
  readonly later: Generator<void, void>[];
  bind(node: SyntaxNode): Operand;
}

export interface BoundSide {
  readonly node: SyntaxNode;
  readonly operand: Operand;
  readonly readsColumn: boolean;
}

export type BoundPair = readonly [BoundSide, BoundSide];

export const bindSide = (node: SyntaxNode, binding: Binding): BoundSide => {
  const before = binding.columnsRead;
  const operand = binding.bind(node);
  return { node, operand, readsColumn: binding.columnsRead > before };
};

/** Two operands of one operator in all their readings, the likeliest first. Only literals have two. */
export const bindPair = (left: SyntaxNode, right: SyntaxNode, binding: Binding): readonly BoundPair[] => {
  const bound = new Map<SyntaxNode, BoundSide>();
  const sideOf = (node: SyntaxNode): BoundSide => {
    const side = bound.get(node) ?? bindSide(node, binding);
    bound.set(node, side);
    return side;
  };
  return pairReadings(left, right).map(([first, second]) => [sideOf(first), sideOf(second)]);
};

/** Counts the columns of the readings that were chosen, of all that were bound since. */
export const countChosen = (chosen: readonly BoundSide[], before: number, binding: Binding): void => {
  binding.columnsRead = before + chosen.filter((side) => side.readsColumn).length;
};

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

/** How a message names a node. */
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
