import { type Unit, unitOfText } from '../units.js';

/**
 * Abbreviations of the oil and gas industry, in which M is a thousand and MM a million (https://www.eia.gov/tools/glossary/: MBBL, Mcf,
 * MMcf, Bcf).
 */
const prefixes: Readonly<Record<string, string>> = {
  M: 'thousand',
  MM: 'million',
  B: 'billion',
  T: 'trillion',
};

const measures: Readonly<Record<string, string>> = {
  BBL: 'barrels',
  CF: 'cubic feet',
  GAL: 'gallons',
  ST: 'short tons',
};

/** `MBBL/D` is `thousand barrels per day`; prices such as `$/BBL` are not changed. */
export const unitOf = (units: string | null | undefined): Unit => {
  if (!units) return {};
  const [, prefix = '', measure = '', period] = /^(MM?|B|T)(BBL|CF|GAL|ST)(?:\/(D|CD))?$/i.exec(units) ?? [];
  const magnitude = prefixes[prefix.toUpperCase()];
  if (magnitude === undefined) return unitOfText(units);
  const spelled = `${magnitude} ${measures[measure.toUpperCase()]}${period === undefined ? '' : ' per day'}`;
  return { ...unitOfText(spelled), units };
};
