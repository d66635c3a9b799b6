import { conflict, notFound } from '../lib/errors.js';
import type { StoredColumn } from '../model/column.js';
import type { Place, ReadableVersion, SegmentFacts } from '../model/version.js';
import { isCompleted } from '../storage/postgres/process-states.js';
import type { Sql } from '../storage/postgres/sql.js';
import { placeSql } from './place.js';
import { type SegmentListRow, segmentListColumns, segmentListOf } from './segment-ranges.js';

/** The version that a dry run would have published. */
export interface DryRun {
  /** The version before it; null: none. */
  readonly baseVersionId: number | null;
  /** Its id is 0, so no reader can request it by id. */
  readonly version: ReadableVersion;
  /** Columns of its key; empty: the entity columns. */
  readonly keyIds: readonly number[];
}

interface Row extends SegmentListRow {
  readonly dryRun: boolean;
  readonly kept: boolean;
  readonly createdAt: Date;
  readonly keyIds: readonly number[] | null;
  readonly outcome: {
    readonly baseVersionId: number | null;
    readonly segmentId: number;
    readonly keepsBase: boolean;
    readonly columns: readonly StoredColumn[];
    readonly facts: SegmentFacts;
    /** Counts of the segment. */
    readonly own: { readonly rows: number; readonly hidden: number };
  } | null;
  readonly base: number | null;
  readonly place: Place | null;
}

const dryRunSql = `
  SELECT p.dry_run AS "dryRun", coalesce(p.kept_until > now(), false) AS kept, p.created_at AS "createdAt",
    p.layout -> 'keyIds' AS "keyIds", p.merge AS outcome, v.id AS base, ${segmentListColumns},
    (SELECT ${placeSql('g')} FROM segments g WHERE g.id = (p.merge ->> 'segmentId')::bigint) AS place
  FROM processes p
    LEFT JOIN versions v ON v.dataset_id = p.dataset_id AND v.id = (p.merge ->> 'baseVersionId')::bigint
  WHERE p.dataset_id = $1 AND (p.id = $2 OR p.public_id = $2) AND (${isCompleted('p')} OR NOT p.dry_run)`;

/** @throws AppError 404 if the process is not a completed dry run; 409 if its rows or its base version are gone. */
export const readDryRun = async (sql: Sql, datasetId: number, processId: number): Promise<DryRun> => {
  const [row] = await sql.query<Row>(dryRunSql, [datasetId, processId]);
  if (row === undefined || !row.dryRun || row.outcome === null)
    throw notFound('no_dry_run', `Process ${processId} is not a completed dry run.`);
  const { outcome, base, place, keyIds, createdAt } = row;
  if (!row.kept || place === null || base !== outcome.baseVersionId)
    throw conflict('dry_run_gone', 'The result of the dry run has expired; run it again.');
  const { segmentId, keepsBase, columns, facts, own } = outcome;
  const { segmentIds, patches, patchRows, hidden, ...before } = row;
  return {
    baseVersionId: base,
    keyIds: keyIds ?? [],
    version: {
      versionId: 0,
      datasetId,
      place,
      columns,
      rowCount: facts.rows,
      byteSize: facts.bytes,
      createdAt: createdAt.toISOString(),
      ...(keepsBase
        ? segmentListOf({
            ...before,
            segmentIds: [...segmentIds, segmentId],
            patches: own.hidden === 0 ? patches : [...patches, segmentId],
            patchRows: own.hidden === 0 ? patchRows : [...patchRows, own.rows],
            hidden: hidden + own.hidden,
          })
        : { segmentIds: [segmentId] }),
    },
  };
};
