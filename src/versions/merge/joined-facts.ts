import { type StoredColumn, storageName } from '../../model/column.js';
import {
  type DateFacts,
  type DaySet,
  dateFactsOf,
  dayText,
  joinDays,
  parseDays,
} from '../../model/day-set.js';
import { type SegmentFacts, timeColumnOf } from '../../model/version.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { readDays } from '../../storage/postgres/version-days.js';
import type { BaseVersion } from '../../uploads/layout/base-version.js';

/** Rows appended to a version. */
interface AddedRows {
  /** Their own columns. */
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
}

/** Days of the added rows in a date column; undefined if they are not recorded. */
export const addedDays = ({ columns, facts }: AddedRows, date: StoredColumn): DaySet | undefined => {
  const own = timeColumnOf(columns);
  if (facts.days === undefined || own === undefined || storageName(own) !== storageName(date))
    return undefined;
  return parseDays(facts.days);
};

/** Facts that a version records about the days in its date column. */
export const factsOfDays = (days: DaySet, date: StoredColumn): DateFacts & Pick<SegmentFacts, 'days'> => ({
  ...dateFactsOf(days, date.years === true),
  days: dayText(days),
});

/**
 * Facts of a version with added rows, from the records of both without reading rows. Undefined if the days of either are not recorded.
 */
export const joinFacts = async (
  sql: Sql,
  datasetId: number,
  base: BaseVersion,
  columns: readonly StoredColumn[],
  added: AddedRows,
): Promise<SegmentFacts | undefined> => {
  const { facts } = added;
  const sum = { rows: base.rowCount + facts.rows, bytes: base.byteSize + facts.bytes };
  const date = timeColumnOf(columns);
  if (date === undefined) return { ...sum, minDate: null, maxDate: null, frequency: null };
  const ofAdded = addedDays(added, date);
  const before = ofAdded && (await readDays(sql, datasetId, base.versionId, storageName(date)));
  if (ofAdded === undefined || before === undefined) return undefined;
  return { ...sum, ...factsOfDays(joinDays(before, ofAdded), date) };
};
