import type { Column } from './types.js';

/** Names of columns of years in some languages, like those that the service uses for its notices. */
const yearName =
  /(^|[^\p{L}])(years?|yr|jahre?|années?|annees?|años?|ano|anno|anni|rok|år|jaar|vuosi)($|[^\p{L}])/iu;

/** Guesses from its name if a number column contains years. */
export const holdsYears = ({ name, dataType }: Pick<Column, 'name' | 'dataType'>): boolean =>
  dataType === 'Decimal' && yearName.test(name);

/** True if all texts are plain years, such as 1998. */
export const areYears = (values: readonly (string | undefined)[]): boolean => {
  const given = values.filter((value) => value !== undefined && value !== '');
  return given.length > 0 && given.every((value) => /^(1[5-9]|20)\d\d$/.test(value ?? ''));
};
