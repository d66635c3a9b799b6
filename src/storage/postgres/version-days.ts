/** Rows of `version_days`: the days in the current version of a dataset. Only this file writes them. */
import { type DaySet, parseDays } from '../../model/day-set.js';
import type { Sql } from './sql.js';

/**
 * Statement that records the days of new versions.
 * @param days Query of `dataset_id`, `version_id`, `column_name` and `days`.
 */
export const keepDaysSql = (days: string): string => `
  INSERT INTO version_days (dataset_id, version_id, column_name, days) ${days}
  ON CONFLICT (dataset_id) DO UPDATE SET
    version_id = excluded.version_id, column_name = excluded.column_name, days = excluded.days`;

/** The days in a column of a version; undefined if they were not recorded. */
export const readDays = async (
  sql: Sql,
  datasetId: number,
  versionId: number,
  column: string,
): Promise<DaySet | undefined> => {
  const [row] = await sql.query<{ days: string }>(
    'SELECT days FROM version_days WHERE dataset_id = $1 AND version_id = $2 AND column_name = $3',
    [datasetId, versionId, column],
  );
  return row && parseDays(row.days);
};
