import type { AccessTarget, Caller, Grant, Privacy } from '../model/permission.js';
import type { StorageLimits } from '../model/plan.js';

/**
 * Select items with the facts for access decisions about a repository `r` and optionally a dataset `d`. Only grants to the caller or the
 * caller's teams are returned.
 *
 * @param me, teams Parameters with the caller's account id (null without a caller) and team ids.
 */
export const repositoryTargetColumns = (me: string, teams: string): string =>
  `r.id AS "repositoryId", r.privacy, r.created_by AS "createdBy", r.is_home AS "isHome", r.team_id AS "teamId",
   (SELECT json_agg(json_build_object('accountId', g.account_id, 'teamId', g.team_id, 'level', g.level))
      FROM repository_grants g
     WHERE g.repository_id = r.id AND (g.account_id = ${me} OR g.team_id = ANY (${teams}))) AS "repositoryGrants"`;

/** Team ids of the caller `key`, as an array. */
export const keyTeamIds = `ARRAY(SELECT (t ->> 'id')::bigint FROM json_array_elements(key.teams) AS t)`;

export const datasetTargetColumns = (me: string, teams: string): string =>
  `${repositoryTargetColumns(me, teams)}, d.created_by AS "datasetCreatedBy",
   (SELECT json_agg(json_build_object('accountId', g.account_id, 'teamId', g.team_id, 'level', g.level))
      FROM dataset_grants g
     WHERE g.dataset_id = d.id AND (g.account_id = ${me} OR g.team_id = ANY (${teams}))) AS "datasetGrants"`;

export interface RepositoryTargetRow {
  repositoryId: number;
  privacy: Privacy;
  createdBy: number;
  isHome: boolean;
  teamId: number | null;
  repositoryGrants: Grant[] | null;
}

export interface DatasetTargetRow extends RepositoryTargetRow {
  datasetCreatedBy: number;
  datasetGrants: Grant[] | null;
}

/** A dataset with the facts for decisions about access to it. */
export interface DatasetRow extends DatasetTargetRow, StorageLimits {
  id: number;
  name: string;
  storeId: number;
  currentVersionId: number | null;
  columnsRevision: number;
}

export const repositoryTarget = (row: RepositoryTargetRow): AccessTarget => ({
  repositoryId: row.repositoryId,
  privacy: row.privacy,
  createdBy: row.createdBy,
  isHome: row.isHome,
  teamId: row.teamId,
  repositoryGrants: row.repositoryGrants ?? [],
});

export const datasetTarget = (row: DatasetTargetRow): AccessTarget => ({
  ...repositoryTarget(row),
  dataset: { createdBy: row.datasetCreatedBy, grants: row.datasetGrants ?? [] },
});

/** Account id and team ids of a caller, as the values of the two parameters. */
export const callerValues = (caller: Caller | undefined): [number | null, number[]] => [
  caller?.accountId ?? null,
  caller?.teams.map(({ id }) => id) ?? [],
];

/**
 * Common table expression `seen (id)`: repositories that the caller may see by ownership, team or grant, or because they are public. A
 * superset that indexes can find; `decide` still checks each of them.
 *
 * Parameters: `$1` and `$2` are `callerValues`, `$3` the key's repository ids, or null for all.
 */
export const seenRepositories = `seen AS (
     SELECT id FROM (
       SELECT id FROM repositories WHERE privacy = 'Public'
       UNION SELECT id FROM repositories WHERE created_by = $1
       UNION SELECT id FROM repositories WHERE team_id = ANY ($2)
       UNION SELECT repository_id FROM repository_grants WHERE account_id = $1
       UNION SELECT repository_id FROM repository_grants WHERE team_id = ANY ($2)
     ) every WHERE $3::bigint[] IS NULL OR id = ANY ($3::bigint[])
   )`;
