import { AppError, conflict, forbidden, notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import { handleKey, sameHandle } from '../model/handles.js';
import type { Caller, CallerTeam, TeamRole } from '../model/permission.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { leaveWorkspace } from './accounts.js';
import { requireAccountKey, requireFullKey } from './key-rights.js';
import { claimingName, claimName, findPrincipal, requireOwnHandle } from './names.js';
import { invite, joinTeam, noInvitation, takeInvitation, withdrawInvitation } from './team-invitations.js';
import { putTeamMember, removeTeamMember, roleIn } from './team-members.js';

interface TeamMember {
  /** Name of the account. */
  readonly account: string;
  readonly role: TeamRole;
}

interface Team {
  readonly name: string;
  /** The caller's role. */
  readonly role: TeamRole;
  readonly createdAt: string;
  readonly members: readonly TeamMember[];
  /** Invited accounts that have not answered. */
  readonly invitations: readonly TeamMember[];
}

export interface Teams {
  /** Teams of the caller. @throws AppError 403 for a key that is limited to some repositories. */
  list(caller: Caller): Promise<Team[]>;
  /** @throws AppError 403 for a team the caller is not in, 404. */
  read(caller: Caller, name: string): Promise<Team>;
  /** @throws AppError 403 without the role admin or with a key that is limited, 404 for a team the caller is not in. */
  requireAdmin(caller: Caller, name: string): Promise<void>;
  /** The caller becomes its admin. @throws AppError 400, 409. */
  create(caller: Caller, name: string): Promise<Team>;
  /** @throws AppError 403 without the role admin, 404, 409. */
  rename(caller: Caller, name: string, newName: string): Promise<Team>;
  /** Its repositories remain with the accounts that created them. @throws AppError 403, 404. */
  remove(caller: Caller, name: string): Promise<void>;
  /**
   * Changes the role of a member; an account that is not in the team is invited and joins when it accepts.
   * @throws AppError 403, 404, 409 for the last admin.
   */
  putMember(
    caller: Caller,
    name: string,
    account: string,
    role: TeamRole,
  ): Promise<{ readonly team: Team; readonly invited: boolean }>;
  /** The caller accepts its invitation. @throws AppError 403 for a limited key, 404 without an invitation, 409 `too_many_teams`. */
  join(caller: Caller, name: string): Promise<Team>;
  /**
   * Called by an admin or by the member; the permissions of the team end at once. Also withdraws an invitation.
   * @throws AppError 409 for the last admin.
   */
  removeMember(caller: Caller, name: string, account: string): Promise<void>;
}

interface TeamRow {
  name: string;
  role: TeamRole;
  createdAt: Date;
  members: TeamMember[];
  invitations: TeamMember[];
}

const readTeams = async (sql: Sql, accountId: number, teamId: number | null): Promise<Team[]> => {
  const rows = await sql.query<TeamRow>(
    `SELECT t.name, own.role, t.created_at AS "createdAt",
       (SELECT json_agg(json_build_object('account', a.name, 'role', m.role) ORDER BY a.name)
          FROM team_members m JOIN accounts a ON a.id = m.account_id WHERE m.team_id = t.id) AS members,
       (SELECT coalesce(json_agg(json_build_object('account', a.name, 'role', i.role) ORDER BY a.name), '[]')
          FROM team_invitations i JOIN accounts a ON a.id = i.account_id WHERE i.team_id = t.id) AS invitations
     FROM teams t JOIN team_members own ON own.team_id = t.id AND own.account_id = $1
     WHERE $2::bigint IS NULL OR t.id = $2 ORDER BY t.name`,
    [accountId, teamId],
  );
  return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: isoUtc(createdAt) }));
};

const unknownTeam = (name: string): AppError => notFound('team_not_found', `There is no team ${name}.`);

/** @throws AppError 404 for a team that does not exist, 403 for one the caller is not in. */
const teamOfMember = async (sql: Sql, caller: Caller, name: string): Promise<CallerTeam> => {
  const team = caller.teams.find((item) => sameHandle(item.name, name));
  if (team !== undefined) return team;
  const [other] = await sql.query('SELECT 1 FROM names WHERE key = $1 AND team_id IS NOT NULL', [
    handleKey(name),
  ]);
  throw other === undefined
    ? unknownTeam(name)
    : forbidden('no_permission', `You are not in the team ${name}.`);
};

const requireAdminRole = (role: TeamRole | undefined): void => {
  if (role !== 'admin') throw forbidden('no_permission', 'Only an admin of the team may do this.');
};

const teamOfAdmin = async (sql: Sql, caller: Caller, name: string): Promise<CallerTeam> => {
  const team = await teamOfMember(sql, caller, name);
  requireAdminRole(team.role);
  requireFullKey(caller);
  return team;
};

const readTeam = async (sql: Sql, caller: Caller, id: number, name: string): Promise<Team> => {
  const [team] = await readTeams(sql, caller.accountId, id);
  if (team === undefined) throw unknownTeam(name);
  return team;
};

/** Serialises changes of a team, so that two admins do not remove each other at once. */
const lockTeam = async (tx: Sql, teamId: number, name: string): Promise<void> => {
  const [row] = await tx.query('SELECT 1 FROM teams WHERE id = $1 FOR NO KEY UPDATE', [teamId]);
  if (row === undefined) throw unknownTeam(name);
};

/** Locks the team. @throws AppError 403 for a caller whose role was lowered or removed meanwhile. */
const lockAsAdmin = async (tx: Sql, caller: Caller, team: CallerTeam): Promise<void> => {
  await lockTeam(tx, team.id, team.name);
  requireAdminRole(await roleIn(tx, team.id, caller.accountId));
};

const requireOtherAdmin = async (tx: Sql, teamId: number, accountId: number): Promise<void> => {
  const [other] = await tx.query(
    `SELECT 1 FROM team_members WHERE team_id = $1 AND account_id <> $2 AND role = 'admin' LIMIT 1`,
    [teamId, accountId],
  );
  if (other === undefined) throw conflict('last_admin', 'The last admin of a team cannot be removed.');
};

/**
 * Leaves all teams, and deletes those without other members. @throws AppError 409 `last_admin` if a team would have members but no admin.
 */
export const leaveAllTeams = async (tx: Sql, accountId: number): Promise<void> => {
  const own = await tx.query<{ id: number }>('SELECT team_id AS id FROM team_members WHERE account_id = $1', [
    accountId,
  ]);
  const ids = own.map(({ id }) => id);
  await tx.query('SELECT 1 FROM teams WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
  const teams = await tx.query<{ id: number; alone: boolean }>(
    `SELECT t.id, NOT EXISTS (SELECT 1 FROM team_members o WHERE o.team_id = t.id AND o.account_id <> $1) AS alone
     FROM teams t WHERE t.id = ANY($2) ORDER BY t.id`,
    [accountId, ids],
  );
  for (const { id, alone } of teams) {
    if (alone) await tx.query('DELETE FROM teams WHERE id = $1', [id]);
    else await requireOtherAdmin(tx, id, accountId);
  }
};

/** Target of an event in the audit trail. */
const targetOf = ({ id, name }: { id: number; name: string }) => ({ kind: 'team', id, name }) as const;

const findAccount = async (sql: Sql, name: string): Promise<{ accountId: number; name: string }> => {
  const { accountId, name: written } = await findPrincipal(sql, name);
  if (accountId === null) throw notFound('account_not_found', `There is no account ${name}.`);
  return { accountId, name: written };
};

const createTeam = (sql: Sql, caller: Caller, name: string): Promise<Team> => {
  requireFullKey(caller);
  requireOwnHandle(name);
  return claimingName(name, () =>
    sql.tx(async (tx) => {
      await holdAccount(tx, caller.accountId);
      const [row] = await tx.query<{ id: number }>('INSERT INTO teams (name) VALUES ($1) RETURNING id', [
        name,
      ]);
      if (row === undefined) throw new AppError('unexpected', 'no_row', 'a team was not returned');
      await claimName(tx, { kind: 'team', id: row.id }, name);
      await putTeamMember(tx, { teamId: row.id, accountId: caller.accountId, role: 'admin' });
      await recordAudit(tx, {
        action: 'team.create',
        target: targetOf({ id: row.id, name }),
        principal: { accountId: caller.accountId, name: caller.accountName },
      });
      return readTeam(tx, caller, row.id, name);
    }),
  );
};

/** Changes the role of a member, or invites an account that is not a member. */
const putMember = (sql: Sql, caller: Caller, team: CallerTeam, account: string, role: TeamRole) =>
  sql.tx(async (tx) => {
    await lockAsAdmin(tx, caller, team);
    const { accountId, name } = await findAccount(tx, account);
    const present = (await roleIn(tx, team.id, accountId)) !== undefined;
    if (present) {
      if (role !== 'admin') await requireOtherAdmin(tx, team.id, accountId);
      await joinTeam(tx, { teamId: team.id, accountId, role });
    } else await invite(tx, { teamId: team.id, accountId, role, invitedBy: caller.accountId });
    await recordAudit(tx, {
      action: present ? 'team.member_set' : 'team.invite',
      target: targetOf(team),
      principal: { accountId, name },
      details: { role },
    });
    return { team: await readTeam(tx, caller, team.id, team.name), invited: !present };
  });

const removeMember = (sql: Sql, caller: Caller, team: CallerTeam, account: string) =>
  sql.tx(async (tx) => {
    if (sameHandle(account, caller.accountName)) await lockTeam(tx, team.id, team.name);
    else await lockAsAdmin(tx, caller, team);
    const { accountId, name } = await findAccount(tx, account);
    await recordAudit(tx, {
      action: 'team.member_remove',
      target: targetOf(team),
      principal: { accountId, name },
    });
    if ((await roleIn(tx, team.id, accountId)) === undefined) {
      if (await withdrawInvitation(tx, team.id, accountId)) return;
      throw notFound('member_not_found', `${account} is not in the team.`);
    }
    await requireOtherAdmin(tx, team.id, accountId);
    await removeTeamMember(tx, team.id, accountId);
    await leaveWorkspace(tx, accountId, team.id);
  });

export const createTeams = ({ sql }: { sql: Sql }): Teams => ({
  async requireAdmin(caller, name) {
    await teamOfAdmin(sql, caller, name);
  },
  async list(caller) {
    requireAccountKey(caller);
    return readTeams(sql, caller.accountId, null);
  },
  async read(caller, name) {
    requireAccountKey(caller);
    return readTeam(sql, caller, (await teamOfMember(sql, caller, name)).id, name);
  },
  create: (caller, name) => createTeam(sql, caller, name),

  async rename(caller, name, newName) {
    const team = await teamOfAdmin(sql, caller, name);
    requireOwnHandle(newName);
    await claimingName(newName, () =>
      sql.tx(async (tx) => {
        await lockAsAdmin(tx, caller, team);
        await tx.query('UPDATE teams SET name = $2 WHERE id = $1', [team.id, newName]);
        await claimName(tx, { kind: 'team', id: team.id }, newName);
        await recordAudit(tx, {
          action: 'team.rename',
          target: targetOf({ id: team.id, name: newName }),
          details: { before: team.name },
        });
      }),
    );
    return readTeam(sql, caller, team.id, name);
  },

  async remove(caller, name) {
    const team = await teamOfAdmin(sql, caller, name);
    await sql.tx(async (tx) => {
      await lockAsAdmin(tx, caller, team);
      await tx.query('DELETE FROM teams WHERE id = $1', [team.id]);
      await recordAudit(tx, { action: 'team.delete', target: targetOf(team) });
    });
  },

  async putMember(caller, name, account, role) {
    return putMember(sql, caller, await teamOfAdmin(sql, caller, name), account, role);
  },

  async join(caller, name) {
    requireFullKey(caller);
    return sql.tx(async (tx) => {
      await holdAccount(tx, caller.accountId);
      const invitation = await takeInvitation(tx, caller, name);
      if (invitation === undefined) {
        const present = caller.teams.find((team) => sameHandle(team.name, name));
        if (present === undefined) throw noInvitation(name);
        return readTeam(tx, caller, present.id, name);
      }
      await joinTeam(tx, { ...invitation, accountId: caller.accountId });
      await recordAudit(tx, {
        action: 'team.join',
        target: targetOf({ id: invitation.teamId, name: invitation.team }),
        principal: { accountId: caller.accountId, name: caller.accountName },
        details: { role: invitation.role },
      });
      return readTeam(tx, caller, invitation.teamId, name);
    });
  },

  async removeMember(caller, name, account) {
    const leaving = sameHandle(account, caller.accountName);
    const team = leaving ? await teamOfMember(sql, caller, name) : await teamOfAdmin(sql, caller, name);
    requireFullKey(caller);
    await removeMember(sql, caller, team, account);
  },
});
