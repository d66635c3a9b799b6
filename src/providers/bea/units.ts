import { readExponent, type Unit, unitWithExponent } from '../units.js';
import type { Row } from './reply.js';

/**
 * `UNIT_MULT` is the power of ten that the values are to be multiplied with; `CL_UNIT` repeats it in words for
 * regional tables (`Millions of current dollars`) and not for the others (`Level` beside `Current Dollars`).
 */
export const unitOf = (row: Row): Unit => {
  // `Level` says nothing beside the name of the measure.
  const parts = [row.METRIC_NAME, row.CL_UNIT].filter((text): text is string => !!text && text !== 'Level');
  return unitWithExponent([...new Set(parts)].join(', '), readExponent(row.UNIT_MULT));
};

const multipliers: Readonly<Record<number, string>> = { 1e3: 'thousands', 1e6: 'millions', 1e9: 'billions' };

/** Unit and magnitude in one text, for lists: `Current Dollars, millions`. */
export const describeUnits = (row: Row): string => {
  const { units = '', unit, unitMultiplier = 1 } = unitOf(row);
  if (unitMultiplier === 1 || unit !== units) return units;
  return [units, multipliers[unitMultiplier] ?? `times ${unitMultiplier}`].filter(Boolean).join(', ');
};
