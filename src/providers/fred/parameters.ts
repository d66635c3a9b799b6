import type { Parameter, ParameterValue } from '../parameter.js';
import { rangeParameters } from '../range.js';
import { type Unit, unitOfText } from '../units.js';

const unitsOf: readonly ParameterValue[] = [
  { code: 'lin', label: 'Levels, no transformation' },
  { code: 'chg', label: 'Change' },
  { code: 'ch1', label: 'Change from year ago' },
  { code: 'pch', label: 'Percent change' },
  { code: 'pc1', label: 'Percent change from year ago' },
  { code: 'pca', label: 'Compounded annual rate of change' },
  { code: 'cch', label: 'Continuously compounded rate of change' },
  { code: 'cca', label: 'Continuously compounded annual rate of change' },
  { code: 'log', label: 'Natural logarithm' },
];

/** FRED only aggregates to a lower frequency; it refuses a higher one than the series has. */
export const frequencies: readonly ParameterValue[] = [
  { code: 'd', label: 'Daily' },
  { code: 'w', label: 'Weekly' },
  { code: 'bw', label: 'Biweekly' },
  { code: 'm', label: 'Monthly' },
  { code: 'q', label: 'Quarterly' },
  { code: 'sa', label: 'Semiannual' },
  { code: 'a', label: 'Annual' },
  { code: 'wef', label: 'Weekly, ending Friday' },
  { code: 'weth', label: 'Weekly, ending Thursday' },
  { code: 'wew', label: 'Weekly, ending Wednesday' },
  { code: 'wetu', label: 'Weekly, ending Tuesday' },
  { code: 'wem', label: 'Weekly, ending Monday' },
  { code: 'wesu', label: 'Weekly, ending Sunday' },
  { code: 'wesa', label: 'Weekly, ending Saturday' },
  { code: 'bwew', label: 'Biweekly, ending Wednesday' },
  { code: 'bwem', label: 'Biweekly, ending Monday' },
];

export const aggregations: readonly ParameterValue[] = [
  { code: 'avg', label: 'Average' },
  { code: 'sum', label: 'Sum' },
  { code: 'eop', label: 'End of period' },
];

const day = (key: string, label: string): Parameter => ({
  key,
  label,
  type: 'text',
  location: 'query',
  format: 'date',
  pattern: /\d{4}-\d{2}-\d{2}/,
  computes: true,
});

export const parameters: readonly Parameter[] = [
  {
    key: 'units',
    label: 'Units',
    type: 'select',
    location: 'query',
    default: 'lin',
    values: unitsOf,
    computes: true,
  },
  {
    key: 'frequency',
    label: 'Frequency',
    type: 'select',
    location: 'query',
    values: frequencies,
    computes: true,
  },
  {
    key: 'aggregation',
    label: 'Aggregation to the frequency',
    type: 'select',
    location: 'query',
    default: 'avg',
    values: aggregations,
  },
  ...rangeParameters('date'),
  day('asOf', 'Values as they were published by that day, YYYY-MM-DD'),
  day(
    'realtimeStart',
    'First day of a real-time period, YYYY-MM-DD. A period of one day is the same as asOf, a longer one a panel of vintages',
  ),
  day('realtimeEnd', 'Last day of a real-time period, YYYY-MM-DD'),
];

export const labelOf = (values: readonly ParameterValue[], code: string): string =>
  values.find((value) => value.code === code)?.label ?? code;

/**
 * Units after a transformation. The magnitude is in the text (`Billions of Dollars`) and applies to differences; rates and logarithms have
 * none.
 */
export const unitAfter = (code: string, units: string | undefined): Unit => {
  if (code === 'lin') return unitOfText(units);
  const change = labelOf(unitsOf, code);
  if (code === 'chg' || code === 'ch1') {
    const { unit, unitMultiplier } = unitOfText(units);
    return unit === undefined || unitMultiplier === undefined
      ? {}
      : { units: `${change}, ${units}`, unit: `${change}, ${unit}`, unitMultiplier };
  }
  const text = code === 'log' && units !== undefined ? `${change}, ${units}` : change;
  return { units: text, unit: text, unitMultiplier: 1 };
};
