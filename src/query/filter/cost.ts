/** Order of the conditions of a filter. ClickHouse tests those of a PREWHERE one after the other, each in the rows that are left. */
import type { Condition, DateNode, NumberNode } from './typed.js';

const isStored = ({ kind }: NumberNode | DateNode): boolean => kind === 'column';

const isLiteral = ({ kind }: NumberNode | DateNode): boolean => kind === 'number' || kind === 'date';

/** True for a stored number or date that is compared with literals: texts and calculations cost several times as much. */
const isCheap = (node: Condition): boolean => {
  if (node.kind === 'in') return node.type !== 'text' && isStored(node.operand);
  if (node.kind !== 'compare' || node.type === 'text' || node.type === 'boolean') return false;
  const { left, right } = node;
  return (isStored(left) && isLiteral(right)) || (isLiteral(left) && isStored(right));
};

/** Moves the cheap ones of the conditions that `and` joins before the others; otherwise the order stays. */
export const cheapestFirst = (node: Condition): Condition => {
  if (node.kind !== 'and') return node;
  const cheap = node.items.filter(isCheap);
  return { ...node, items: [...cheap, ...node.items.filter((item) => !isCheap(item))] };
};
