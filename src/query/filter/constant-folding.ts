import type { Exact } from './number-literal.js';
import type { ArithmeticOperator } from './syntax.js';

/** Literals up to this size are folded by the binder, by the rules of number-shape.ts. */
const maxFoldedDigits = 10n ** 30n;
const maxFoldedScale = 15;
const quotientScale = 22;

const isSmall = ({ digits, scale }: Exact): boolean =>
  digits < maxFoldedDigits && digits > -maxFoldedDigits && Math.abs(scale) <= maxFoldedScale;

const unitsAt = ({ digits, scale }: Exact, wanted: number): bigint => digits * 10n ** BigInt(wanted - scale);

const withoutZeros = (digits: bigint, scale: number): Exact => {
  if (digits === 0n) return { digits: 0n, scale: 0 };
  let [rest, places] = [digits, scale];
  while (rest % 10n === 0n) {
    rest /= 10n;
    places -= 1;
  }
  return { digits: rest, scale: places };
};

/** Returns the result, null for a division by zero, or undefined if the operands are too long to fold. */
export const foldArithmetic = (
  operator: ArithmeticOperator,
  left: Exact,
  right: Exact,
): Exact | null | undefined => {
  if (!isSmall(left) || !isSmall(right)) return undefined;
  const scale = Math.max(0, left.scale, right.scale);
  const [leftUnits, rightUnits] = [unitsAt(left, scale), unitsAt(right, scale)];
  switch (operator) {
    case 'add':
      return withoutZeros(leftUnits + rightUnits, scale);
    case 'sub':
      return withoutZeros(leftUnits - rightUnits, scale);
    case 'mul':
      return withoutZeros(left.digits * right.digits, left.scale + right.scale);
    case 'mod':
      return rightUnits === 0n ? null : withoutZeros(leftUnits % rightUnits, scale);
    case 'div':
      // Truncates towards zero, like ClickHouse.
      return rightUnits === 0n
        ? null
        : withoutZeros((leftUnits * 10n ** BigInt(quotientScale)) / rightUnits, quotientScale);
    default:
      return operator satisfies never;
  }
};
