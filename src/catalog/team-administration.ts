import { notFound } from '../lib/errors.js';
import type { Caller, CallerTeam } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createAccounts } from './accounts.js';

export interface TeamRow {
  readonly name: string;
  readonly members: number;
  readonly admins: readonly string[];
  readonly repositories: number;
}

/** What an operator does to teams: through the eyes of an account that may. */
export interface TeamAdministration {
  list(): Promise<TeamRow[]>;
  /** The caller that an account with a full key would be. @throws AppError 404. */
  actAs(account: string): Promise<Caller>;
  /** The same for an admin of the team. @throws AppError 404. */
  actAsAdminOf(team: string): Promise<Caller>;
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
         WHERE lower(t.name) = lower($1) ORDER BY a.id LIMIT 1`,
        [team],
      );
      if (row === undefined) throw notFound('team_not_found', `There is no team ${team}.`);
      return actAs(row.name);
    },
  };
};
