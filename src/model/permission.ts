/** Access decisions. Pure functions of their arguments. */

/** Highest first. Each level includes all later ones. */
export const levels = ['Owner', 'Admin', 'Write', 'Clone', 'Read'] as const;
export type Level = (typeof levels)[number];

export type Privacy = 'Public' | 'Private';
export type TeamRole = 'admin' | 'member';

/** A level that may be granted on a single dataset. */
export const datasetGrantLevels = ['Clone', 'Read'] as const;
export type DatasetGrantLevel = (typeof datasetGrantLevels)[number];

export interface CallerTeam {
  readonly id: number;
  readonly name: string;
  readonly role: TeamRole;
}

interface CallerKey {
  readonly id: number;
  /** True for a read-only key, even if its account may write. */
  readonly readOnly: boolean;
  /** Repositories that the key is limited to; null: all of its account. */
  readonly repositoryIds: readonly number[] | null;
  /** Session of the web app that was used instead of the key; absent if the key itself was sent. */
  readonly sessionId?: number;
}

/** An authenticated account, with the key that was used. */
export interface Caller {
  readonly accountId: number;
  readonly accountName: string;
  /** Name of the plan. */
  readonly plan: string;
  /** True if the plan limits neither the exports of a day nor their bytes. @default false */
  readonly exportsUnbounded?: boolean;
  readonly isOperator: boolean;
  readonly teams: readonly CallerTeam[];
  /** `personal` or the name of a team. */
  readonly workspace: string;
  readonly key: CallerKey;
}

/** A repository, and optionally one dataset in it, with the caller's grants. */
export interface AccessTarget {
  readonly repositoryId: number;
  readonly privacy: Privacy;
  /** Account that created the repository. */
  readonly createdBy: number;
  readonly isHome: boolean;
  /** Team of the repository; null: none. */
  readonly teamId: number | null;
  /** Levels granted on the repository to the caller's account or to one of the caller's teams. */
  readonly repositoryGrants: readonly Grant[];
  /** Present for decisions about a dataset. */
  readonly dataset?: {
    readonly createdBy: number;
    readonly grants: readonly Grant[];
  };
}

/** A level granted to an account or to a team; exactly one of the ids is set. */
export interface Grant {
  readonly accountId: number | null;
  readonly teamId: number | null;
  readonly level: Level;
}

/** True if `level` includes everything that `need` allows. */
export const includesLevel = (level: Level | null, need: Level): boolean =>
  level !== null && levels.indexOf(level) <= levels.indexOf(need);

export const higherLevel = (a: Level | null, b: Level | null): Level | null => {
  if (a === null || b === null) return a ?? b;
  return levels.indexOf(a) <= levels.indexOf(b) ? a : b;
};

/** True if the key excludes this repository, since it is limited to others. */
export const keyExcludes = (caller: Caller, repositoryId: number): boolean =>
  caller.key.repositoryIds !== null && !caller.key.repositoryIds.includes(repositoryId);

const teamDefault = (role: TeamRole): Level => (role === 'admin' ? 'Admin' : 'Write');

/** Level through the caller's teams: a grant to the team of the repository replaces the level of its members. */
const levelByTeams = (caller: Caller, target: AccessTarget): Level | null => {
  let level: Level | null = null;
  for (const team of caller.teams) {
    const grant = target.repositoryGrants.find((item) => item.teamId === team.id)?.level;
    const byMembership = team.id === target.teamId ? teamDefault(team.role) : null;
    level = higherLevel(level, grant ?? byMembership);
  }
  return level;
};

/**
 * Level on a repository: its creator is Owner; otherwise a grant to the account decides alone; otherwise the best level of the account's
 * teams. Everybody has Read on a public one.
 */
const repositoryLevel = (caller: Caller | undefined, target: AccessTarget): Level | null => {
  const open: Level | null = target.privacy === 'Public' ? 'Read' : null;
  if (caller === undefined) return open;
  if (target.createdBy === caller.accountId) return 'Owner';
  const own = target.repositoryGrants.find((item) => item.accountId === caller.accountId)?.level;
  return higherLevel(own ?? levelByTeams(caller, target), open);
};

/**
 * Level of a caller on a repository, or on the dataset in it if the target has one; null: no access. A dataset follows its repository,
 * grants on the dataset are added, and its creator has Admin while allowed to write to the repository. Limits of the key are not part of
 * the level: they are checked for each action (`keyExcludes`, `readOnly`).
 */
export const levelOn = (caller: Caller | undefined, target: AccessTarget): Level | null => {
  const onRepository = repositoryLevel(caller, target);
  const { dataset } = target;
  if (dataset === undefined || caller === undefined) return onRepository;
  if (dataset.createdBy === caller.accountId && includesLevel(onRepository, 'Write')) return 'Admin';
  const teams = caller.teams.map(({ id }) => id);
  return dataset.grants
    .filter(
      ({ accountId, teamId }) =>
        accountId === caller.accountId || (teamId !== null && teams.includes(teamId)),
    )
    .reduce<Level | null>((level, grant) => higherLevel(level, grant.level), onRepository);
};

/** Level of a caller if nothing were granted to its own account on the repository. */
export const levelWithoutOwnGrant = (caller: Caller | undefined, target: AccessTarget): Level | null =>
  levelOn(caller, {
    ...target,
    repositoryGrants: target.repositoryGrants.filter(({ accountId }) => accountId !== caller?.accountId),
  });

/** Whether the action reads or changes something. */
export type Intent = 'read' | 'write';

export type Decision =
  | { readonly allowed: true; readonly level: Level }
  | {
      readonly allowed: false;
      /**
       * `no_key`: credentials are needed. `missing`: it does not exist. `no_access`: the caller has no level on it. `key_scope`,
       * `key_read_only`: the account may, this key may not. `level`: the level is too low.
       */
      readonly reason: 'no_key' | 'missing' | 'no_access' | 'key_scope' | 'key_read_only' | 'level';
      readonly level: Level | null;
    };

const refuse = (reason: Exclude<Decision, { allowed: true }>['reason'], level: Level | null): Decision => ({
  allowed: false,
  reason,
  level,
});

/** The only access decision. `target` undefined: it does not exist. */
export const decide = (
  caller: Caller | undefined,
  target: AccessTarget | undefined,
  need: Level,
  intent: Intent,
): Decision => {
  const level = target === undefined ? null : levelOn(caller, target);
  if (caller === undefined && (intent === 'write' || !includesLevel(level, need)))
    return refuse('no_key', level);
  if (target === undefined) return refuse('missing', null);
  if (level === null) return refuse('no_access', null);
  if (caller !== undefined && keyExcludes(caller, target.repositoryId)) return refuse('key_scope', level);
  if (!includesLevel(level, need)) return refuse('level', level);
  if (intent === 'write' && caller?.key.readOnly) return refuse('key_read_only', level);
  return { allowed: true, level };
};
