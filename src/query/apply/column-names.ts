import { isLiteral } from '../filter/readings.js';
import type { SyntaxNode } from '../filter/syntax.js';

/** Names of the columns that an expression may read, including those spelled like a literal. */
export const columnNames = (root: SyntaxNode): string[] => {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (isLiteral(node)) {
      if (node.name !== undefined) names.add(node.name);
      return;
    }
    switch (node.kind) {
      case 'column':
        names.add(node.name);
        break;
      case 'call':
        node.args.forEach(visit);
        break;
      case 'not':
      case 'negate':
      case 'in':
        visit(node.operand);
        break;
      case 'and':
      case 'or':
        node.items.forEach(visit);
        break;
      case 'compare':
      case 'arithmetic':
        visit(node.left);
        visit(node.right);
        break;
      default:
        node satisfies never;
    }
  };
  visit(root);
  return [...names];
};
