import type { Item } from '../../src/providers/provider.js';

const measures = [
  'Consumer prices',
  'Unemployment rate',
  'Industrial production',
  'Exports of goods',
  'Government debt',
  'Gross domestic product',
  'Retail turnover',
  'Dwellings started',
  'Long-term interest rate',
  'Electricity generation',
  'Population in households',
  'Hours worked',
];
const areas = [
  'Germany',
  'France',
  'Poland',
  'Sweden',
  'Portugal',
  'Canada',
  'Japan',
  'Korea',
  'Brazil',
  'Kenya',
];
const groups = [
  'total',
  'men',
  'women',
  'aged 15 to 24',
  'aged 55 to 64',
  'manufacturing',
  'construction',
  'services',
  'households',
  'general government',
];
const forms = [
  'index, 2015 = 100',
  'seasonally adjusted',
  'percentage change on the year before',
  'millions of euros',
  'percent of gross domestic product',
];
const frequencies = ['Annual', 'Quarterly', 'Monthly', 'Weekly', 'Daily'];

const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

/** Series named as by a statistics office; at most 30,000 are distinct. */
export const catalogEntries = (count: number): Item[] =>
  Array.from({ length: count }, (_, number) => {
    const form = Math.floor(number / (measures.length * areas.length * groups.length));
    const group = at(groups, Math.floor(number / (measures.length * areas.length)));
    const area = at(areas, Math.floor(number / measures.length));
    const measure = at(measures, number);
    const frequency = at(frequencies, Math.floor(form / forms.length));
    return {
      id: `STAT.${measure.slice(0, 3).toUpperCase()}.${area.slice(0, 3).toUpperCase()}.${number}`,
      label: `${measure}, ${area}, ${group}, ${at(forms, form)}`,
      description: `${measure} of ${area}: ${group}. Compiled by the national office from surveys and registers and transmitted to the common database.`,
      frequency,
    };
  });

/** Search texts: ids, title words, prefixes, typos, and words without a match. */
export const catalogQueries: readonly string[] = [
  'STAT.CON.GER.0',
  'STAT.UNE',
  'consumer prices germany',
  'unemployment women sweden',
  'gross domestic product',
  'industr',
  'long-term interest rate portugal',
  'dwellings',
  'unemploiment rate frence',
  'electricty japan',
  'hours worked construction kenya percentage change',
  'surveys and registers',
  'general government debt brazil',
  'zebra crossings',
  'population in households aged 15 to 24 poland',
];
