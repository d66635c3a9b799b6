import type { Column } from './types.js';

/** Names of columns that hold years, in some languages: as the service knows them for its notices. */
const yearName =
  /(^|[^\p{L}])(years?|yr|jahre?|années?|annees?|años?|ano|anno|anni|rok|år|jaar|vuosi)($|[^\p{L}])/iu;

/** Years that are stored as numbers, by the name of the column. */
export const holdsYears = ({ name, dataType }: Pick<Column, 'name' | 'dataType'>): boolean =>
  dataType === 'Decimal' && yearName.test(name);

/** Whether texts are years alone, such as 1998. */
export const areYears = (values: readonly (string | undefined)[]): boolean => {
  const given = values.filter((value) => value !== undefined && value !== '');
  return given.length > 0 && given.every((value) => /^(1[5-9]|20)\d\d$/.test(value ?? ''));
};
