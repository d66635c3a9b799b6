import { AppError, conflict, forbidden, invalid, isAppError, notFound } from '../lib/errors.js';
import { sameHandle } from '../model/handles.js';
import { type Caller, keyExcludes, type Privacy } from '../model/permission.js';
import { quotaExceeded, requireQuota } from '../model/plan.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import { requireFullKey } from './key-rights.js';
import { requireName } from './names.js';
import { planOf } from './plans.js';
import {
  firstWritable,
  listRepositories,
  type Repository,
  type RepositoryFilter,
  readRepository,
} from './repository-list.js';
import { rowLimits, tooMany } from './row-limits.js';

interface RepositoryInput {
  readonly name: string;
  readonly privacy: Privacy;
  readonly description?: string | null | undefined;
  /** Name of a team of the caller. */
  readonly team?: string | null | undefined;
}

export interface Repositories {
  list(caller: Caller, filter: RepositoryFilter): AsyncIterable<readonly Repository[]>;
  /** @throws AppError 401 without a caller unless it is public, 403, 404. */
  read(caller: Caller | undefined, id: number): Promise<Repository>;
  home(caller: Caller): Promise<Repository>;
  /** Default writable repository of the active workspace; created on demand for a team that has none. */
  preferred(caller: Caller): Promise<Repository>;
  /** @throws AppError 400 for a team that the caller is not in, 402 beyond the plan. */
  create(caller: Caller, input: RepositoryInput): Promise<Repository>;
  /** @throws AppError 404 without access, 403 without Owner, 400 for another team, 402 beyond the plan. */
  update(caller: Caller, id: number, input: RepositoryInput): Promise<Repository>;
  /** Deletes it with all its datasets; their rows and files are deleted in the background. @throws AppError 409 for Home. */
  remove(caller: Caller, id: number): Promise<void>;
}

const shownAgain = async (sql: Sql, caller: Caller | undefined, id: number): Promise<Repository> => {
  const repository = await readRepository(sql, caller, id);
  if (repository === undefined) throw notFound('repository_not_found', `There is no repository ${id}.`);
  return repository;
};

/**
 * Checks that the plan allows one more private repository. The lock on the account makes the count exact: two requests of one account
 * cannot both create the last one.
 */
const takePrivatePlace = async (tx: Sql, accountId: number): Promise<void> => {
  await holdAccount(tx, accountId);
  const { maxPrivateRepositories } = await planOf(tx, accountId);
  const [row] = await tx.query<{ used: number }>(
    `SELECT count(*) AS used FROM repositories WHERE created_by = $1 AND privacy = 'Private' AND NOT is_home`,
    [accountId],
  );
  const used = row?.used ?? 0;
  requireQuota('privateRepositories', maxPrivateRepositories, used, used + 1);
};

const teamOf = (caller: Caller, name: string | null | undefined): number | null => {
  if (name === undefined || name === null) return null;
  const team = caller.teams.find((item) => sameHandle(item.name, name));
  if (team === undefined) throw invalid('unknown_team', `team: you are in no team ${name}`);
  return team.id;
};

const insert = async (
  tx: Sql,
  caller: Caller,
  input: { name: string; privacy: Privacy; description: string | null; teamId: number | null },
): Promise<number> => {
  if (input.privacy === 'Private') await takePrivatePlace(tx, caller.accountId);
  const [row] = await tx.query<{ id: number }>(
    `INSERT INTO repositories (name, description, privacy, team_id, created_by) SELECT $1, $2, $3, $4, $5
     WHERE (SELECT count(*) FROM repositories WHERE created_by = $5) < ${rowLimits.repositories} RETURNING id`,
    [input.name, input.description, input.privacy, input.teamId, caller.accountId],
  );
  if (row === undefined) throw tooMany('repositories', 'An account');
  const { name, privacy, teamId } = input;
  await recordAudit(tx, {
    action: 'repository.create',
    target: { kind: 'repository', id: row.id, name },
    details: { privacy, teamId },
  });
  return row.id;
};

const homeId = async (sql: Sql, caller: Caller): Promise<number> => {
  const [row] = await sql.query<{ id: number }>(
    'SELECT id FROM repositories WHERE created_by = $1 AND is_home',
    [caller.accountId],
  );
  if (row === undefined) throw new AppError('unexpected', 'no_home', 'an account has no Home');
  return row.id;
};

const requireInScope = (caller: Caller, id: number): void => {
  if (keyExcludes(caller, id)) throw forbidden('key_scope', 'This API key is limited to other repositories.');
};

const requirePrivacy = async (
  tx: Sql,
  current: { privacy: Privacy; isHome: boolean; ownerId: number },
  wanted: Privacy,
): Promise<void> => {
  if (wanted === current.privacy || wanted === 'Public') return;
  if (!current.isHome) return takePrivatePlace(tx, current.ownerId);
  const { privateHome } = await planOf(tx, current.ownerId);
  if (!privateHome) throw quotaExceeded('privateHome', 0, 0);
};

const createWithoutWritable = (
  sql: Sql,
  caller: Caller,
  team: { id: number; name: string },
): Promise<Repository> => {
  requireFullKey(caller);
  return sql.tx(async (tx) => {
    // One at a time per team, so that two requests do not both create one.
    await tx.query('SELECT 1 FROM teams WHERE id = $1 FOR NO KEY UPDATE', [team.id]);
    const present = await firstWritable(tx, caller, team.id);
    if (present !== undefined) return present;
    const id = await insert(tx, caller, {
      name: team.name,
      privacy: 'Private',
      description: null,
      teamId: team.id,
    });
    return shownAgain(tx, caller, id);
  });
};

const isKeyRefusal = ({ code }: AppError): boolean => code === 'key_read_only' || code === 'key_scope';

/**
 * The first repository of the team that the caller may write to. Created if there is none; undefined if the plan or the key of the caller
 * does not allow that.
 */
const teamDefault = async (
  sql: Sql,
  caller: Caller,
  team: { id: number; name: string },
): Promise<Repository | undefined> => {
  try {
    return (await firstWritable(sql, caller, team.id)) ?? (await createWithoutWritable(sql, caller, team));
  } catch (error) {
    if (isAppError(error) && (error.kind === 'quota' || isKeyRefusal(error))) return undefined;
    throw error;
  }
};

/** The first repository of a new account. */
export const insertHome = async (tx: Sql, accountId: number, name: string, plan: string): Promise<void> => {
  await tx.query(
    `INSERT INTO repositories (name, privacy, created_by, is_home)
     SELECT $2, CASE WHEN private_home THEN 'Private' ELSE 'Public' END, $1, true FROM plans WHERE name = $3`,
    [accountId, name, plan],
  );
};

/**
 * Transfers the repositories of an account, or one of them, to another account. Home becomes an ordinary repository. @returns their number
 */
export const transferRepositories = async (
  tx: Sql,
  from: number,
  to: number,
  id: number | null,
): Promise<number> => {
  const moved = await tx.query(
    `UPDATE repositories SET created_by = $2, is_home = false, updated_at = now()
     WHERE created_by = $1 AND ($3::bigint IS NULL OR id = $3) RETURNING 1`,
    [from, to, id],
  );
  return moved.length;
};

/** @throws AppError 402, 409 if the account may not have another repository. */
export const requireRoomFor = async (tx: Sql, accountId: number, repositoryId: number): Promise<void> => {
  const [locked] = await tx.query<{ privacy: Privacy }>(
    'SELECT privacy FROM repositories WHERE id = $1 FOR NO KEY UPDATE',
    [repositoryId],
  );
  if (locked?.privacy === 'Private') await takePrivatePlace(tx, accountId);
  const [own] = await tx.query<{ repositories: number }>(
    'SELECT count(*) AS repositories FROM repositories WHERE created_by = $1',
    [accountId],
  );
  if ((own?.repositories ?? 0) >= rowLimits.repositories) throw tooMany('repositories', 'An account');
};

/** Deletes repositories with their datasets. */
export const deleteRepositoriesOf = async (tx: Sql, accountId: number): Promise<void> => {
  await tx.query('DELETE FROM repositories WHERE created_by = $1', [accountId]);
};

/** Renames Home along with its account, unless its owner has renamed it. Called before the account is renamed. */
export const renameHome = async (tx: Sql, accountId: number, name: string): Promise<void> => {
  await tx.query(
    `UPDATE repositories r SET name = $2, updated_at = now() FROM accounts a
     WHERE a.id = $1 AND r.created_by = a.id AND r.is_home AND r.name = a.name AND a.name <> $2`,
    [accountId, name],
  );
};

export const createRepositories = ({ sql, access }: { sql: Sql; access: Access }): Repositories => ({
  list: (caller, filter) => listRepositories(sql, caller, filter),

  async read(caller, id) {
    await access.repository(caller, id, 'Read', 'read');
    return shownAgain(sql, caller, id);
  },

  async home(caller) {
    const id = await homeId(sql, caller);
    requireInScope(caller, id);
    return shownAgain(sql, caller, id);
  },

  async preferred(caller) {
    const team = caller.teams.find(({ name }) => name === caller.workspace);
    const ofTeam = team === undefined ? undefined : await teamDefault(sql, caller, team);
    const repository = ofTeam ?? (await shownAgain(sql, caller, await homeId(sql, caller)));
    requireInScope(caller, repository.id);
    return repository;
  },

  async create(caller, { name, privacy, description = null, team }) {
    requireFullKey(caller);
    requireName(name);
    const teamId = teamOf(caller, team);
    return sql.tx(async (tx) =>
      shownAgain(tx, caller, await insert(tx, caller, { name, privacy, description, teamId })),
    );
  },

  async update(caller, id, { name, privacy, description = null, team }) {
    const current = await access.repository(caller, id, 'Owner', 'write', 'update');
    requireName(name);
    return sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const [locked] = await tx.query<{ privacy: Privacy; team: string | null }>(
        `SELECT r.privacy, t.name AS team FROM repositories r LEFT JOIN teams t ON t.id = r.team_id
         WHERE r.id = $1`,
        [id],
      );
      if (locked === undefined) throw notFound('repository_not_found', `There is no repository ${id}.`);
      if (team !== undefined && !sameHandle(team ?? '', locked.team ?? ''))
        throw invalid('team_is_fixed', 'team: the team of a repository cannot be changed');
      await requirePrivacy(tx, { ...current, privacy: locked.privacy }, privacy);
      await tx.query(
        'UPDATE repositories SET name = $2, privacy = $3, description = $4, updated_at = now() WHERE id = $1',
        [id, name, privacy, description],
      );
      await recordAudit(tx, {
        action: 'repository.update',
        target: { kind: 'repository', id, name },
        details: { privacy, privacyBefore: locked.privacy },
      });
      return shownAgain(tx, caller, id);
    });
  },

  async remove(caller, id) {
    const { isHome } = await access.repository(caller, id, 'Owner', 'write');
    if (isHome) throw conflict('home', 'Home cannot be deleted.');
    await sql.tx(async (tx) => {
      // In the same order as a clone: the repository before its datasets.
      await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR UPDATE', [id]);
      const gone = await tx.query<{ id: number }>(
        'SELECT id FROM datasets WHERE repository_id = $1 ORDER BY id FOR UPDATE',
        [id],
      );
      const [row] = await tx.query<{ name: string }>(
        'DELETE FROM repositories WHERE id = $1 AND NOT is_home RETURNING name',
        [id],
      );
      if (row === undefined) return;
      await recordAudit(tx, {
        action: 'repository.delete',
        target: { kind: 'repository', id, name: row.name },
        details: { datasets: gone.length },
      });
    });
  },
});
