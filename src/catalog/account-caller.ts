import { AppError, notFound } from '../lib/errors.js';
import type { Caller, CallerTeam } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface AccountRow {
  accountId: number;
  accountName: string;
  plan: string;
  exportsUnbounded: boolean;
  isOperator: boolean;
  workspaceTeamId: number | null;
  teams: CallerTeam[] | null;
}

export const accountDisabled = (): AppError =>
  new AppError('unauthenticated', 'account_disabled', 'The account was disabled by an operator.');

/** Select items of a caller; the account is `a`. */
export const accountColumns = `a.id AS "accountId", a.name AS "accountName", a.plan, a.is_operator AS "isOperator",
    (SELECT p.max_exports_per_day IS NULL AND p.max_export_bytes_per_day IS NULL FROM plans p WHERE p.name = a.plan)
      AS "exportsUnbounded",
    a.workspace_team_id AS "workspaceTeamId",
    (SELECT json_agg(json_build_object('id', t.id, 'name', t.name, 'role', m.role) ORDER BY t.id)
       FROM team_members m JOIN teams t ON t.id = m.team_id WHERE m.account_id = a.id) AS teams`;

/** @param key Permissions of the key; the row may have more columns than those of the account. */
export const callerOfRow = (row: AccountRow, key: Caller['key']): Caller => {
  const { accountId, accountName, plan, exportsUnbounded, isOperator, workspaceTeamId } = row;
  const teams = row.teams ?? [];
  const workspace = teams.find(({ id }) => id === workspaceTeamId)?.name ?? 'personal';
  return { accountId, accountName, plan, exportsUnbounded, isOperator, teams, workspace, key };
};

/**
 * Caller for work of an account without a request, such as a scheduled refresh: with its current teams, grants and plan, and without the
 * limits of a key.
 * @throws AppError 404 for a deleted account, 401 for a disabled one.
 */
export const callerOfAccount = async (sql: Sql, accountId: number): Promise<Caller> => {
  const [row] = await sql.query<AccountRow & { disabled: boolean }>(
    `SELECT ${accountColumns}, a.disabled_at IS NOT NULL AS disabled FROM accounts a WHERE a.id = $1`,
    [accountId],
  );
  if (row === undefined) throw notFound('account_not_found', `There is no account ${accountId}.`);
  if (row.disabled) throw accountDisabled();
  return callerOfRow(row, { id: 0, readOnly: false, repositoryIds: null });
};
