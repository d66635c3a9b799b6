import type { SeriesMetadata } from './provider.js';

const isEmpty = (value: SeriesMetadata[string]): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Metadata from a reply, without missing and empty values. */
export const toMetadata = (entries: Readonly<Record<string, SeriesMetadata[string]>>): SeriesMetadata =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => !isEmpty(value)));
