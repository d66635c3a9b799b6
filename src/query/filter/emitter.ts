import type { Shapes } from './number-shape.js';
import type { Parameters } from './parameters.js';
import type { NumberNode, TextNode } from './typed.js';

/** SQL of operands, for the expressions of one statement. One interface, because texts and numbers can contain each other. */
export interface Emitter {
  readonly parameters: Parameters;
  readonly shapes: Shapes;
  text(node: TextNode): TextSql;
  /** Decimal(76, scale) of the node's shape; null for rows without an exact result. */
  exact(node: NumberNode): string;
  /** Float64 of any number; may be infinite or NaN after arithmetic. */
  double(node: NumberNode): string;
}

export interface TextSql {
  readonly sql: string;
  readonly nullable: boolean;
}
