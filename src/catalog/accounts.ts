import { AppError, conflict, invalid, notFound } from '../lib/errors.js';
import { isoUtc, isoUtcOrNull } from '../lib/time.js';
import { handleKey, personalWorkspace, sameHandle } from '../model/handles.js';
import type { Caller } from '../model/permission.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { requireFullKey } from './key-rights.js';
import { claimingName, claimName, requireHandle, requireOwnHandle } from './names.js';
import { insertHome, renameHome } from './repositories.js';

export interface Account {
  readonly id: number;
  readonly name: string;
  /** Name of the plan. */
  readonly plan: string;
  /** `personal` or the name of a team. */
  readonly workspace: string;
  readonly isOperator: boolean;
  /** Time at which an operator disabled it; null: enabled. */
  readonly disabledAt: string | null;
  readonly createdAt: string;
}

interface NewAccount {
  readonly name: string;
  readonly plan: string;
  readonly isOperator?: boolean;
}

export interface Accounts {
  /** Creates an account with its Home. @throws AppError 400, 409. */
  create(account: NewAccount): Promise<Account>;
  /** Creates the first account of an empty database; undefined if one exists. Safe to call concurrently. */
  createFirst(account: NewAccount): Promise<Account | undefined>;
  read(id: number): Promise<Account>;
  /** @throws AppError 404. */
  find(name: string): Promise<Account>;
  list(): Promise<Account[]>;
  /** Updates name and active workspace of the caller's own account. */
  update(
    caller: Caller,
    change: { name?: string | undefined; workspace?: string | undefined },
  ): Promise<Account>;
  /** Changes fields that only an operator may change. */
  administer(name: string, change: { plan?: string; isOperator?: boolean }): Promise<Account>;
  /**
   * Disables or enables an account. Its keys and sessions stop at once, and running answers are aborted; its data stays,
   * and others with access can still read it. @throws AppError 404, 409 `last_operator`.
   */
  setDisabled(name: string, disabled: boolean): Promise<Account>;
}

interface AccountRow extends Omit<Account, 'createdAt' | 'disabledAt'> {
  createdAt: Date;
  disabledAt: Date | null;
}

const select = `
  SELECT a.id, a.name, a.plan, a.is_operator AS "isOperator", a.created_at AS "createdAt",
    a.disabled_at AS "disabledAt",
    coalesce((SELECT t.name FROM team_members m JOIN teams t ON t.id = m.team_id
               WHERE m.account_id = a.id AND t.id = a.workspace_team_id), '${personalWorkspace}') AS workspace
  FROM accounts a`;

const shown = ({ createdAt, disabledAt, ...row }: AccountRow): Account => ({
  ...row,
  disabledAt: isoUtcOrNull(disabledAt),
  createdAt: isoUtc(createdAt),
});

const unknownAccount = (account: string | number): AppError =>
  notFound('account_not_found', `There is no account ${account}.`);

const byId = async (sql: Sql, id: number): Promise<Account> => {
  const [row] = await sql.query<AccountRow>(`${select} WHERE a.id = $1`, [id]);
  if (row === undefined) throw unknownAccount(id);
  return shown(row);
};

const byName = async (sql: Sql, name: string): Promise<Account> => {
  const [row] = await sql.query<AccountRow>(
    `${select} WHERE a.id = (SELECT account_id FROM names WHERE key = $1)`,
    [handleKey(name)],
  );
  if (row === undefined) throw unknownAccount(name);
  return shown(row);
};

const requirePlan = async (sql: Sql, plan: string): Promise<void> => {
  const plans = await sql.query<{ name: string }>('SELECT name FROM plans ORDER BY name');
  if (plans.some(({ name }) => name === plan)) return;
  throw invalid(
    'unknown_plan',
    `There is no plan ${plan}; there are ${plans.map(({ name }) => name).join(', ')}.`,
  );
};

const insertAccount = async (sql: Sql, { name, plan, isOperator = false }: NewAccount): Promise<Account> => {
  requireHandle(name);
  await requirePlan(sql, plan);
  return claimingName(name, () =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ id: number }>(
        'INSERT INTO accounts (name, plan, is_operator) VALUES ($1, $2, $3) RETURNING id',
        [name, plan, isOperator],
      );
      if (row === undefined) throw new AppError('unexpected', 'no_row', 'an account was not returned');
      await claimName(tx, { kind: 'account', id: row.id }, name);
      await insertHome(tx, row.id, name, plan);
      await recordAudit(tx, {
        action: 'account.create',
        target: { kind: 'account', id: row.id, name },
        details: { plan, isOperator },
      });
      return byId(tx, row.id);
    }),
  );
};

const rename = (sql: Sql, id: number, name: string): Promise<unknown> =>
  claimingName(name, () =>
    sql.tx(async (tx) => {
      const [before] = await tx.query<{ name: string }>(
        'SELECT name FROM accounts WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (before === undefined) throw unknownAccount(id);
      await renameHome(tx, id, name);
      await tx.query('UPDATE accounts SET name = $2 WHERE id = $1', [id, name]);
      await claimName(tx, { kind: 'account', id }, name);
      await recordAudit(tx, {
        action: 'account.rename',
        target: { kind: 'account', id, name },
        principal: { accountId: id, name: before.name },
      });
    }),
  );

/** Resets the workspace of an account that has left the team to personal. */
export const leaveWorkspace = async (tx: Sql, accountId: number, teamId: number): Promise<void> => {
  await tx.query('UPDATE accounts SET workspace_team_id = NULL WHERE id = $2 AND workspace_team_id = $1', [
    teamId,
    accountId,
  ]);
};

const workspaceTeam = (caller: Caller, workspace: string): number | null => {
  if (workspace === personalWorkspace) return null;
  const team = caller.teams.find(({ name }) => sameHandle(name, workspace));
  if (team === undefined) throw invalid('unknown_workspace', `You are in no team ${workspace}.`);
  return team.id;
};

/**
 * Locks an account and all operators in the order of their ids: of two that remove each other, one is refused.
 * @throws AppError 404, 409 for the last operator
 */
export const requireOtherOperator = async (tx: Sql, id: number): Promise<void> => {
  const locked = await tx.query<{ id: number; operates: boolean }>(
    `SELECT a.id, a.is_operator AND a.disabled_at IS NULL AS operates FROM accounts a
     WHERE a.id = $1 OR a.is_operator AND a.disabled_at IS NULL ORDER BY a.id FOR NO KEY UPDATE`,
    [id],
  );
  const own = locked.find((account) => account.id === id);
  if (own === undefined) throw unknownAccount(id);
  if (own.operates && !locked.some((account) => account.operates && account.id !== id))
    throw conflict('last_operator', 'The last operator cannot be removed.');
};

/** Deletes the row with its keys, sessions, memberships, grants and provider keys. Its repositories must be deleted before. */
export const deleteAccountRow = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('DELETE FROM accounts WHERE id = $1', [id]);
};

export const createAccounts = ({ sql }: { sql: Sql }): Accounts => ({
  create: (account) => insertAccount(sql, account),

  createFirst: (account) =>
    sql.tx(async (tx) => {
      await tx.query('LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE');
      const [some] = await tx.query('SELECT 1 FROM accounts LIMIT 1');
      return some === undefined ? insertAccount(tx, account) : undefined;
    }),

  read: (id) => byId(sql, id),
  find: (name) => byName(sql, name),

  async list() {
    return (await sql.query<AccountRow>(`${select} ORDER BY a.id`)).map(shown);
  },

  async update(caller, { name, workspace }) {
    requireFullKey(caller);
    return sql.tx(async (tx) => {
      if (name !== undefined) {
        requireOwnHandle(name);
        await rename(tx, caller.accountId, name);
      }
      if (workspace !== undefined)
        await tx.query('UPDATE accounts SET workspace_team_id = $2 WHERE id = $1', [
          caller.accountId,
          workspaceTeam(caller, workspace),
        ]);
      return byId(tx, caller.accountId);
    });
  },

  async administer(name, { plan, isOperator }) {
    const account = await byName(sql, name);
    if (plan !== undefined) await requirePlan(sql, plan);
    await sql.tx(async (tx) => {
      if (isOperator === false) await requireOtherOperator(tx, account.id);
      await tx.query(
        'UPDATE accounts SET plan = coalesce($2, plan), is_operator = coalesce($3, is_operator) WHERE id = $1',
        [account.id, plan ?? null, isOperator ?? null],
      );
      await recordAudit(tx, {
        action: 'account.set',
        target: { kind: 'account', id: account.id, name: account.name },
        details: { plan, isOperator },
      });
    });
    return byId(sql, account.id);
  },

  async setDisabled(name, disabled) {
    const account = await byName(sql, name);
    return sql.tx(async (tx) => {
      if (disabled) await requireOtherOperator(tx, account.id);
      const changed = await tx.query(
        `UPDATE accounts SET disabled_at = CASE WHEN $2 THEN now() END
         WHERE id = $1 AND (disabled_at IS NOT NULL) <> $2 RETURNING 1`,
        [account.id, disabled],
      );
      if (changed.length > 0)
        await recordAudit(tx, {
          action: disabled ? 'account.disable' : 'account.enable',
          target: { kind: 'account', id: account.id, name: account.name },
        });
      return byId(tx, account.id);
    });
  },
});
