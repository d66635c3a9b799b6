import type { Parameter } from './provider.js';

/** The bounds of the range, by days or by periods of any length. */
export const rangeParameters = (
  unit: 'date' | 'period',
  location: Parameter['location'] = 'query',
): readonly Parameter[] => [
  { key: 'start', label: `First ${unit}`, type: 'text', location, format: 'date' },
  { key: 'end', label: `Last ${unit}`, type: 'text', location, format: 'date' },
];
