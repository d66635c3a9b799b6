import type { Emitter, TextSql } from './emitter.js';
import { rawNumber } from './number-sql.js';
import type { NumberNode, TextNode } from './typed.js';

/** White_Space of Unicode: `\s` in regular expressions of ClickHouse is ASCII only. */
const space =
  '[\\\\x{9}-\\\\x{D}\\\\x{20}\\\\x{85}\\\\x{A0}\\\\x{1680}\\\\x{2000}-\\\\x{200A}\\\\x{2028}\\\\x{2029}\\\\x{202F}\\\\x{205F}\\\\x{3000}]';

/** Longer than any stored text. Prevents overflow of offsets in ClickHouse. */
const longest = 4_000_000_000;

/** A number, truncated and at least 0. The operand appears once, so nested SQL grows linearly. */
const countSql = (node: NumberNode, emit: Emitter): string => {
  if (node.kind === 'number') {
    // The binder rejects negative numbers and fractions. Larger numbers are clamped: they are past the end anyway.
    const value =
      node.value.scale < -longest.toString().length
        ? BigInt(longest)
        : node.value.digits * 10n ** BigInt(-node.value.scale);
    return emit.parameters.add('Int64', value < BigInt(longest) ? value.toString() : String(longest));
  }
  const raw = node.kind === 'column' ? undefined : rawNumber(node, emit);
  const number = emit.shapes(node).sure
    ? `toFloat64(trunc(${raw?.sql ?? emit.exact(node)}))`
    : emit.double(node);
  return `toInt64(min2(max2(${number}, 0), ${longest}))`;
};

export const textSql = (node: TextNode, emit: Emitter): TextSql => {
  switch (node.kind) {
    case 'text':
      return { sql: emit.parameters.add('String', node.value), nullable: false };
    case 'column':
      return { sql: node.column.sql, nullable: true };
    case 'concat': {
      const left = emit.text(node.left);
      const right = emit.text(node.right);
      return { sql: `concat(${left.sql}, ${right.sql})`, nullable: left.nullable || right.nullable };
    }
    case 'tolower':
    case 'toupper': {
      const { sql, nullable } = emit.text(node.operand);
      return { sql: `${node.kind === 'tolower' ? 'lowerUTF8' : 'upperUTF8'}(${sql})`, nullable };
    }
    case 'trim': {
      const { sql, nullable } = emit.text(node.operand);
      return { sql: `replaceRegexpAll(${sql}, '^${space}+|${space}+$', '')`, nullable };
    }
    case 'substring': {
      const { sql, nullable } = emit.text(node.operand);
      const counts = node.length === undefined ? [node.from] : [node.from, node.length];
      const [from, length] = counts.map((count) => countSql(count, emit));
      const rest = length === undefined ? '' : `, ${length}`;
      const nullableCount = counts.some((count) => emit.shapes(count).nullable);
      return { sql: `substringUTF8(${sql}, ${from} + 1${rest})`, nullable: nullable || nullableCount };
    }
    default:
      return node satisfies never;
  }
};
