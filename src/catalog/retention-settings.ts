import { notFound } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { boundVersions } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';

/** Limits of old versions; the current version and pinned ones are always kept. null: no limit. */
export interface RetentionBounds {
  /** Number of newest versions, including the current one. */
  readonly versions: number | null;
  /** Days before a replaced version is deleted. */
  readonly days: number | null;
}

interface RetentionView extends RetentionBounds {
  /** Limits in the plan of the repository's creator. The lower one of each pair applies. */
  readonly plan: RetentionBounds;
}

/** Retention settings of a dataset, set by its owners. */
export interface RetentionSettings {
  /** @throws AppError 401, 403, 404. */
  read(caller: Caller | undefined, datasetId: number): Promise<RetentionView>;
  /** Sets both limits. @throws AppError 401, 403 below Admin, 404. */
  put(caller: Caller, datasetId: number, bounds: RetentionBounds): Promise<RetentionView>;
}

/** Effective limits of dataset `d` in repository `r`, as JSON. */
export const retentionInForce = `
  (SELECT json_build_object('versions', least(d.keep_versions, p.max_versions),
     'days', least(d.keep_days, p.max_version_days))
   FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = r.created_by) AS retention`;

export const createRetentionSettings = ({ sql, access }: { sql: Sql; access: Access }): RetentionSettings => {
  const view = async (datasetId: number): Promise<RetentionView> => {
    const [row] = await sql.query<RetentionView>(
      `SELECT d.keep_versions AS versions, d.keep_days AS days,
         json_build_object('versions', p.max_versions, 'days', p.max_version_days) AS plan
       FROM datasets d JOIN repositories r ON r.id = d.repository_id JOIN accounts a ON a.id = r.created_by
         JOIN plans p ON p.name = a.plan
       WHERE d.id = $1`,
      [datasetId],
    );
    if (row === undefined) throw notFound('dataset_not_found', `There is no dataset ${datasetId}.`);
    return row;
  };

  return {
    async read(caller, datasetId) {
      await access.dataset(caller, datasetId, 'Read', 'read');
      return view(datasetId);
    },

    async put(caller, datasetId, bounds) {
      await access.dataset(caller, datasetId, 'Admin', 'write');
      await boundVersions(sql, datasetId, bounds);
      return view(datasetId);
    },
  };
};
