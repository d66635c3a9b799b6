/**
 * What becomes of an upload whose turn has come, in the transaction of the publisher: a version, or, of a dry run, the
 * outcome that a version would have had.
 */
import type { Lane } from '../../model/chunk.js';
import type { StoredColumn } from '../../model/column.js';
import type { UploadMode } from '../../model/process.js';
import { type SegmentFacts, segmentId } from '../../model/version.js';
import { keepChanges, keepList } from '../../storage/postgres/column-lists.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type ColumnChange, type Layout, storedColumns } from '../layout/layout.js';
import type { MergeOutcome } from './merge-records.js';
import { moveSql } from './transitions.js';

/** Milliseconds that the rows of a dry run are kept. */
const dryRunKeptMs = 3_600_000;

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

/** Names, roles and descriptions that a manifest asked for. A name that was taken meanwhile stays as it is. */
const changeColumns = async (tx: Sql, datasetId: number, changes: readonly ColumnChange[]): Promise<void> => {
  if (changes.length === 0) return;
  const wanted = changes.map((change) => ({ ...change, described: change.description !== undefined }));
  await tx.query(
    `UPDATE columns c SET
       name = CASE WHEN w.name IS NULL OR EXISTS (
           SELECT 1 FROM columns o WHERE o.dataset_id = $1 AND o.name = w.name AND o.id <> c.id)
         THEN c.name ELSE w.name END,
       is_entity = coalesce(w."isEntity", c.is_entity),
       description = CASE WHEN w.described THEN w.description ELSE c.description END
     FROM json_to_recordset($2::json)
       AS w (id bigint, name text, "isEntity" boolean, description text, described boolean)
     WHERE c.id = w.id AND c.dataset_id = $1`,
    [datasetId, JSON.stringify(wanted)],
  );
  await tx.query('UPDATE datasets SET columns_revision = columns_revision + 1 WHERE id = $1', [datasetId]);
};

const published = moveSql('published');
const checked = moveSql('checked');

interface VersionRow {
  id: number;
  list: number;
  listBefore: number;
  lane: Lane;
  seconds: number;
}

export const publish = async (tx: Sql, datasetId: number, due: DueProcess): Promise<PublishedVersion> => {
  const { columns, facts, segment, extends: appended } = newVersionOf(due);
  const own = appended ? due.facts : facts;
  // One statement, one trip: short uploads spend their time on trips.
  const [version] = await tx.query<VersionRow>(
    `WITH ${keepList('$1', 'SELECT $4::jsonb AS columns')}, version AS (
       INSERT INTO versions
         (dataset_id, process_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency)
       SELECT $1, $2, $3, list.id, $5, $6, $7, $8, $9 FROM list RETURNING id
     ), counted AS (
       UPDATE segments SET rows = $12, bytes = $13 WHERE id = $10
     ), ended_ranges AS (
       UPDATE segment_ranges r SET until_version = version.id FROM version
       WHERE NOT $11 AND r.dataset_id = $1 AND r.until_version IS NULL
     ), listed AS (
       INSERT INTO segment_ranges (dataset_id, segment_id, from_version) SELECT $1, $10, version.id FROM version
     ), shown AS (
       UPDATE datasets SET current_version_id = version.id, updated_at = now() FROM version WHERE datasets.id = $1
     ), ended AS (
       UPDATE processes SET ${published.set}, version_id = version.id FROM version WHERE processes.id = $2
       RETURNING CASE WHEN chunk_count = 1 THEN 'short' ELSE 'bulk' END AS lane,
         extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds
     )
     SELECT version.id, list.id AS list, coalesce((SELECT b.column_list_id FROM versions b
         WHERE b.dataset_id = $1 ORDER BY b.id DESC LIMIT 1), 0) AS "listBefore", ended.lane, ended.seconds
     FROM version, list, ended`,
    [
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
    ],
  );
  if (version === undefined) throw new Error('a version was inserted but not returned');
  if (version.list !== version.listBefore)
    await keepChanges(tx, { from: version.listBefore, to: version.list });
  await changeColumns(tx, datasetId, due.layout.changes ?? []);
  const { id: versionId, lane, seconds } = version;
  return { datasetId, processId: due.id, versionId, rows: facts.rows, lane, seconds };
};

/** Records what would have been published; its rows are kept for a while, for whoever reads the difference. */
export const endDryRun = async (tx: Sql, due: DueProcess, current: number | null): Promise<void> => {
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
    [due.id, JSON.stringify(outcome), dryRunKeptMs],
  );
};
