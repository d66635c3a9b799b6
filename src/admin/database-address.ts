import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.js';
import { AppError } from '../lib/errors.js';

/** What `npm start` writes about the PostgreSQL it runs; the part of it that an address is made of. */
const stateSchema = z.object({ ports: z.object({ sql: z.number() }), password: z.string() });

const stateOf = (dataDir: string): z.infer<typeof stateSchema> | undefined => {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(join(dataDir, 'embedded', 'postgres.json'), 'utf8')));
  } catch {
    // No such file, or not one of ours: then there is no embedded database in this folder.
    return undefined;
  }
};

/** DATABASE_URL, or the address of the database that `npm start` runs in the data folder. */
export const databaseAddress = ({ databaseUrl, dataDir }: Config): string => {
  if (databaseUrl !== undefined) return databaseUrl;
  const state = stateOf(dataDir);
  if (state !== undefined)
    return `postgres://tabulary:${encodeURIComponent(state.password)}@127.0.0.1:${state.ports.sql}/tabulary`;
  throw new AppError(
    'invalid',
    'bad_configuration',
    `DATABASE_URL is not set, and ${dataDir} is not the data folder of npm start`,
  );
};
