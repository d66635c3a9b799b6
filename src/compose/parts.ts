import type { Config } from '../config.js';
import { badConfiguration } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Dependencies of an operator's command. */
export interface CommandParts {
  readonly config: Config;
  readonly log: Log;
  readonly scope: Scope;
  readonly sql: Sql;
}

/** @throws AppError if a setting that production needs is missing. */
export const required = <T>(value: T | undefined, variable: string): T => {
  if (value !== undefined) return value;
  throw badConfiguration(`${variable} is not set (npm start runs embedded components)`);
};
