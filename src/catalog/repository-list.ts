import { isoUtc } from '../lib/time.js';
import { handleKey } from '../model/handles.js';
import { type Caller, includesLevel, type Level, levelOn, type Privacy } from '../model/permission.js';
import type { Sql } from '../storage/postgres/sql.js';
import {
  callerValues,
  type RepositoryTargetRow,
  repositoryTarget,
  repositoryTargetColumns,
  seenRepositories,
} from './access-target.js';
import { inBatches, searchedText, searchPatterns } from './batches.js';

/** Text of `r` that is searched. */
export const repositoryText = searchedText(`concat_ws(' ', r.name, r.description)`);

export interface Repository {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: Privacy;
  /** Name of its team; null: none. */
  readonly team: string | null;
  /** The caller's level. */
  readonly permission: Level;
  readonly isHome: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RepositoryFilter {
  /** Words that all occur in name or description. */
  readonly q?: string | undefined;
  readonly privacy?: Privacy | undefined;
  /** Name of a team. */
  readonly team?: string | undefined;
}

export interface RepositoryRow extends RepositoryTargetRow {
  id: number;
  name: string;
  description: string | null;
  team: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns of a `RepositoryRow`, without those about access. */
export const repositoryColumns = `r.id, r.name, r.description, t.name AS team, r.created_at AS "createdAt",
  r.updated_at AS "updatedAt"`;

/** The repository as the caller sees it; an empty list if the caller must not see it. */
export const shownRepository = (caller: Caller | undefined, row: RepositoryRow): Repository[] => {
  const permission = levelOn(caller, repositoryTarget(row));
  if (permission === null) return [];
  return [
    {
      id: row.id,
      name: row.name,
      description: row.description,
      privacy: row.privacy,
      team: row.team,
      permission,
      isHome: row.isHome,
      createdAt: isoUtc(row.createdAt),
      updatedAt: isoUtc(row.updatedAt),
    },
  ];
};

/** A repository as the caller sees it; undefined if it does not exist or the caller must not see it. */
export const readRepository = async (
  sql: Sql,
  caller: Caller | undefined,
  id: number,
): Promise<Repository | undefined> => {
  const [row] = await sql.query<RepositoryRow>(
    `SELECT ${repositoryColumns}, ${repositoryTargetColumns('$2', '$3')}
     FROM repositories r LEFT JOIN teams t ON t.id = r.team_id WHERE r.id = $1`,
    [id, ...callerValues(caller)],
  );
  return row && shownRepository(caller, row)[0];
};

const listSql = `
  WITH ${seenRepositories}
  SELECT ${repositoryColumns}, ${repositoryTargetColumns('$1', '$2')}
  FROM repositories r JOIN seen ON seen.id = r.id LEFT JOIN teams t ON t.id = r.team_id
  WHERE r.id > $4 AND ($5::text IS NULL OR r.privacy = $5) AND ($6::text IS NULL OR t.id = (SELECT n.team_id FROM names n WHERE n.key = $6))
    AND ${repositoryText} ILIKE ALL ($7::text[])
  ORDER BY r.id LIMIT $8`;

/** Every repository that the caller may see and that passes the filter, in batches. */
export const listRepositories = (
  sql: Sql,
  caller: Caller,
  filter: RepositoryFilter,
): AsyncIterable<readonly Repository[]> => {
  const { q, privacy = null, team = null } = filter;
  const patterns = searchPatterns(q);
  return inBatches(
    (after, limit) =>
      sql.query<RepositoryRow>(listSql, [
        ...callerValues(caller),
        caller.key.repositoryIds,
        after,
        privacy,
        team === null ? null : handleKey(team),
        patterns,
        limit,
      ]),
    (row) => shownRepository(caller, row),
  );
};

const ofTeamSql = `
  SELECT ${repositoryColumns}, ${repositoryTargetColumns('$1', '$2')}
  FROM repositories r LEFT JOIN teams t ON t.id = r.team_id WHERE r.team_id = $3 AND r.id > $4 ORDER BY r.id LIMIT $5`;

/** The first repository of a team that the caller may write to. One statement for 2,000 repositories. */
export const firstWritable = async (
  sql: Sql,
  caller: Caller,
  teamId: number,
): Promise<Repository | undefined> => {
  const batches = inBatches(
    (after, limit) => sql.query<RepositoryRow>(ofTeamSql, [...callerValues(caller), teamId, after, limit]),
    (row) => shownRepository(caller, row).filter(({ permission }) => includesLevel(permission, 'Write')),
  );
  for await (const [first] of batches) if (first !== undefined) return first;
  return undefined;
};
