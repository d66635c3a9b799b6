import { type Unit, unitOfText, unitTimes } from '../units.js';
import type { Catalog } from './reply.js';

/**
 * Units by survey, according to the formats of series ids (https://www.bls.gov/help/hlpforma.htm): the catalogue, which has them, needs a
 * key, and for prices it names the good instead.
 */
const conventions: readonly (readonly [form: RegExp, units: string])[] = [
  [/^CE[SU]\d{8}(?:01|06|10|26)$/, 'Thousands of persons'],
  [/^CE[SU]\d{8}(?:02|04|07|09)$/, 'Hours'],
  [/^CE[SU]\d{8}(?:03|08|11|15|30)$/, 'U.S. dollars'],
  [/^JT[SU]\d{15}[A-Z]{2}L$/, 'Thousands'],
  [/^JT[SU]\d{15}[A-Z]{2}R$/, 'Percent'],
  [/^LA[SU][A-Z]{2}\d{13}03$/, 'Percent'],
  [/^LA[SU][A-Z]{2}\d{13}0[456]$/, 'Persons'],
  [/^LN[SU][01][123]000000$/, 'Thousands of persons'],
  [/^LN[SU][01](?:13|23|4\d)\d{5}$/, 'Percent'],
  [/^(?:CU|CW|SU|PC|WP|WD|EI)/, 'Index'],
  [/^AP/, 'U.S. dollars'],
];

/** The magnitude is in the type of the measure or in the title: `All employees, thousands, total nonfarm`. */
const unitOfCatalog = ({ measure_data_type, series_title }: Catalog): Unit => {
  const measure = unitOfText(measure_data_type ?? undefined);
  if (measure.unitMultiplier !== 1) return measure;
  return unitTimes(measure.unit, unitOfText(series_title ?? undefined).unitMultiplier ?? 1);
};

export const unitOf = (seriesId: string, catalog: Catalog | null | undefined): Unit => {
  const catalogUnit = catalog ? unitOfCatalog(catalog) : {};
  const usual = unitOfText(conventions.find(([form]) => form.test(seriesId))?.[1]);
  return usual.unit === undefined
    ? catalogUnit
    : unitTimes(usual.unit, usual.unitMultiplier ?? 1, catalogUnit.units ?? usual.units);
};
