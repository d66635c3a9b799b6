import { type SegmentFacts, timeColumnOf } from '../../model/version.js';
import { countSegments, datesOf, namedColumn } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { BaseVersion } from '../layout/base-version.js';
import { storedColumns } from '../layout/layout.js';
import type { UploadTurn } from '../lifecycle/merge-records.js';
import { joinFacts } from './joined-facts.js';
import type { MergePlan } from './merge-plan.js';
import type { Counted, MergedRows } from './merged-rows.js';

/** Bytes of rows that were replaced or removed are not known: they count like the average row. */
const bytesOf = (turn: UploadTurn, base: BaseVersion | undefined, rows: number): number => {
  const added = turn.mode === 'delete' ? { rows: 0, bytes: 0 } : turn.facts;
  const all = (base?.rowCount ?? 0) + added.rows;
  const bytes = (base?.byteSize ?? 0) + added.bytes;
  return all === 0 ? bytes : Math.round((bytes * rows) / all);
};

/** True if the days of the version to come are those of the version before and those of the file. */
const areDaysJoined = ({ mode, columns, keyIds }: MergePlan, { counts, changes }: Counted): boolean => {
  const date = timeColumnOf(columns);
  if (date === undefined) return true;
  if (mode === 'delete' || changes.removed > 0) return false;
  // Rows of one key have one date where the date is part of the key.
  return keyIds.includes(date.id) || (changes.replaced === 0 && counts.distinct === counts.rows);
};

/** The facts of the version to come; without a look at its rows where what is noted of both sides is enough. */
export type MergedFacts = (
  turn: UploadTurn,
  base: BaseVersion | undefined,
  plan: MergePlan,
  counted: Counted,
  written: MergedRows,
) => Promise<SegmentFacts>;

export const createMergedFacts =
  (sql: Sql, clickhouse: ClickHouseServers): MergedFacts =>
  async (turn, base, plan, counted, { keepsBase, place, list }) => {
    const { columns } = plan;
    if (base !== undefined && keepsBase && areDaysJoined(plan, counted)) {
      const file = { columns: storedColumns(turn.layout), facts: turn.facts };
      const joined = await joinFacts(sql, turn.datasetId, base, columns, file);
      // The rows that were written were counted there, and the others before.
      const rows = counted.expected;
      if (joined !== undefined) return { ...joined, rows, bytes: bytesOf(turn, base, rows) };
    }
    const date = timeColumnOf(columns);
    const { rows, ...dates } = await countSegments(clickhouse, place, list, date && namedColumn(date));
    return { rows, bytes: bytesOf(turn, base, rows), ...datesOf(dates) };
  };
