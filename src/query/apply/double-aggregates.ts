/**
 * Aggregates of doubles whose range no decimal type covers. Intermediate sums and squares may overflow even though the
 * result does not, so values are scaled by a power of two, which loses no digits.
 */
import { sumOverflow } from '../../storage/clickhouse/errors.js';

/** Below this, neither a sum of all rows nor a difference of two values overflows. */
const huge = 1e288;
const sumScale = 2 ** 96;

/** Between these bounds, squares of differences neither overflow nor underflow. */
const squares = { least: 1e-130, most: 1e140, scale: 2 ** 600 } as const;

const literal = (double: number): string => double.toExponential();

/** A linear aggregate, computed on scaled values if they are huge. */
const scaled = (double: string, aggregate: (double: string) => string): string =>
  `if(max(abs(${double})) < ${literal(huge)}, ${aggregate(double)},
    ${aggregate(`${double} / ${literal(sumScale)}`)} * ${literal(sumScale)})`;

/** Fails if the result is too large for a double. */
const orOverflow = (double: string): string =>
  `(${double} + throwIf(ifNull(NOT isFinite(${double}), 0), '${sumOverflow}'))`;

export const sumOfDoubles = (double: string): string =>
  orOverflow(scaled(double, (value) => `sumKahan(${value})`));

export const meanOfDoubles = (double: string): string =>
  scaled(double, (value) => `(sumKahan(${value}) / nullIf(count(${value}), 0))`);

/** @param level 0 to 1 */
export const quantileOfDoubles = (double: string, level: number | undefined): string =>
  scaled(double, (value) => `quantileExactInclusive(${level})(${value})`);

/** Standard deviation of a sample; null for fewer than two values. */
export const deviationOfDoubles = (double: string): string => {
  const most = `max(abs(${double}))`;
  const deviation = (value: string): string => `stddevSampStable(${value})`;
  const scale = literal(squares.scale);
  const result = `multiIf(${most} >= ${literal(squares.most)}, ${deviation(`${double} / ${scale}`)} * ${scale},
    ${most} < ${literal(squares.least)}, ${deviation(`${double} * ${scale}`)} / ${scale}, ${deviation(double)})`;
  return orOverflow(`if(count(${double}) < 2, NULL, ${result})`);
};
