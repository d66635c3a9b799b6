import type { SeriesMetadata } from './provider.js';

const isEmpty = (fact: SeriesMetadata[string]): boolean =>
  fact === undefined ||
  fact === null ||
  fact === '' ||
  (typeof fact === 'object' && Object.keys(fact).length === 0);

/** Metadata of what the upstream told; what it left out or left empty is not there. */
export const toMetadata = (facts: Readonly<Record<string, SeriesMetadata[string]>>): SeriesMetadata =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => !isEmpty(fact)));
