/**
 * Access decisions. Pure: depends on its arguments alone.
 */

/** Highest first. Each level may do what every later one may. */
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
  /** True for a key that may only read, even if its account may write. */
  readonly readOnly: boolean;
  /** Repositories the key is limited to; null for all of its account. */
  readonly repositoryIds: readonly number[] | null;
  /** Session of the web app that stands for the key; absent when the key itself was sent. */
  readonly sessionId?: number;
}

/** An authenticated account together with the key it came with. */
export interface Caller {
  readonly accountId: number;
  readonly accountName: string;
  /** Name of the plan. */
  readonly plan: string;
  /** True where the plan bounds neither the exports of a day nor their bytes. @default false */
  readonly exportsUnbounded?: boolean;
  readonly isOperator: boolean;
  readonly teams: readonly CallerTeam[];
  /** `personal` or the name of a team. */
  readonly workspace: string;
  readonly key: CallerKey;
}

/** A repository, and perhaps one dataset in it, with the grants that concern the caller. */
export interface AccessTarget {
  readonly repositoryId: number;
  readonly privacy: Privacy;
  /** Account that made the repository. */
  readonly createdBy: number;
  readonly isHome: boolean;
  /** Team the repository belongs to, if any. */
  readonly teamId: number | null;
  /** Levels granted on the repository to the caller's account or to one of the caller's teams. */
  readonly repositoryGrants: readonly Grant[];
  /** Present when the question is about a dataset. */
  readonly dataset?: {
    readonly createdBy: number;
    readonly grants: readonly Grant[];
  };
}

/** A level given to an account or to a team; exactly one of both ids is set. */
export interface Grant {
  readonly accountId: number | null;
  readonly teamId: number | null;
  readonly level: Level;
}

/** True when `level` includes everything that `need` allows. */
export const includesLevel = (level: Level | null, need: Level): boolean =>
  level !== null && levels.indexOf(level) <= levels.indexOf(need);

export const higherLevel = (a: Level | null, b: Level | null): Level | null => {
  if (a === null || b === null) return a ?? b;
  return levels.indexOf(a) <= levels.indexOf(b) ? a : b;
};

/** True when the key may not touch this repository at all: it is limited to others. */
export const keyExcludes = (caller: Caller, repositoryId: number): boolean =>
  caller.key.repositoryIds !== null && !caller.key.repositoryIds.includes(repositoryId);

const teamDefault = (role: TeamRole): Level => (role === 'admin' ? 'Admin' : 'Write');

/** Level by the caller's teams: a grant to the team of the repository replaces the level of its members. */
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
 * Level on a repository: its creator is Owner; otherwise a grant to the account decides alone, then the best
 * of what the account's teams have; a public one can be read by everybody.
 */
const repositoryLevel = (caller: Caller | undefined, target: AccessTarget): Level | null => {
  const open: Level | null = target.privacy === 'Public' ? 'Read' : null;
  if (caller === undefined) return open;
  if (target.createdBy === caller.accountId) return 'Owner';
  const own = target.repositoryGrants.find((item) => item.accountId === caller.accountId)?.level;
  return higherLevel(own ?? levelByTeams(caller, target), open);
};

/**
 * The level of a caller on a repository, or on the dataset in it when the target names one; null: no
 * access at all. A dataset follows its repository, grants on the dataset add to that, and its creator
 * has Admin while allowed to write to the repository. Limits of the key are not part of the level: they
 * are checked where something is done (`keyExcludes`, `readOnly`).
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

/** Looking, or changing something. */
export type Intent = 'read' | 'write';

export type Decision =
  | { readonly allowed: true; readonly level: Level }
  | {
      readonly allowed: false;
      /**
       * `no_key`: credentials are needed. `missing`: there is no such thing. `no_access`: the caller has no level
       * on it at all. `key_scope`, `key_read_only`: the account may, this key may not. `level`: the level is too
       * low.
       */
      readonly reason: 'no_key' | 'missing' | 'no_access' | 'key_scope' | 'key_read_only' | 'level';
      readonly level: Level | null;
    };

const refuse = (reason: Exclude<Decision, { allowed: true }>['reason'], level: Level | null): Decision => ({
  allowed: false,
  reason,
  level,
});

/** The one decision about access; `target` undefined: it does not exist. */
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
