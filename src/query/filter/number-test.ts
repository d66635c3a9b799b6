/** Comparison of numbers, exact for every stored value and every literal. */
import type { Emitter } from './emitter.js';
import {
  compareExact,
  type Exact,
  exactOf,
  floorAt,
  isSafeInteger,
  nearestDouble,
  unitsText,
} from './number-literal.js';
import { aligned, type ExactShape, maxDigits, type NumberShape } from './number-shape.js';
import { isDouble as isDoubleColumn, isExactRow, type RawNumber, rawNumber } from './number-sql.js';
import { holds, mirrored, signs, type Test } from './test-sql.js';
import type { Comparison, NumberNode } from './typed.js';

const isDouble = (node: NumberNode): boolean => node.kind === 'column' && isDoubleColumn(node.column);

interface Side {
  readonly node: NumberNode;
  readonly shape: NumberShape;
}

export const numberTest = (
  operator: Comparison,
  leftNode: NumberNode,
  rightNode: NumberNode,
  emit: Emitter,
): Test => {
  const left: Side = { node: leftNode, shape: emit.shapes(leftNode) };
  const right: Side = { node: rightNode, shape: emit.shapes(rightNode) };
  if (leftNode.kind === 'number') {
    if (rightNode.kind !== 'number') return numberTest(mirrored[operator], rightNode, leftNode, emit);
    return { operator, test: holds(operator, compareExact(leftNode.value, rightNode.value)), nulls: [] };
  }
  const nulls = [left, right].flatMap((side) =>
    side.shape.nullable && side.node.kind !== 'number' ? [isNull(side, emit)] : [],
  );
  const testOf = (test: string | boolean): Test => ({ operator, test, nulls });
  if (rightNode.kind === 'number') {
    if (isDouble(leftNode)) return testOf(doubleWithLiteral(operator, leftNode, rightNode.value, emit));
    if (left.shape.sure && left.shape.exact) {
      return testOf(exactWithLiteral(operator, rawOf(left, emit), left.shape.exact, rightNode.value, emit));
    }
    return testOf(mixed(operator, left, right, emit));
  }
  if (isDouble(leftNode) && isDouble(rightNode)) {
    return testOf(`${emit.double(leftNode)} ${signs[operator]} ${emit.double(rightNode)}`);
  }
  if (isDouble(leftNode) && right.shape.sure) return testOf(doubleWithExact(operator, leftNode, right, emit));
  if (isDouble(rightNode) && left.shape.sure)
    return testOf(doubleWithExact(mirrored[operator], rightNode, left, emit));
  if (left.shape.sure && right.shape.sure) return testOf(exactWithExact(operator, left, right, emit));
  return testOf(mixed(operator, left, right, emit));
};

const rawOf = ({ node, shape }: Side, emit: Emitter): RawNumber =>
  rawNumber(node, emit) ?? { sql: emit.exact(node), type: `Decimal(76, ${shape.exact?.scale ?? 0})` };

/** A double that is null instead of infinite or NaN. */
const finite = ({ node, shape }: Side, emit: Emitter): string => {
  const sql = emit.double(node);
  return shape.sure || isDouble(node) || node.kind === 'number' ? sql : `if(isFinite(${sql}), ${sql}, NULL)`;
};

export const isNull = (side: Side, emit: Emitter): string => {
  const { node, shape } = side;
  if (shape.sure || isDouble(node)) return `isNull(${rawOf(side, emit).sql})`;
  const double = `isNull(${finite(side, emit)})`;
  return shape.exact ? `if(${isExactRow([node])}, isNull(${emit.exact(node)}), ${double})` : double;
};

/** Not `= 0`: ClickHouse turns three or more equalities of one operand into a set, and sets distinguish -0 from 0. */
const isZero = (sql: string): string => `(${sql} >= 0 AND ${sql} <= 0)`;

/**
 * A stored double represents its shortest decimal text, and these texts have the order of the doubles. A literal
 * between two doubles is therefore replaced by the nearest one, and `<` or `<=` is chosen by the side it is on.
 */
const doubleWithLiteral = (
  operator: Comparison,
  node: NumberNode,
  literal: Exact,
  emit: Emitter,
): string | boolean => {
  const nearest = nearestDouble(literal);
  if (!Number.isFinite(nearest)) return holds(operator, nearest > 0 ? -1 : 1);
  const order = compareExact(exactOf(nearest), literal);
  if (operator === 'eq') {
    if (order !== 0) return false;
    const column = emit.double(node);
    return nearest === 0 ? isZero(column) : `${column} = ${emit.parameters.add('Float64', nearest)}`;
  }
  const shifted = order === 0 ? operator : nearestOperator(operator, order < 0);
  return `${emit.double(node)} ${signs[shifted]} ${emit.parameters.add('Float64', nearest)}`;
};

/** Operator for a comparison with a neighbour of the literal. @param below the neighbour is smaller than the literal */
const nearestOperator = (operator: Exclude<Comparison, 'eq'>, below: boolean): Comparison => {
  const less = operator === 'lt' || operator === 'le';
  if (less) return below ? 'le' : 'lt';
  return below ? 'gt' : 'ge';
};

const exactWithLiteral = (
  operator: Comparison,
  raw: RawNumber,
  shape: ExactShape,
  literal: Exact,
  emit: Emitter,
): string | boolean => {
  const floor = floorAt(literal, shape.scale, maxDigits);
  if (floor === undefined) return holds(operator, literal.digits > 0n ? -1 : 1);
  if (floor.units >= shape.bound) return holds(operator, -1);
  if (floor.units <= -shape.bound) return holds(operator, 1);
  if (operator === 'eq' && !floor.exact) return false;
  const shifted = floor.exact || operator === 'eq' ? operator : nearestOperator(operator, true);
  return `${raw.sql} ${signs[shifted]} ${emit.parameters.add(raw.type, unitsText(floor.units, shape.scale))}`;
};

const exactWithExact = (operator: Comparison, left: Side, right: Side, emit: Emitter): string => {
  const [leftRaw, rightRaw] = [rawOf(left, emit), rawOf(right, emit)];
  if (leftRaw.type === rightRaw.type) return `${leftRaw.sql} ${signs[operator]} ${rightRaw.sql}`;
  const [leftSql, rightSql] = [emit.exact(left.node), emit.exact(right.node)];
  if (aligned(left.shape.exact, right.shape.exact)) return `${leftSql} ${signs[operator]} ${rightSql}`;
  // No common scale holds both: compares the whole parts first, then the fractions, which always fit.
  const [leftWhole, rightWhole] = [`toInt256(trunc(${leftSql}))`, `toInt256(trunc(${rightSql}))`];
  const [leftRest, rightRest] = [`(${leftSql} - trunc(${leftSql}))`, `(${rightSql} - trunc(${rightSql}))`];
  if (operator === 'eq') return `(${leftWhole} = ${rightWhole} AND ${leftRest} = ${rightRest})`;
  const bySize = `${leftWhole} ${signs[operator]} ${rightWhole}`;
  return `if(${leftWhole} = ${rightWhole}, ${leftRest} ${signs[operator]} ${rightRest}, ${bySize})`;
};

/**
 * Compares the double's text, truncated to the other side's scale, and checks if that lost digits. A lost rest moves the
 * double away from zero, but never past the other side. Text that does not fit that scale is beyond all its values.
 */
const doubleWithExact = (operator: Comparison, double: NumberNode, other: Side, emit: Emitter): string => {
  const column = emit.double(double);
  const exact = emit.exact(other.node);
  const scale = other.shape.exact?.scale ?? 0;
  const cut = `toDecimal256OrNull(toString(${column}), ${scale})`;
  const decimals = `(toInt32(length(extract(toString(${column}), '\\\\.([0-9]+)'))) - toInt32OrZero(extract(toString(${column}), 'e(-?[0-9]+)')))`;
  const missing = `(isNull(${column}) OR isNull(${exact}))`;
  const lost = `${decimals} > ${scale}`;
  switch (operator) {
    case 'eq':
      return `multiIf(${missing}, NULL, isNull(${cut}), 0, ${cut} = ${exact} AND (NOT (${lost})))`;
    case 'lt':
    case 'le':
      return `multiIf(${missing}, NULL, isNull(${cut}), ${column} < 0, ${lost}, if(${column} < 0, ${cut} <= ${exact}, ${cut} < ${exact}), ${cut} ${signs[operator]} ${exact})`;
    case 'gt':
    case 'ge':
      return `multiIf(${missing}, NULL, isNull(${cut}), ${column} > 0, ${lost}, if(${column} > 0, ${cut} >= ${exact}, ${cut} > ${exact}), ${cut} ${signs[operator]} ${exact})`;
    default:
      return operator satisfies never;
  }
};

/** Exact for rows that allow it, double for the others. */
const mixed = (operator: Comparison, left: Side, right: Side, emit: Emitter): string => {
  const double = `${finite(left, emit)} ${signs[operator]} ${finite(right, emit)}`;
  if (!aligned(left.shape.exact, right.shape.exact)) return double;
  const exact = `${emit.exact(left.node)} ${signs[operator]} ${emit.exact(right.node)}`;
  return `if(${isExactRow([left.node, right.node])}, ${exact}, ${double})`;
};

/** The test is false if the operand can have none of the listed values. */
export const numberMembership = (node: NumberNode, values: readonly Exact[], emit: Emitter): Test => {
  const side: Side = { node, shape: emit.shapes(node) };
  if (node.kind === 'number') {
    return { operator: 'in', test: values.some((value) => compareExact(value, node.value) === 0), nulls: [] };
  }
  const { exact, sure, nullable } = side.shape;
  const nulls = nullable ? [isNull(side, emit)] : [];
  if (isDouble(node)) {
    const test = doubleMembership(emit.double(node), values.filter(isDoubleText), emit);
    return { operator: 'in', test, nulls };
  }
  const exactTest = exact === undefined ? false : exactMembership(rawOf(side, emit), exact, values, emit);
  if (sure) return { operator: 'in', test: exactTest, nulls };
  const double = doubleMembership(finite(side, emit), values, emit);
  if (exactTest === false && double === false) return { operator: 'in', test: false, nulls };
  if (exact === undefined) return { operator: 'in', test: double, nulls };
  // Even if no value can match, the test must be null for a null operand.
  const [inExact, inDouble] = [exactTest, double].map((test) => test || `nullIf(${nulls[0]}, 1)`);
  return { operator: 'in', test: `if(${isExactRow([node])}, ${inExact}, ${inDouble})`, nulls };
};

/** A double preserves fifteen digits, except near the ends of its range. */
const surelyDouble = 10n ** 15n;
const farFromEnds = 280;

const isDoubleText = (value: Exact): boolean => {
  const { digits, scale } = value;
  if (isSafeInteger(value)) return true;
  if (digits < surelyDouble && digits > -surelyDouble && Math.abs(scale) < farFromEnds) return true;
  const nearest = nearestDouble(value);
  return Number.isFinite(nearest) && compareExact(exactOf(nearest), value) === 0;
};

const doubleMembership = (sql: string, values: readonly Exact[], emit: Emitter): string | false => {
  const doubles = [...new Set(values.map(nearestDouble).filter(Number.isFinite))];
  if (doubles.length === 0) return false;
  const list = emit.parameters.addTexts(doubles.map(String));
  const listed = `${sql} IN CAST(${list}, 'Array(Float64)')`;
  return doubles.includes(0) ? `(${listed} OR ${isZero(sql)})` : `(${listed})`;
};

const exactMembership = (
  raw: RawNumber,
  shape: ExactShape,
  values: readonly Exact[],
  emit: Emitter,
): string | false => {
  const texts = new Set<string>();
  for (const value of values) {
    const floor = floorAt(value, shape.scale, maxDigits);
    if (floor?.exact && floor.units < shape.bound && floor.units > -shape.bound) {
      texts.add(unitsText(floor.units, shape.scale));
    }
  }
  if (texts.size === 0) return false;
  // A list of texts: the client quotes the elements, and ClickHouse cannot parse quoted elements as numbers.
  const list = emit.parameters.addTexts([...texts]);
  return `(${raw.sql} IN CAST(${list}, 'Array(${raw.type})'))`;
};
