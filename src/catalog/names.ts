import { conflict, invalid, notFound } from '../lib/errors.js';
import {
  handleKey,
  handleProblem,
  handleSkeleton,
  ownHandleProblem,
  writtenSkeleton,
} from '../model/handles.js';
import { nameProblem } from '../model/names.js';
import type { Sql } from '../storage/postgres/sql.js';
import { brokenUnique } from './sql-state.js';

const refusing =
  (problemOf: (name: string) => string | undefined) =>
  (name: string): void => {
    const problem = problemOf(name);
    if (problem !== undefined) throw invalid('invalid_name', `name ${problem}`);
  };

/** @throws AppError 400 */
export const requireName = refusing(nameProblem);

/** Checks a name that an operator gives to an account. @throws AppError 400. */
export const requireHandle = refusing(handleProblem);

/** Checks a name that a user gives to an account or team. @throws AppError 400. */
export const requireOwnHandle = refusing(ownHandleProblem);

/**
 * Runs a transaction that creates or renames an account or team and calls `claimName` in it.
 * @throws AppError 409 if the name, or one that looks like it, is taken.
 */
export const claimingName = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const constraint = brokenUnique(error);
    if (constraint === undefined) throw error;
    if (['names_skeleton_key', 'names_written_skeleton_key'].includes(constraint))
      throw conflict('name_taken', `The name ${name} looks like the name of another account or team.`);
    if (!['names_pkey', 'accounts_name_key', 'teams_name_key'].includes(constraint)) throw error;
    throw conflict('name_taken', `The name ${name} is taken by an account or team.`);
  }
};

/** Registers the name of a new or renamed account or team in their common namespace. */
export const claimName = async (
  tx: Sql,
  owner: { readonly kind: 'account' | 'team'; readonly id: number },
  name: string,
): Promise<void> => {
  const column = owner.kind === 'account' ? 'account_id' : 'team_id';
  await tx.query(
    `INSERT INTO names (key, skeleton, written_skeleton, ${column}) VALUES ($1, $2, $3, $4)
     ON CONFLICT (${column}) DO UPDATE SET key = excluded.key, skeleton = excluded.skeleton,
       written_skeleton = excluded.written_skeleton`,
    [handleKey(name), handleSkeleton(name), writtenSkeleton(name), owner.id],
  );
};

/** An account or a team, found by its name. */
export interface Principal {
  readonly accountId: number | null;
  readonly teamId: number | null;
  readonly name: string;
}

/** @throws AppError 404 if no account or team has this name. */
export const findPrincipal = async (sql: Sql, name: string): Promise<Principal> => {
  const [row] = await sql.query<Principal>(
    `SELECT n.account_id AS "accountId", n.team_id AS "teamId", coalesce(a.name, t.name) AS name
     FROM names n LEFT JOIN accounts a ON a.id = n.account_id LEFT JOIN teams t ON t.id = n.team_id
     WHERE n.key = $1`,
    [handleKey(name)],
  );
  if (row === undefined) throw notFound('principal_not_found', `There is no account or team ${name}.`);
  return row;
};
