import { conflict, forbidden, notFound } from '../lib/errors.js';
import { type Caller, type DatasetGrantLevel, includesLevel, type Level } from '../model/permission.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import { findPrincipal, type Principal } from './names.js';

/** Level of an account or team, and its origin. */
interface Permission {
  /** Name of the account or team. */
  readonly name: string;
  readonly type: 'account' | 'team';
  readonly level: Level;
  /**
   * `creator`: created it. `team`: the repository's team, whose admins have Admin. `grant`: granted here.
   */
  readonly origin: 'creator' | 'team' | 'grant';
}

export interface Grants {
  /** @throws AppError 404, 403 below Admin. */
  listOnRepository(caller: Caller, repositoryId: number): Promise<Permission[]>;
  /** @throws AppError 403 above the caller's own level, 404, 409 for the creator, who remains Owner. */
  putOnRepository(caller: Caller, repositoryId: number, name: string, level: Level): Promise<Permission>;
  /**
   * For callers with Admin, and for the account itself.
   * @throws AppError 403, also for a grant of one's own that limits what a team gives, 404, 409 for the creator.
   */
  removeOnRepository(caller: Caller, repositoryId: number, name: string): Promise<void>;
  listOnDataset(caller: Caller, datasetId: number): Promise<Permission[]>;
  putOnDataset(
    caller: Caller,
    datasetId: number,
    name: string,
    level: DatasetGrantLevel,
  ): Promise<Permission>;
  removeOnDataset(caller: Caller, datasetId: number, name: string): Promise<void>;
}

type Kind = 'repository' | 'dataset';

/** Table and column names are constants, never input. */
const tableOf = (kind: Kind): { table: string; owner: string; column: string } => ({
  table: `${kind}_grants`,
  owner: kind === 'repository' ? 'repositories' : 'datasets',
  column: `${kind}_id`,
});

const listGrants = (sql: Sql, kind: Kind, id: number): Promise<Permission[]> => {
  const { table, column } = tableOf(kind);
  return sql.query<Permission>(
    `SELECT coalesce(a.name, t.name) AS name, CASE WHEN g.account_id IS NULL THEN 'team' ELSE 'account' END AS type,
       g.level, 'grant' AS origin
     FROM ${table} g LEFT JOIN accounts a ON a.id = g.account_id LEFT JOIN teams t ON t.id = g.team_id
     WHERE g.${column} = $1 ORDER BY 2, 1`,
    [id],
  );
};

const inherent = (sql: Sql, repositoryId: number): Promise<Permission[]> =>
  sql.query<Permission>(
    `SELECT a.name, 'account' AS type, 'Owner' AS level, 'creator' AS origin
     FROM repositories r JOIN accounts a ON a.id = r.created_by WHERE r.id = $1
     UNION ALL
     SELECT t.name, 'team', 'Write', 'team' FROM repositories r JOIN teams t ON t.id = r.team_id
     WHERE r.id = $1 AND NOT EXISTS (
       SELECT 1 FROM repository_grants g WHERE g.repository_id = r.id AND g.team_id = t.id)`,
    [repositoryId],
  );

const typeOf = ({ accountId }: Principal): Permission['type'] => (accountId === null ? 'team' : 'account');

const put = (sql: Sql, kind: Kind, id: number, principal: Principal, level: Level): Promise<Permission> =>
  sql.tx(async (tx) => {
    const { table, owner, column } = tableOf(kind);
    const before = await grantedLevel(tx, kind, id, principal);
    const [row] = await tx.query(
      `INSERT INTO ${table} (${column}, account_id, team_id, level)
     SELECT id, $2, $3, $4 FROM ${owner} WHERE id = $1 FOR KEY SHARE
     ON CONFLICT (${column}, account_id, team_id) DO UPDATE SET level = excluded.level RETURNING 1`,
      [id, principal.accountId, principal.teamId, level],
    );
    if (row === undefined) throw notFound(`${kind}_not_found`, `There is no ${kind} ${id}.`);
    const type = typeOf(principal);
    const details = { type, level, before: before ?? null };
    await recordAudit(tx, { action: 'permission.set', target: { kind, id }, principal, details });
    return { name: principal.name, type, level, origin: 'grant' };
  });

/** A permission that another account granted. */
interface ReceivedGrant {
  readonly kind: Kind;
  readonly id: number;
  readonly name: string;
  readonly level: Level;
}

export const receivedGrants = (sql: Sql, accountId: number): Promise<ReceivedGrant[]> =>
  sql.query(
    `SELECT 'repository' AS kind, r.id, r.name, g.level FROM repository_grants g
       JOIN repositories r ON r.id = g.repository_id WHERE g.account_id = $1
     UNION ALL
     SELECT 'dataset', d.id, d.name, g.level FROM dataset_grants g JOIN datasets d ON d.id = g.dataset_id
     WHERE g.account_id = $1 ORDER BY kind, id`,
    [accountId],
  );

/** Deletes grants of an account on repositories that it owns now. */
export const dropGrantsOfOwner = async (tx: Sql, accountId: number): Promise<void> => {
  await tx.query(
    `DELETE FROM repository_grants g USING repositories r
     WHERE g.account_id = $1 AND r.id = g.repository_id AND r.created_by = $1`,
    [accountId],
  );
};

const grantedLevel = async (
  sql: Sql,
  kind: Kind,
  id: number,
  principal: Principal,
): Promise<Level | undefined> => {
  const { table, column } = tableOf(kind);
  const [row] = await sql.query<{ level: Level }>(
    `SELECT level FROM ${table}
     WHERE ${column} = $1 AND account_id IS NOT DISTINCT FROM $2 AND team_id IS NOT DISTINCT FROM $3`,
    [id, principal.accountId, principal.teamId],
  );
  return row?.level;
};

const removeGrant = (sql: Sql, kind: Kind, id: number, principal: Principal): Promise<void> =>
  sql.tx(async (tx) => {
    const { table, column } = tableOf(kind);
    const [row] = await tx.query<{ level: Level }>(
      `DELETE FROM ${table}
     WHERE ${column} = $1 AND account_id IS NOT DISTINCT FROM $2 AND team_id IS NOT DISTINCT FROM $3 RETURNING level`,
      [id, principal.accountId, principal.teamId],
    );
    if (row === undefined) throw notFound('grant_not_found', `Nothing is granted to ${principal.name} here.`);
    const details = { type: typeOf(principal), before: row.level };
    await recordAudit(tx, { action: 'permission.remove', target: { kind, id }, principal, details });
  });

/** @throws AppError 403 for a level above that of the caller. */
const requireWithinOwn = (own: Level, level: Level | undefined): void => {
  if (level !== undefined && !includesLevel(own, level))
    throw forbidden('above_own_level', `You have ${own} and cannot grant or remove ${level}.`);
};

const requireNotCreator = (principal: Principal, ownerId: number): void => {
  if (principal.accountId === ownerId)
    throw conflict('last_owner', 'The account that created the repository remains its Owner.');
};

/** Callers may remove their own grant without Admin, unless it limits what a team gives them. */
const needToRemove = (caller: Caller, principal: Principal): Level =>
  principal.accountId === caller.accountId ? 'Read' : 'Admin';

export const createGrants = ({ sql, access }: { sql: Sql; access: Access }): Grants => ({
  async listOnRepository(caller, id) {
    await access.repository(caller, id, 'Admin', 'read');
    return [...(await inherent(sql, id)), ...(await listGrants(sql, 'repository', id))];
  },

  async putOnRepository(caller, id, name, level) {
    const { level: own, ownerId } = await access.repository(caller, id, 'Admin', 'write');
    requireWithinOwn(own, level);
    const principal = await findPrincipal(sql, name);
    requireNotCreator(principal, ownerId);
    requireWithinOwn(own, await grantedLevel(sql, 'repository', id, principal));
    return put(sql, 'repository', id, principal, level);
  },

  async removeOnRepository(caller, id, name) {
    await access.repository(caller, id, 'Read', 'write');
    const principal = await findPrincipal(sql, name);
    const need = needToRemove(caller, principal);
    const { level: own, levelWithoutGrant, ownerId } = await access.repository(caller, id, need, 'write');
    requireNotCreator(principal, ownerId);
    const isOwn = principal.accountId === caller.accountId;
    if (isOwn && levelWithoutGrant !== null && !includesLevel(own, levelWithoutGrant))
      throw forbidden(
        'above_own_level',
        `This grant limits you to ${own} although your team has ${levelWithoutGrant}; another Admin can remove it.`,
      );
    requireWithinOwn(own, await grantedLevel(sql, 'repository', id, principal));
    await removeGrant(sql, 'repository', id, principal);
  },

  async listOnDataset(caller, id) {
    await access.dataset(caller, id, 'Admin', 'read');
    return listGrants(sql, 'dataset', id);
  },

  async putOnDataset(caller, id, name, level) {
    await access.dataset(caller, id, 'Admin', 'write');
    return put(sql, 'dataset', id, await findPrincipal(sql, name), level);
  },

  async removeOnDataset(caller, id, name) {
    await access.dataset(caller, id, 'Read', 'write');
    const principal = await findPrincipal(sql, name);
    await access.dataset(caller, id, needToRemove(caller, principal), 'write');
    await removeGrant(sql, 'dataset', id, principal);
  },
});
