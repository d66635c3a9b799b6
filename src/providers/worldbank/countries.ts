import type { ParameterValue } from '../parameter.js';
import { titledLines } from '../titled-lines.js';

const valuesOf = (name: string): readonly ParameterValue[] =>
  titledLines(name).map(({ id: code, label }) => ({ code, label }));

const aggregates = valuesOf('codes/world-bank-aggregates.txt');

/** Codes that are regions or groups of countries. */
export const worldBankRegions: ReadonlySet<string> = new Set(aggregates.map(({ code }) => code));

export const worldBankCountries: readonly ParameterValue[] = [
  ...aggregates,
  ...valuesOf('codes/world-bank-countries.txt'),
];
