/**
 * What becomes of an upload whose turn has come, in the transaction of the publisher: a version, or, of a dry run, the
 * outcome that a version would have had.
 */
import type { Lane } from '../../model/chunk.js';
import type { StoredColumn } from '../../model/column.js';
import type { UploadMode } from '../../model/process.js';
import { type SegmentFacts, segmentId, type Vintage } from '../../model/version.js';
import { keepList } from '../../storage/postgres/column-lists.js';
import { changeColumns } from '../../storage/postgres/columns.js';
import { endRangesSql, openRangeSql } from '../../storage/postgres/segment-ranges.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { addVersion } from '../../storage/postgres/versions.js';
import { type Layout, storedColumns } from '../layout/layout.js';
import type { MergeOutcome } from './merge-records.js';
import { countSegmentSql } from './segment-records.js';
import { moveSql } from './transitions.js';

/** Who has sent an upload. */
export interface UploadSender {
  readonly datasetId: number;
  readonly accountId: number;
  /** The key that it came with; null: none. */
  readonly keyId: number | null;
}

/** An upload whose turn has come, as the publisher has read and locked it. */
export interface DueProcess extends UploadSender {
  id: number;
  phase: string;
  attempt: number;
  mode: UploadMode;
  layout: Layout;
  facts: SegmentFacts;
  merge: MergeOutcome | null;
  expectedVersionId: number | null;
  dryRun: boolean;
  vintage: Vintage | null;
}

export interface PublishedVersion {
  readonly datasetId: number;
  readonly processId: number;
  readonly versionId: number;
  readonly rows: number;
  readonly lane: Lane;
  /** Seconds since the upload was accepted. */
  readonly seconds: number;
}

/** What a version is made of. */
interface NewVersion {
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
  /** Its own segment. */
  readonly segment: number;
  /** True: the segments of the current version stand before it. */
  readonly extends: boolean;
}

const newVersionOf = (due: DueProcess): NewVersion => {
  const { merge, layout, facts } = due;
  const own = segmentId(due.id, due.attempt);
  if (merge === null) return { columns: storedColumns(layout), facts, segment: own, extends: false };
  const { columns, segmentId: merged, keepsBase } = merge;
  return {
    columns,
    facts: merge.facts,
    segment: merged ?? own,
    // Recorded by an earlier build: a segment that was written held all rows.
    extends: keepsBase ?? merged === null,
  };
};

const published = moveSql('published');
const checked = moveSql('checked');

/** Values of the statement: the dataset, the process, the rest as `publish` lists them. */
const publishStatement = {
  list: keepList('$1', 'SELECT $4::jsonb AS columns'),
  row: 'SELECT $1, $2, $3, list.id, $5, $6, $7, $8, $9 FROM list',
  also: [
    `counted AS (${countSegmentSql('$10', { rows: '$12', bytes: '$13' })})`,
    `ended_ranges AS (${endRangesSql('$1', 'NOT $11')})`,
    `listed AS (${openRangeSql('$1', '$10')})`,
    `ended AS (
       UPDATE processes SET ${published.set}, version_id = version.id FROM version WHERE processes.id = $2
       RETURNING CASE WHEN chunk_count = 1 THEN 'short' ELSE 'bulk' END AS lane,
         extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds)`,
  ],
  answer: 'ended',
};

export const publish = async (tx: Sql, datasetId: number, due: DueProcess): Promise<PublishedVersion> => {
  const { columns, facts, segment, extends: appended } = newVersionOf(due);
  const own = appended ? due.facts : facts;
  const version = await addVersion<Pick<PublishedVersion, 'lane' | 'seconds'>>(tx, publishStatement, [
    datasetId,
    due.id,
    due.mode,
    JSON.stringify(columns),
    facts.rows,
    facts.bytes,
    facts.minDate,
    facts.maxDate,
    facts.frequency,
    segment,
    appended,
    own.rows,
    own.bytes,
  ]);
  if (version === undefined) throw new Error('a version was inserted but not returned');
  // Names, roles and descriptions that a manifest asked for. A name that was taken meanwhile stays as it is.
  await changeColumns(tx, datasetId, due.layout.changes ?? []);
  const { id: versionId, lane, seconds } = version;
  return { datasetId, processId: due.id, versionId, rows: facts.rows, lane, seconds };
};

/** Records what would have been published; its rows are kept for a while, for whoever reads the difference. */
export const endDryRun = async (
  tx: Sql,
  due: DueProcess,
  current: number | null,
  keptMs: number,
): Promise<void> => {
  const { columns, facts, segment, extends: keepsBase } = newVersionOf(due);
  const outcome: MergeOutcome = {
    baseVersionId: current,
    segmentId: segment,
    keepsBase,
    columns,
    facts,
  };
  await tx.query(
    `UPDATE processes SET ${checked.set}, merge = $2, kept_until = now() + $3 * interval '1 millisecond'
     WHERE id = $1 AND ${checked.when}`,
    [due.id, JSON.stringify(outcome), keptMs],
  );
};
