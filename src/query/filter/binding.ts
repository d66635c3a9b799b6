import { excerpt, type Failures } from './failure.js';
import { pairReadings } from './readings.js';
import type { SyntaxNode } from './syntax.js';
import type { FilterColumn, Operand } from './typed.js';

/** Columns by name, such as a Map. */
export interface ColumnLookup {
  get(name: string): FilterColumn | undefined;
}

/** State of binding one filter. */
export interface Binding {
  readonly columns: ColumnLookup;
  readonly failures: Failures;
  /** See `FilterLimits`. */
  readonly numbersInQuotes: boolean;
  /** Columns bound so far. */
  columnsRead: number;
  /** Lists whose values are not yet bound. */
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

/** All readings of the two operands, most likely first. Only literals have two readings. */
export const bindPair = (left: SyntaxNode, right: SyntaxNode, binding: Binding): readonly BoundPair[] => {
  const bound = new Map<SyntaxNode, BoundSide>();
  const sideOf = (node: SyntaxNode): BoundSide => {
    const side = bound.get(node) ?? bindSide(node, binding);
    bound.set(node, side);
    return side;
  };
  return pairReadings(left, right).map(([first, second]) => [sideOf(first), sideOf(second)]);
};

/** Resets the column count to `before` plus the chosen readings: the other readings were bound only as a trial. */
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

/** Name of a node for messages. */
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
