/**
 * A literal that is spelled exactly like a column (`2020`, `2020-01`, `null`) has two readings. It is read as the column
 * on the left of an operator, and on the right if the other side is a literal or another column. Everywhere else, in
 * lists, and where only a value fits, it is the value. A quoted text is a column only if no other operand is one.
 */
import type { ColumnNode, LiteralNode, SyntaxNode } from './syntax.js';

type Pair = readonly [SyntaxNode, SyntaxNode];

const literalKinds: ReadonlySet<string> = new Set(['null', 'boolean', 'number', 'string', 'date']);

export const isLiteral = (node: SyntaxNode): node is LiteralNode => literalKinds.has(node.kind);

const columnOf = (node: LiteralNode, name: string): ColumnNode =>
  Object.freeze({ kind: 'column', name, start: node.start, height: 1 });

/** Readings of a node, most likely first. */
export const readingsOf = (node: SyntaxNode, prefersColumn: boolean): readonly SyntaxNode[] => {
  if (!isLiteral(node) || node.name === undefined) return [node];
  const column = columnOf(node, node.name);
  return prefersColumn && node.kind !== 'string' ? [column, node] : [node, column];
};

const prefersColumnAfter = (left: SyntaxNode, right: SyntaxNode): boolean => {
  if (left.kind !== 'column') return isLiteral(left);
  return !isLiteral(right) || right.name !== left.name;
};

/** Readings of the two operands of an operator, most likely first. */
export const pairReadings = (left: SyntaxNode, right: SyntaxNode): readonly Pair[] =>
  readingsOf(left, true).flatMap((first) =>
    readingsOf(right, prefersColumnAfter(first, right)).map((second): Pair => [first, second]),
  );
