/** Order of the conditions of a filter. ClickHouse evaluates a PREWHERE one condition at a time, each on the remaining rows. */
import type { Condition } from './typed.js';

interface Node {
  readonly kind: string;
}

const isStored = ({ kind }: Node): boolean => kind === 'column';

const isLiteral = ({ kind }: Node): boolean => kind === 'number' || kind === 'date';

/** True for a stored number or date compared with literals. Texts and calculations cost several times as much. */
const isCheap = (node: Condition): boolean => {
  if (node.kind === 'in') return node.type !== 'text' && isStored(node.operand);
  if (node.kind !== 'compare') return false;
  const { left, right } = node;
  return (isStored(left) && isLiteral(right)) || (isLiteral(left) && isStored(right));
};

/** Moves the cheap operands of a top-level `and` to the front; otherwise the order stays the same. */
export const cheapestFirst = (node: Condition): Condition => {
  if (node.kind !== 'and') return node;
  const cheap = node.items.filter(isCheap);
  return { ...node, items: [...cheap, ...node.items.filter((item) => !isCheap(item))] };
};
