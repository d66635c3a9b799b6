import { inject } from 'vitest';
import { createEmptyDatabase, type FreshDatabase } from './empty-database.js';

export { createEmptyDatabase, type FreshDatabase };

/** Creates a migrated database on the server of the given URL, so that test files are isolated. */
export const createDatabase = (databaseUrl: string, name?: string): Promise<FreshDatabase> =>
  createEmptyDatabase(databaseUrl, { template: inject('templateDatabase'), ...(name && { name }) });
