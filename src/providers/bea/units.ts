import { parseCount } from '../numbers.js';
import { requireValue } from '../shape.js';
import { named, type Row } from './reply.js';

const multipliers: Readonly<Record<number, string>> = { 3: 'thousands', 6: 'millions', 9: 'billions' };

/** The power of ten that the values of a row are counted in; none means that they are single units. */
export const powerOf = (row: Row): number =>
  requireValue(named, 'the multiplier of a row', parseCount(row.UNIT_MULT || 0));

/** What one unit of a value is: `Millions of current dollars`, `Current Dollars, millions`. */
export const describeUnits = (row: Row): string => {
  const power = powerOf(row);
  // `Level` says nothing beside the name of the measure.
  const parts = [row.METRIC_NAME, row.CL_UNIT].filter((text): text is string => !!text && text !== 'Level');
  const text = [...new Set(parts)].join(', ');
  const word = power === 0 ? undefined : (multipliers[power] ?? `10^${power}`);
  return word === undefined || text.toLowerCase().includes(word)
    ? text
    : [text, word].filter(Boolean).join(', ');
};
