/** Statements that write `team_members`. No other file writes this table. */
import type { TeamRole } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Makes an account a member with this role, which replaces any earlier one. */
export const putTeamMember = async (
  tx: Sql,
  { teamId, accountId, role }: { teamId: number; accountId: number; role: TeamRole },
): Promise<void> => {
  await tx.query(
    `INSERT INTO team_members (team_id, account_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (team_id, account_id) DO UPDATE SET role = excluded.role`,
    [teamId, accountId, role],
  );
};

export const removeTeamMember = async (tx: Sql, teamId: number, accountId: number): Promise<void> => {
  await tx.query('DELETE FROM team_members WHERE team_id = $1 AND account_id = $2', [teamId, accountId]);
};
