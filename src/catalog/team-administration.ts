import { notFound } from '../lib/errors.js';
import { handleKey } from '../model/handles.js';
import type { Caller, CallerTeam, TeamRole } from '../model/permission.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createAccounts } from './accounts.js';
import { findPrincipal } from './names.js';
import { joinTeam } from './team-invitations.js';

interface TeamRow {
  readonly name: string;
  readonly members: number;
  readonly admins: readonly string[];
  readonly repositories: number;
}

/** Actions of operators on teams, with the rights of an account that may perform them. */
interface TeamAdministration {
  list(): Promise<TeamRow[]>;
  /** Caller of an account with a full key. @throws AppError 404. */
  actAs(account: string): Promise<Caller>;
  /** Caller of an admin of the team. @throws AppError 404. */
  actAsAdminOf(team: string): Promise<Caller>;
  /** Adds an account at once, without an invitation. @throws AppError 404, 409 `too_many_teams`. */
  add(team: string, account: string, role: TeamRole): Promise<void>;
}

export const createTeamAdministration = ({ sql }: { sql: Sql }): TeamAdministration => {
  const actAs = async (name: string): Promise<Caller> => {
    const account = await createAccounts({ sql }).find(name);
    const teams = await sql.query<CallerTeam>(
      `SELECT t.id, t.name, m.role FROM team_members m JOIN teams t ON t.id = m.team_id
       WHERE m.account_id = $1 ORDER BY t.id`,
      [account.id],
    );
    return {
      accountId: account.id,
      accountName: account.name,
      plan: account.plan,
      isOperator: account.isOperator,
      teams,
      workspace: account.workspace,
      key: { id: 0, readOnly: false, repositoryIds: null },
    };
  };

  return {
    actAs,
    list: () =>
      sql.query<TeamRow>(
        `SELECT t.name, count(m.account_id) AS members,
           coalesce(json_agg(a.name ORDER BY a.name) FILTER (WHERE m.role = 'admin'), '[]') AS admins,
           (SELECT count(*) FROM repositories r WHERE r.team_id = t.id) AS repositories
         FROM teams t LEFT JOIN team_members m ON m.team_id = t.id LEFT JOIN accounts a ON a.id = m.account_id
         GROUP BY t.id ORDER BY t.name`,
      ),
    async actAsAdminOf(team) {
      const [row] = await sql.query<{ name: string }>(
        `SELECT a.name FROM teams t JOIN team_members m ON m.team_id = t.id AND m.role = 'admin'
           JOIN accounts a ON a.id = m.account_id
         WHERE t.id = (SELECT team_id FROM names WHERE key = $1) ORDER BY a.id LIMIT 1`,
        [handleKey(team)],
      );
      if (row === undefined) throw notFound('team_not_found', `There is no team ${team}.`);
      return actAs(row.name);
    },
    async add(team, name, role) {
      const account = await createAccounts({ sql }).find(name);
      await sql.tx(async (tx) => {
        await holdAccount(tx, account.id);
        const { teamId } = await findPrincipal(tx, team);
        const [row] = await tx.query<{ id: number; name: string }>(
          'SELECT id, name FROM teams WHERE id = $1 FOR NO KEY UPDATE',
          [teamId],
        );
        if (row === undefined) throw notFound('team_not_found', `There is no team ${team}.`);
        await joinTeam(tx, { teamId: row.id, accountId: account.id, role });
        await recordAudit(tx, {
          action: 'team.member_set',
          target: { kind: 'team', id: row.id, name: row.name },
          principal: { accountId: account.id, name: account.name },
          details: { role },
        });
      });
    },
  };
};
