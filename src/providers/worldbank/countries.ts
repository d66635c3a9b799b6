import { readSourceLines } from '../../lib/source-files.js';
import type { ParameterValue } from '../parameter.js';
import { titledLines } from '../titled-lines.js';

const aggregates = readSourceLines('codes/world-bank-aggregates.txt').map((line) => {
  const [code = '', label = '', shortCode = ''] = line.split(' | ');
  return { code, label, shortCode };
});

/** Codes that are regions or groups of countries. */
export const worldBankRegions: ReadonlySet<string> = new Set(aggregates.map(({ code }) => code));

/** Codes of regions and groups by their codes of two characters. */
export const codesByShortCode: ReadonlyMap<string, string> = new Map(
  aggregates.map(({ code, shortCode }) => [shortCode, code]),
);

export const worldBankCountries: readonly ParameterValue[] = [
  ...aggregates.map(({ code, label }) => ({ code, label })),
  ...titledLines('codes/world-bank-countries.txt').map(({ id: code, label }) => ({ code, label })),
];
