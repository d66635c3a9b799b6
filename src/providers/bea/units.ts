import { readExponent, type Unit, unitWithExponent } from '../units.js';
import type { Row } from './reply.js';

/**
 * `UNIT_MULT` is the power of ten by which the values must be multiplied. `CL_UNIT` repeats it in words for regional tables (`Millions of
 * current dollars`) but not for others (`Level` with `Current Dollars`).
 */
export const unitOf = (row: Row): Unit => {
  // `Level` adds nothing to the name of the measure.
  const parts = [row.METRIC_NAME, row.CL_UNIT].filter((text): text is string => !!text && text !== 'Level');
  return unitWithExponent([...new Set(parts)].join(', '), readExponent(row.UNIT_MULT));
};
