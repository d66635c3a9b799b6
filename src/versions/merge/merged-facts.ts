import { type StoredColumn, storageName } from '../../model/column.js';
import { type DaySet, daysOf, setOfDays } from '../../model/day-set.js';
import { type SegmentFacts, timeColumnOf } from '../../model/version.js';
import { countSegments, datesOf, findDays, namedColumn } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { readDays } from '../../storage/postgres/version-days.js';
import type { BaseVersion } from '../../uploads/layout/base-version.js';
import { storedColumns } from '../../uploads/layout/layout.js';
import type { UploadTurn } from '../../uploads/lifecycle/merge-records.js';
import { addedDays, factsOfDays, joinFacts } from './joined-facts.js';
import type { MergePlan } from './merge-plan.js';
import type { Counted, MergedRows } from './merged-rows.js';

/** Estimates the bytes of a new version: replaced and removed rows count like the average row. */
const bytesOf = (turn: UploadTurn, base: BaseVersion | undefined, rows: number): number => {
  const added = turn.mode === 'delete' ? { rows: 0, bytes: 0 } : turn.facts;
  const all = (base?.rowCount ?? 0) + added.rows;
  const bytes = (base?.byteSize ?? 0) + added.bytes;
  return all === 0 ? bytes : Math.round((bytes * rows) / all);
};

/** True if the days of the new version are exactly those of the previous version and of the file. */
const areDaysJoined = ({ mode, columns, keyIds }: MergePlan, { counts, changes }: Counted): boolean => {
  const date = timeColumnOf(columns);
  if (date === undefined) return true;
  if (mode === 'delete' || changes.removed > 0) return false;
  // If the date is part of the key, all rows of a key have the same date.
  return keyIds.includes(date.id) || (changes.replaced === 0 && counts.distinct === counts.rows);
};

/** Maximum days of the file that are looked up in the remaining rows; for more, all rows are read. */
const maxDaysLookedUp = 1_000;

/** Returns the facts of the new version, from the records of both sides if possible, otherwise from its rows. */
type MergedFacts = (
  turn: UploadTurn,
  base: BaseVersion | undefined,
  plan: MergePlan,
  counted: Counted,
  written: MergedRows,
) => Promise<SegmentFacts>;

export const createMergedFacts = (sql: Sql, clickhouse: ClickHouseServers): MergedFacts => {
  /** Days after a delete by a key with the date: those of the previous version, without days of the file that have no rows any more. */
  const daysLeft = async (
    { datasetId }: UploadTurn,
    base: BaseVersion,
    date: StoredColumn,
    ofFile: readonly number[],
    { place, list }: MergedRows,
  ): Promise<DaySet | undefined> => {
    if (ofFile.length > maxDaysLookedUp) return undefined;
    const before = await readDays(sql, datasetId, base.versionId, storageName(date));
    const left = before && (await findDays(clickhouse, place, list, namedColumn(date), ofFile));
    if (before === undefined || left === undefined) return undefined;
    const touched = new Set(ofFile);
    return setOfDays([...daysOf(before).filter((day) => !touched.has(day)), ...left]);
  };

  /** Facts about dates from the records of both sides; undefined if all rows must be read. */
  const datesFromRecords = async (
    turn: UploadTurn,
    base: BaseVersion,
    plan: MergePlan,
    counted: Counted,
    written: MergedRows,
  ): Promise<Omit<SegmentFacts, 'rows' | 'bytes'> | undefined> => {
    const file = { columns: storedColumns(turn.layout), facts: turn.facts };
    if (areDaysJoined(plan, counted)) return joinFacts(sql, turn.datasetId, base, plan.columns, file);
    const date = timeColumnOf(plan.columns);
    const ofFile = date && addedDays(file, date);
    if (date === undefined || ofFile === undefined) return undefined;
    const { distinct, rows } = counted.counts;
    const isByKey = plan.keyIds.includes(date.id);
    // After a sync each row has the values of a row of the file.
    if (plan.mode === 'sync' && (isByKey || distinct === rows)) return factsOfDays(ofFile, date);
    if (plan.mode !== 'delete' || !isByKey) return undefined;
    const left = await daysLeft(turn, base, date, daysOf(ofFile), written);
    return left && factsOfDays(left, date);
  };

  return async (turn, base, plan, counted, written) => {
    const { keepsBase, place, list } = written;
    if (base !== undefined && keepsBase) {
      const dates = await datesFromRecords(turn, base, plan, counted, written);
      // The written rows were counted when they were written, the others for the previous version.
      const rows = counted.expected;
      if (dates !== undefined) return { ...dates, rows, bytes: bytesOf(turn, base, rows) };
    }
    const date = timeColumnOf(plan.columns);
    const { rows, ...dates } = await countSegments(clickhouse, place, list, date && namedColumn(date));
    return { rows, bytes: bytesOf(turn, base, rows), ...datesOf(dates) };
  };
};
