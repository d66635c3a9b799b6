import { titledLines } from '../titled-lines.js';

export const databases: ReadonlyMap<string, string> = new Map(
  titledLines('codes/bank-of-japan-databases.txt').map(({ id, label }) => [id, label]),
);

/** Databases whose series are in the search index: small and frequently used ones. */
export const listedDatabases = ['FM01', 'FM02', 'FM08', 'FM09', 'IR01', 'IR04', 'MD01', 'MD02'] as const;
