import { notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import { handleKey } from '../model/handles.js';
import type { Caller, TeamRole } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import { requireAccountKey, requireFullKey } from './key-rights.js';
import { putTeamMember } from './team-members.js';

/** An invitation as the invited account sees it. */
interface Invitation {
  /** Name of the team. */
  readonly team: string;
  /** Role that the account gets. */
  readonly role: TeamRole;
  /** Name of the inviting account; null if it was deleted. */
  readonly invitedBy: string | null;
  readonly createdAt: string;
}

/** Invitations to teams: an admin invites, the account accepts (`Teams.join`). */
export interface TeamInvitations {
  /** Invitations to the caller that are not answered yet. */
  list(caller: Caller): Promise<Invitation[]>;
  /** @throws AppError 403 for a limited key, 404 without an invitation. */
  decline(caller: Caller, team: string): Promise<void>;
}

interface InvitationRow extends Omit<Invitation, 'createdAt'> {
  createdAt: Date;
}

/** @returns AppError 404. */
export const noInvitation = (team: string) =>
  notFound('invitation_not_found', `You have no invitation to a team ${team}.`);

interface TakenInvitation {
  readonly teamId: number;
  /** Name of the team. */
  readonly team: string;
  readonly role: TeamRole;
}

/** Deletes an invitation that is answered. Returns undefined if there is none. */
export const takeInvitation = async (
  tx: Sql,
  caller: Caller,
  team: string,
): Promise<TakenInvitation | undefined> => {
  const [row] = await tx.query<TakenInvitation>(
    `DELETE FROM team_invitations i USING names n JOIN teams t ON t.id = n.team_id
     WHERE n.team_id = i.team_id AND i.account_id = $1 AND n.key = $2
     RETURNING i.team_id AS "teamId", t.name AS team, i.role`,
    [caller.accountId, handleKey(team)],
  );
  return row;
};

/** Like `putTeamMember`; an invitation is answered by it. */
export const joinTeam = async (
  tx: Sql,
  member: { teamId: number; accountId: number; role: TeamRole },
): Promise<void> => {
  const { teamId, accountId } = member;
  await tx.query('DELETE FROM team_invitations WHERE team_id = $1 AND account_id = $2', [teamId, accountId]);
  await putTeamMember(tx, member);
};

/** Invites an account; a second invitation changes the offered role. */
export const invite = async (
  tx: Sql,
  invitation: { teamId: number; accountId: number; role: TeamRole; invitedBy: number },
): Promise<void> => {
  const { teamId, accountId, role, invitedBy } = invitation;
  await tx.query(
    `INSERT INTO team_invitations (team_id, account_id, role, invited_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, account_id) DO UPDATE SET role = excluded.role, invited_by = excluded.invited_by`,
    [teamId, accountId, role, invitedBy],
  );
};

/** Returns true if there was one. */
export const withdrawInvitation = async (tx: Sql, teamId: number, accountId: number): Promise<boolean> => {
  const rows = await tx.query(
    'DELETE FROM team_invitations WHERE team_id = $1 AND account_id = $2 RETURNING 1',
    [teamId, accountId],
  );
  return rows.length > 0;
};

export const createTeamInvitations = ({ sql }: { sql: Sql }): TeamInvitations => ({
  async list(caller) {
    requireAccountKey(caller);
    const rows = await sql.query<InvitationRow>(
      `SELECT t.name AS team, i.role, a.name AS "invitedBy", i.created_at AS "createdAt"
       FROM team_invitations i JOIN teams t ON t.id = i.team_id LEFT JOIN accounts a ON a.id = i.invited_by
       WHERE i.account_id = $1 ORDER BY i.created_at, t.name`,
      [caller.accountId],
    );
    return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: isoUtc(createdAt) }));
  },

  async decline(caller, team) {
    requireFullKey(caller);
    if ((await takeInvitation(sql, caller, team)) === undefined) throw noInvitation(team);
  },
});
