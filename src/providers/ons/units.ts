import { type Unit, unitOfText, unitTimes } from '../units.js';

/** Abbreviations of magnitudes: `£m`, `000s`. */
const magnitudes: Readonly<Record<string, number>> = {
  k: 1e3,
  '000s': 1e3,
  "000's": 1e3,
  m: 1e6,
  mn: 1e6,
  bn: 1e9,
};

const currencies: Readonly<Record<string, string>> = { '£': 'Pounds sterling', $: 'US dollars', '€': 'Euro' };

/** The currency precedes the value (`preUnit`), the magnitude or the unit follows it. */
export const unitOf = (preUnit: string | null | undefined, unit: string | null | undefined): Unit => {
  const [before, after] = [preUnit ?? '', unit ?? ''];
  const currency = currencies[before] ?? before;
  const magnitude = magnitudes[after.toLowerCase()];
  if (magnitude !== undefined) return unitTimes(currency || 'Number', magnitude);
  if (after === '%') return unitOfText('Percent');
  return unitOfText([currency, after].filter((text) => text !== '').join(', '));
};
