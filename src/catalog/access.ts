import { AppError } from '../lib/errors.js';
import {
  type AccessTarget,
  type Caller,
  decide,
  type Intent,
  type Level,
  levelWithoutOwnGrant,
  type Privacy,
} from '../model/permission.js';
import type { StorageLimits } from '../model/plan.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import {
  callerValues,
  type DatasetRow,
  datasetTarget,
  datasetTargetColumns,
  type RepositoryTargetRow,
  repositoryTarget,
  repositoryTargetColumns,
} from './access-target.js';
import type { FoundDatasets } from './found-datasets.js';
import { type AccessRequest, missing, type RefusalRule, refusal } from './refusal.js';

/** A dataset to which the caller has access. */
export interface DatasetAccess {
  readonly id: number;
  readonly name: string;
  readonly repositoryId: number;
  readonly storeId: number;
  readonly privacy: Privacy;
  /** The caller's level. */
  readonly level: Level;
  /** Null before the first upload. */
  readonly currentVersionId: number | null;
  /** Grows when the name or role of a column changes. */
  readonly columnsRevision: number;
  /** Account whose plan the stored data counts against. */
  readonly ownerId: number;
  /** True for data in the caller's own repositories and teams, which every plan allows the caller to download. */
  readonly own: boolean;
  readonly limits: StorageLimits;
  /** The limits for uploads. */
  readonly uploadQuota: {
    readonly maxBytes: number | null;
    readonly maxRows: number | null;
    readonly maxColumns: number | null;
  };
}

/** A repository to which the caller has access. */
interface RepositoryAccess {
  readonly id: number;
  readonly level: Level;
  /** Level of the caller if the grant to its account were removed; null: no access. */
  readonly levelWithoutGrant: Level | null;
  readonly privacy: Privacy;
  readonly isHome: boolean;
  readonly teamId: number | null;
  /** Account that created it and whose plan it counts against. */
  readonly ownerId: number;
}

/** The first ones, or the one with a name or id. */
type WhichDatasets = { readonly limit: number } | { readonly name: string } | { readonly id: number };

export interface Access {
  /**
   * @throws AppError 401 without a key if one is needed, 404 for a dataset that does not exist, 403 for a dataset that the caller cannot
   *   access, for a level that is too low, and for a limit of the key.
   */
  dataset(caller: Caller | undefined, datasetId: number, need: Level, intent: Intent): Promise<DatasetAccess>;
  /** @throws AppError as for a dataset; `rule` names the exceptions. */
  repository(
    caller: Caller | undefined,
    repositoryId: number,
    need: Level,
    intent: Intent,
    rule?: RefusalRule,
  ): Promise<RepositoryAccess>;
  /**
   * Datasets of a repository that have data and that the caller may read, by id: all of them, or those that are shared individually.
   * @throws AppError as for a repository if the caller may read neither it nor one of these datasets.
   */
  readableDatasets(
    caller: Caller | undefined,
    repositoryId: number,
    which: WhichDatasets,
  ): Promise<readonly DatasetAccess[]>;
}

/**
 * Query of `DatasetRow`.
 * @param me, teams Account id and team ids of the caller. @param condition On the dataset `d`.
 */
export const datasetRows = (me: string, teams: string, condition: string): string => `
  SELECT d.id, d.name, d.store_id AS "storeId", d.current_version_id AS "currentVersionId",
    d.columns_revision AS "columnsRevision", p.max_stored_bytes AS "maxStoredBytes",
    p.max_dataset_rows AS "maxDatasetRows", p.max_columns AS "maxColumns", p.max_upload_bytes AS "maxUploadBytes",
    ${datasetTargetColumns(me, teams)}
  FROM datasets d JOIN repositories r ON r.id = d.repository_id
    JOIN accounts owner ON owner.id = r.created_by JOIN plans p ON p.name = owner.plan
  WHERE ${condition}`;

const datasetsSql = prepared(datasetRows('$2', '$3', 'd.id = ANY ($1)'));
const datasetSql = prepared(datasetRows('$2', '$3', 'd.id = $1'));

/** True for data in the caller's own repositories and teams. */
export const isOwn = (caller: Caller | undefined, target: AccessTarget): boolean =>
  caller !== undefined &&
  (target.createdBy === caller.accountId || caller.teams.some(({ id }) => id === target.teamId));

const datasetAccess = (caller: Caller | undefined, row: DatasetRow, level: Level): DatasetAccess => {
  const { maxStoredBytes, maxDatasetRows, maxColumns, maxUploadBytes } = row;
  return {
    id: row.id,
    name: row.name,
    repositoryId: row.repositoryId,
    storeId: row.storeId,
    privacy: row.privacy,
    level,
    currentVersionId: row.currentVersionId,
    columnsRevision: row.columnsRevision,
    ownerId: row.createdBy,
    own: isOwn(caller, repositoryTarget(row)),
    limits: { maxStoredBytes, maxDatasetRows, maxColumns, maxUploadBytes },
    uploadQuota: { maxBytes: maxUploadBytes, maxRows: maxDatasetRows, maxColumns },
  };
};

const judgeRow = (
  caller: Caller | undefined,
  row: DatasetRow | undefined,
  request: AccessRequest,
  intent: Intent,
): DatasetAccess | AppError => {
  const decision = decide(caller, row && datasetTarget(row), request.need, intent);
  if (!decision.allowed) return refusal(decision, request);
  return row === undefined ? missing(request) : datasetAccess(caller, row, decision.level);
};

/** Rights of a caller on some datasets, or the refusal of each, in the order of the ids. */
export const judgeDatasets = async (
  sql: Sql,
  caller: Caller | undefined,
  datasetIds: readonly number[],
): Promise<(DatasetAccess | AppError)[]> => {
  const rows = await sql.query<DatasetRow>(datasetsSql, [datasetIds, ...callerValues(caller)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return datasetIds.map((id) =>
    judgeRow(caller, byId.get(id), { what: 'dataset', id, need: 'Write' }, 'write'),
  );
};

/** Grants on the dataset itself, to the caller or a team of the caller. */
const isGranted = `EXISTS (SELECT 1 FROM dataset_grants g
  WHERE g.dataset_id = d.id AND (g.account_id = $2 OR g.team_id = ANY ($3)))`;

const readableSql = (which: string) =>
  prepared(
    datasetRows(
      '$2',
      '$3',
      `d.repository_id = $1 AND d.current_version_id IS NOT NULL AND ($4 OR ${isGranted}) AND ${which}`,
    ),
  );

const firstSql = readableSql('true ORDER BY d.id LIMIT $5');
const namedSql = readableSql('d.name = $5');
const byIdSql = readableSql('d.id = $5');

const statementOf = (which: WhichDatasets): [typeof firstSql, number | string] => {
  if ('name' in which) return [namedSql, which.name];
  return 'id' in which ? [byIdSql, which.id] : [firstSql, which.limit];
};

/** The refusal for a missing permission; any other error is thrown. */
const permissionRefusal = (error: unknown): AppError => {
  if (error instanceof AppError && error.code === 'no_permission') return error;
  throw error;
};

interface AccessOptions {
  readonly sql: Sql;
  /** Datasets that were read together with the key. @default none */
  readonly found?: Pick<FoundDatasets, 'take'>;
}

export const createAccess = ({ sql, found }: AccessOptions): Access => {
  const access: Access = {
    async dataset(caller, datasetId, need, intent) {
      const read = async (): Promise<DatasetRow | undefined> =>
        (await sql.query<DatasetRow>(datasetSql, [datasetId, ...callerValues(caller)]))[0];
      const row = (caller && found?.take(caller, datasetId)) ?? (await read());
      const judged = judgeRow(caller, row, { what: 'dataset', id: datasetId, need }, intent);
      if (judged instanceof AppError) throw judged;
      return judged;
    },

    async repository(caller, repositoryId, need, intent, rule) {
      const [row] = await sql.query<RepositoryTargetRow>(
        `SELECT ${repositoryTargetColumns('$2', '$3')} FROM repositories r WHERE r.id = $1`,
        [repositoryId, ...callerValues(caller)],
      );
      const request: AccessRequest = { what: 'repository', id: repositoryId, need, rule };
      const target = row && repositoryTarget(row);
      const decision = decide(caller, target, need, intent);
      if (!decision.allowed) throw refusal(decision, request);
      if (row === undefined || target === undefined) throw missing(request);
      const { privacy, isHome, teamId, createdBy: ownerId } = row;
      const levelWithoutGrant = levelWithoutOwnGrant(caller, target);
      return { id: repositoryId, level: decision.level, levelWithoutGrant, privacy, isHome, teamId, ownerId };
    },

    async readableDatasets(caller, repositoryId, which) {
      const refused = await access
        .repository(caller, repositoryId, 'Read', 'read')
        .then(() => undefined, permissionRefusal);
      const [statement, value] = statementOf(which);
      const values = [repositoryId, ...callerValues(caller), refused === undefined, value];
      const rows = await sql.query<DatasetRow>(statement, values);
      const datasets = rows
        .map((row) => judgeRow(caller, row, { what: 'dataset', id: row.id, need: 'Read' }, 'read'))
        .filter((judged): judged is DatasetAccess => !(judged instanceof AppError));
      if (refused !== undefined && datasets.length === 0) throw refused;
      return datasets;
    },
  };
  return access;
};
