/**
 * Exact decimals of any length: value = digits × 10^-scale. The scale may be negative (1e400 is one digit),
 * so a literal is never written out before it is known to be short.
 */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** Longest number in a filter, in characters: arithmetic on longer ones takes more than linear time. */
export const maxLiteralDigits = 1_000;

const pattern = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Exponents are clamped to this, which no stored value reaches, so that arithmetic stays cheap. */
const largestExponent = 1_000_000;

/** Moves trailing zeros into the scale; zero is 0 × 10^0. Equal values thus have equal parts. */
const reduced = (negative: boolean, text: string, scale: number): Exact => {
  let end = text.length;
  // Not by a regular expression: `0+$` scans each run of zeros once per zero.
  while (end > 0 && text[end - 1] === '0') end -= 1;
  if (end === 0) return { digits: 0n, scale: 0 };
  const digits = BigInt(text.slice(0, end));
  return { digits: negative ? -digits : digits, scale: scale - (text.length - end) };
};

/** Parses a number in the syntax of OData and JavaScript; undefined if the text is not one. */
export const parseExact = (text: string): Exact | undefined => {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Math.max(-largestExponent, Math.min(largestExponent, Number(exponentText)));
  return reduced(sign === '-', whole + fraction, fraction.length - exponent);
};

export const exactOf = (value: number): Exact => {
  const parsed = parseExact(String(value));
  if (!parsed) throw new RangeError('a finite number was expected');
  return parsed;
};

export const negateExact = (value: Exact): Exact => ({ digits: -value.digits, scale: value.scale });

/** One spelling per value, with an exponent instead of zeros: `-12345e-2`. */
export const canonicalText = ({ digits, scale }: Exact): string =>
  scale === 0 ? `${digits}` : `${digits}e${-scale}`;

const largestSafe = BigInt(Number.MAX_SAFE_INTEGER);

const isSafe = (digits: bigint): boolean => digits <= largestSafe && digits >= -largestSafe;

/** True for whole numbers that are certainly exact as a double. */
export const isSafeInteger = ({ digits, scale }: Exact): boolean => scale === 0 && isSafe(digits);

/** The nearest double; ±Infinity beyond the range. JavaScript rounds decimal text correctly. */
export const nearestDouble = (value: Exact): number => {
  if (value.scale === 0 && isSafe(value.digits)) return Number(value.digits);
  const nearest = Number(canonicalText(value));
  // -0 would be a second parameter for the same comparison.
  return nearest === 0 ? 0 : nearest;
};

const digitCount = (digits: bigint): number => (digits < 0n ? -digits : digits).toString().length;

/** Place of the leading digit: 1 for 1…9, 2 for 10…99, 0 for 0.1…0.9. */
const magnitude = ({ digits, scale }: Exact): number => digitCount(digits) - scale;

export const compareExact = (left: Exact, right: Exact): -1 | 0 | 1 => {
  const leftSign = left.digits === 0n ? 0 : left.digits < 0n ? -1 : 1;
  const rightSign = right.digits === 0n ? 0 : right.digits < 0n ? -1 : 1;
  if (leftSign !== rightSign) return leftSign < rightSign ? -1 : 1;
  if (leftSign === 0) return 0;
  const byMagnitude = magnitude(left) - magnitude(right);
  // Only numbers of the same magnitude are written out, so the work is bounded by the length of the text.
  if (byMagnitude !== 0) return byMagnitude < 0 === leftSign > 0 ? -1 : 1;
  const scale = Math.max(left.scale, right.scale);
  const difference =
    left.digits * 10n ** BigInt(scale - left.scale) - right.digits * 10n ** BigInt(scale - right.scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
};

export const isInteger = (value: Exact): boolean => value.scale <= 0;

interface ScaledFloor {
  /** Largest multiple of 10^-scale that is not above the value, as a count of such units. */
  readonly units: bigint;
  /** True when the value is that multiple. */
  readonly exact: boolean;
}

/**
 * The value in units of 10^-scale, rounded down. Undefined if it has more than `maxDigits` digits at that
 * scale: then it is beyond every value of the column and only its sign matters.
 */
export const floorAt = (value: Exact, scale: number, maxDigits: number): ScaledFloor | undefined => {
  if (value.digits !== 0n && magnitude(value) + scale > maxDigits) return undefined;
  if (value.scale <= scale) {
    return { units: value.digits * 10n ** BigInt(scale - value.scale), exact: true };
  }
  // All digits are below the unit: no need to write out a divisor of a million digits.
  if (magnitude(value) + scale < 0) return { units: value.digits < 0n ? -1n : 0n, exact: false };
  const divisor = 10n ** BigInt(value.scale - scale);
  const quotient = value.digits / divisor;
  return { units: value.digits < 0n ? quotient - 1n : quotient, exact: false };
};

/** `units` × 10^-scale in plain notation, as ClickHouse reads a Decimal. */
export const unitsText = (units: bigint, scale: number): string => {
  if (scale === 0) return units.toString();
  const text = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
};
