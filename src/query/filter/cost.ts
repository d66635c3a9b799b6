/** Order of the conditions of a filter. ClickHouse tests those of a PREWHERE one after the other, each in the rows that are left. */
import type { Condition } from './typed.js';

interface Node {
  readonly kind: string;
}

const isStored = ({ kind }: Node): boolean => kind === 'column';

const isLiteral = ({ kind }: Node): boolean => kind === 'number' || kind === 'date';

/** True for a stored number or date that is compared with literals: texts and calculations cost several times as much. */
const isCheap = (node: Condition): boolean => {
  if (node.kind === 'in') return node.type !== 'text' && isStored(node.operand);
  if (node.kind !== 'compare') return false;
  const { left, right } = node;
  return (isStored(left) && isLiteral(right)) || (isLiteral(left) && isStored(right));
};

/** Moves the cheap ones of the conditions that `and` joins before the others; otherwise the order stays. */
export const cheapestFirst = (node: Condition): Condition => {
  if (node.kind !== 'and') return node;
  const cheap = node.items.filter(isCheap);
  return { ...node, items: [...cheap, ...node.items.filter((item) => !isCheap(item))] };
};
