/**
 * Who may do what. Pure: the same facts give the same answer wherever they are asked.
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

export interface CallerKey {
  readonly id: number;
  /** True for a key that may only read, whatever its account may do. */
  readonly readOnly: boolean;
  /** Repositories the key is limited to; null for all of its account. */
  readonly repositoryIds: readonly number[] | null;
}

/** An authenticated account together with the key it came with. */
export interface Caller {
  readonly accountId: number;
  readonly accountName: string;
  /** Name of the plan. */
  readonly plan: string;
  readonly isOperator: boolean;
  readonly teams: readonly CallerTeam[];
  /** `personal` or the name of a team. */
  readonly workspace: string;
  readonly key: CallerKey;
}

/** What is known about a repository, and perhaps one dataset in it, from the caller's point of view. */
export interface AccessFacts {
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
