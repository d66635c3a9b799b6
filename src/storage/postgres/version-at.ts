import { AppError, notFound } from '../../lib/errors.js';
import type { Instant } from '../../lib/instant.js';
import { isoUtc } from '../../lib/time.js';
import type { Sql } from './sql.js';

/**
 * Expression for the start of validity of a version.
 * @param version Alias of the table of versions.
 */
export const validFrom = (version: string): string =>
  `coalesce(${version}.valid_from, ${version}.created_at)`;

interface Kept {
  readonly id: number;
  readonly validFrom: Date;
}

const thenSql = `
  SELECT id, ${validFrom('v')} AS "validFrom" FROM versions v
  WHERE dataset_id = $1 AND ${validFrom('v')} < $2 AND (replaced_at IS NULL OR replaced_at >= $2)
  ORDER BY id DESC LIMIT 1`;

const laterSql = `
  SELECT d.first_version_at AS "firstAt", v.id, v."validFrom"
  FROM datasets d LEFT JOIN LATERAL (
    SELECT o.id, ${validFrom('o')} AS "validFrom" FROM versions o
    WHERE o.dataset_id = d.id AND ${validFrom('o')} >= $2 ORDER BY o.id LIMIT 1) v ON true
  WHERE d.id = $1`;

/**
 * Id of the version of a dataset that was current at a point in time.
 * @throws AppError 404: there was none yet (names the first one), or that version was deleted since (names the next one that is kept).
 */
export const versionAt = async (sql: Sql, datasetId: number, at: Instant): Promise<number> => {
  const [then] = await sql.query<Kept>(thenSql, [datasetId, at.end]);
  if (then !== undefined) return then.id;
  const [later] = await sql.query<{ firstAt: Date | null; id: number | null; validFrom: Date | null }>(
    laterSql,
    [datasetId, at.end],
  );
  if (later === undefined || later.firstAt === null)
    throw notFound('no_data', 'The dataset has no data yet: nothing was uploaded to it.');
  const next =
    later.id === null || later.validFrom === null
      ? undefined
      : { versionId: String(later.id), createdAt: isoUtc(later.validFrom) };
  const named = next === undefined ? '' : `version ${next.versionId} of ${next.createdAt}Z`;
  if (later.firstAt >= at.end) {
    const isFirst = later.validFrom !== null && later.validFrom.getTime() === later.firstAt.getTime();
    const first = isFirst ? named : `of ${isoUtc(later.firstAt)}Z; the oldest that is kept is ${named}`;
    throw new AppError(
      'not_found',
      'before_first_version',
      `asOf ${at.text} is before the first version of the dataset, ${first}.`,
      {
        details: { first: { versionId: isFirst ? next?.versionId : null, createdAt: isoUtc(later.firstAt) } },
      },
    );
  }
  throw new AppError(
    'not_found',
    'version_removed',
    `The version that was current at ${at.text} was removed since. The next one that is kept is ${named}.`,
    { details: { next } },
  );
};
