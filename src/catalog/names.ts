import { conflict, invalid, notFound } from '../lib/errors.js';
import { handleProblem, nameProblem } from '../model/names.js';
import type { Sql } from '../storage/postgres/sql.js';
import { brokenUnique } from './sql-state.js';

/** @throws AppError 400 that names the field. */
export const requireName = (name: string, field = 'name'): void => {
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid('invalid_name', `${field} ${problem}`);
};

/** The same for the name of an account or team. @throws AppError 400. */
export const requireHandle = (name: string): void => {
  const problem = handleProblem(name);
  if (problem !== undefined) throw invalid('invalid_name', `name ${problem}`);
};

/** Runs a statement that gives an account or team its name. @throws AppError 409 when the name is taken. */
export const claimingName = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const constraint = brokenUnique(error);
    if (constraint === undefined || !/^(names_pkey|accounts_name_key|teams_name_key)$/.test(constraint))
      throw error;
    throw conflict('name_taken', `The name ${name} is taken by an account or team.`);
  }
};

/** An account or a team, found by its name. */
export interface Principal {
  readonly accountId: number | null;
  readonly teamId: number | null;
  readonly name: string;
}

/** @throws AppError 404 when there is neither an account nor a team of this name. */
export const findPrincipal = async (sql: Sql, name: string): Promise<Principal> => {
  const [row] = await sql.query<Principal>(
    `SELECT n.account_id AS "accountId", n.team_id AS "teamId", coalesce(a.name, t.name) AS name
     FROM names n LEFT JOIN accounts a ON a.id = n.account_id LEFT JOIN teams t ON t.id = n.team_id
     WHERE n.key = lower($1)`,
    [name.normalize('NFC')],
  );
  if (row === undefined) throw notFound('principal_not_found', `There is no account or team ${name}.`);
  return row;
};
