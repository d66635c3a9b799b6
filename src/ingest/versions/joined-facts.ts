import { type StoredColumn, storageName } from '../../model/column.js';
import { dateFactsOf, dayText, joinDays, parseDays } from '../../model/day-set.js';
import { type SegmentFacts, timeColumnOf } from '../../model/version.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { readDays } from '../../storage/postgres/version-days.js';
import type { BaseVersion } from '../layout/base-version.js';

/** Rows that stand behind those of a version. */
interface AddedRows {
  /** Their own columns. */
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
}

/**
 * The facts of a version and rows behind it, from what is noted of both: it costs what the days take, not what the rows do.
 * Undefined where the days of either are not noted.
 */
export const joinFacts = async (
  sql: Sql,
  datasetId: number,
  base: BaseVersion,
  columns: readonly StoredColumn[],
  { columns: added, facts }: AddedRows,
): Promise<SegmentFacts | undefined> => {
  const sum = { rows: base.rowCount + facts.rows, bytes: base.byteSize + facts.bytes };
  const date = timeColumnOf(columns);
  if (date === undefined) return { ...sum, minDate: null, maxDate: null, frequency: null };
  const ofAdded = timeColumnOf(added);
  const name = storageName(date);
  if (facts.days === undefined || ofAdded === undefined || storageName(ofAdded) !== name) return undefined;
  const before = await readDays(sql, datasetId, base.versionId, name);
  if (before === undefined) return undefined;
  const days = joinDays(before, parseDays(facts.days));
  return { ...sum, ...dateFactsOf(days, date.years === true), days: dayText(days) };
};
