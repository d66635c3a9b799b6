/** Members of teams. No other file writes `team_members`. */
import type { TeamRole } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import { rowLimits, tooMany } from './row-limits.js';

/** Role of an account in a team; undefined if it is not a member. */
export const roleIn = async (tx: Sql, teamId: number, accountId: number): Promise<TeamRole | undefined> => {
  const [member] = await tx.query<{ role: TeamRole }>(
    'SELECT role FROM team_members WHERE team_id = $1 AND account_id = $2',
    [teamId, accountId],
  );
  return member?.role;
};

const putSql = `
  INSERT INTO team_members (team_id, account_id, role)
  SELECT $1::bigint, $2::bigint, $3 WHERE (SELECT count(*) FROM team_members WHERE account_id = $2) < ${rowLimits.teams}
    OR EXISTS (SELECT 1 FROM team_members WHERE team_id = $1 AND account_id = $2)
  ON CONFLICT (team_id, account_id) DO UPDATE SET role = excluded.role RETURNING 1`;

/**
 * Makes an account a member with this role, which replaces any earlier one. Call `holdAccount` first, unless it is a member.
 * @throws AppError 409 `too_many_teams`
 */
export const putTeamMember = async (
  tx: Sql,
  { teamId, accountId, role }: { teamId: number; accountId: number; role: TeamRole },
): Promise<void> => {
  const [row] = await tx.query(putSql, [teamId, accountId, role]);
  if (row === undefined) throw tooMany('teams', 'An account');
};

export const removeTeamMember = async (tx: Sql, teamId: number, accountId: number): Promise<void> => {
  await tx.query('DELETE FROM team_members WHERE team_id = $1 AND account_id = $2', [teamId, accountId]);
};
