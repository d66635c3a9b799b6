import { inject } from 'vitest';
import { createEmptyDatabase, type FreshDatabase } from './empty-database.js';

export { createEmptyDatabase, type FreshDatabase };

/** A migrated database of its own on the server of the given one, so that files do not see each other. */
export const createDatabase = (databaseUrl: string, name?: string): Promise<FreshDatabase> =>
  createEmptyDatabase(databaseUrl, { template: inject('templateDatabase'), ...(name && { name }) });
