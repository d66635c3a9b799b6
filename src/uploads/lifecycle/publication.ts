/**
 * Ends uploads that are due, in the transaction of the publisher: with a version, or, for a dry run, with a record of the outcome.
 */

import type { ChunkTopic } from '../../model/chunk.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import type { ProcessMode } from '../../model/process.js';
import { type SegmentFacts, segmentId, timeColumnOf, type Vintage } from '../../model/version.js';
import { addVersions } from '../../rows/index.js';
import { countSegmentSql, endRangesSql, openRangeSql } from '../../rows/sql.js';
import { keepLists } from '../../storage/postgres/column-lists.js';
import { changeColumns } from '../../storage/postgres/columns.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { keepDaysSql } from '../../storage/postgres/version-days.js';
import { keepKeysSql } from '../../storage/postgres/version-keys.js';
import { type Layout, storedColumns } from '../layout/layout.js';
import type { MergeOutcome, OwnFacts } from './merge-records.js';
import { moveSql } from './transitions.js';

/** Sender of an upload. */
export interface UploadSender {
  readonly datasetId: number;
  readonly accountId: number;
  /** API key of the request; null: none. */
  readonly keyId: number | null;
}

/** An upload that is due, read and locked by the publisher. */
export interface DueProcess extends UploadSender {
  id: number;
  phase: string;
  attempt: number;
  mode: ProcessMode;
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
  readonly topic: ChunkTopic;
  /** Seconds since the upload was accepted. */
  readonly seconds: number;
}

/** Parts of a version. */
interface NewVersion {
  readonly columns: readonly StoredColumn[];
  readonly facts: SegmentFacts;
  /** New segment of the version. */
  readonly segment: number;
  readonly own: OwnFacts;
  /** True: it is appended to the segments of the current version. */
  readonly extends: boolean;
  /** Storage ids of columns by which its rows are unique; absent: not known. */
  readonly uniqueBy?: readonly number[] | undefined;
}

const wholeFile = ({ rows, bytes }: SegmentFacts): OwnFacts => ({ rows, bytes, hidden: 0 });

const newVersionOf = (due: DueProcess): NewVersion => {
  const { merge, layout, facts } = due;
  const file = segmentId(due.id, due.attempt);
  if (merge === null)
    return { columns: storedColumns(layout), facts, segment: file, own: wholeFile(facts), extends: false };
  const { columns, segmentId: merged, keepsBase, uniqueBy } = merge;
  return {
    columns,
    facts: merge.facts,
    segment: merged ?? file,
    own: merge.own ?? wholeFile(keepsBase ? facts : merge.facts),
    extends: keepsBase,
    uniqueBy,
  };
};

const published = moveSql('published', 'p');
const checked = moveSql('checked');

const ofDue = (column: string): string =>
  `(SELECT ${column} FROM due d WHERE d.dataset_id = version.dataset_id)`;

const ownOf = (column: string): string => `(SELECT ${column} FROM due WHERE segment = segments.id)`;

/** `:due`: the uploads, as `rowOf` gives them; `:ids`: their ids, without which the planner may read all processes. */
const publishStatement = {
  list: `due AS MATERIALIZED (
    SELECT * FROM json_to_recordset(:due::json) AS d (process_id bigint, dataset_id bigint, mode text, columns jsonb,
      rows bigint, bytes bigint, min_date text, max_date text, frequency text, segment bigint, extends boolean,
      own_rows bigint, own_bytes bigint, own_hidden bigint, unique_by bigint[], base_version bigint, date_column text, days text, changes jsonb)
  ), ${keepLists('SELECT dataset_id, columns FROM due')}`,
  row: `SELECT dataset_id, process_id, mode, list.id, rows, bytes, min_date, max_date, frequency
    FROM due JOIN list USING (dataset_id) ORDER BY process_id`,
  also: [
    `counted AS (${countSegmentSql(
      'ANY (SELECT segment FROM due)',
      { rows: ownOf('own_rows'), bytes: ownOf('own_bytes') },
      `, patch = ${ownOf('own_hidden')} > 0, hidden = ${ownOf('own_hidden')}`,
    )})`,
    `ended_ranges AS (${endRangesSql('version.dataset_id', ofDue('NOT d.extends'))})`,
    `listed AS (${openRangeSql('version.dataset_id', ofDue('d.segment'))})`,
    // The rows of the previous version are unique by the same columns.
    `keyed AS (${keepKeysSql(`SELECT ids.id, unique_by
       FROM version JOIN due USING (dataset_id), unnest(ARRAY[version.id, due.base_version]) AS ids (id)
       WHERE unique_by IS NOT NULL AND ids.id IS NOT NULL`)})`,
    `noted AS (${keepDaysSql(`SELECT dataset_id, version.id, date_column, days
       FROM version JOIN due USING (dataset_id) WHERE days IS NOT NULL`)})`,
    // Days are large, so only the version keeps them.
    `ended AS (
       UPDATE processes p SET ${published.set}, version_id = version.id, facts = p.facts - 'days',
         merge = p.merge #- '{facts,days}', changes = coalesce(p.changes, ${ofDue('d.changes')})
       FROM version WHERE p.id = version.process_id AND p.id = ANY (:ids)
       RETURNING p.version_id, p.id AS "processId", CASE WHEN chunk_count = 1 THEN 'short' ELSE 'bulk' END AS topic,
         extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds)`,
  ],
  answer: 'ended',
};

/** Parameters of the statement for one upload. */
const rowOf = (due: DueProcess) => {
  const { columns, facts, segment, own, extends: appended, uniqueBy } = newVersionOf(due);
  const date = timeColumnOf(columns);
  return {
    process_id: due.id,
    dataset_id: due.datasetId,
    mode: due.mode,
    columns,
    rows: facts.rows,
    bytes: facts.bytes,
    min_date: facts.minDate,
    max_date: facts.maxDate,
    frequency: facts.frequency,
    segment,
    extends: appended,
    own_rows: own.rows,
    own_bytes: own.bytes,
    own_hidden: own.hidden,
    unique_by: uniqueBy ?? null,
    base_version: due.merge?.baseVersionId ?? null,
    date_column: date === undefined ? null : storageName(date),
    days: date === undefined ? null : (facts.days ?? null),
    changes: due.merge?.changes ?? null,
  };
};

type Ended = Pick<PublishedVersion, 'processId' | 'topic' | 'seconds'>;

/** Publishes a version of each upload. The uploads belong to different datasets, which the transaction has locked. */
export const publishEach = async (tx: Sql, due: readonly DueProcess[]): Promise<PublishedVersion[]> => {
  if (due.length === 0) return [];
  const versions = await addVersions<Ended>(tx, publishStatement, {
    due: JSON.stringify(due.map(rowOf)),
    ids: due.map(({ id }) => id),
  });
  const byProcess = new Map(versions.map((version) => [version.processId, version]));
  const made: PublishedVersion[] = [];
  for (const process of due) {
    const version = byProcess.get(process.id);
    if (version === undefined) throw new Error('a version was inserted but not returned');
    // Names, roles and descriptions from the manifest. A name that another column has taken meanwhile is ignored.
    await changeColumns(tx, process.datasetId, process.layout.changes ?? []);
    const { id: versionId, processId, topic, seconds } = version;
    made.push({
      datasetId: process.datasetId,
      processId,
      versionId,
      rows: newVersionOf(process).facts.rows,
      topic,
      seconds,
    });
  }
  return made;
};

/** Records what would have been published. The rows are kept for `keptMs`, so that the difference can be read. */
export const endDryRun = async (
  tx: Sql,
  due: DueProcess,
  current: number | null,
  keptMs: number,
): Promise<void> => {
  const { columns, facts, segment, own, extends: keepsBase } = newVersionOf(due);
  const outcome: MergeOutcome = {
    baseVersionId: current,
    segmentId: segment,
    keepsBase,
    columns,
    facts,
    own,
  };
  await tx.query(
    `UPDATE processes SET ${checked.set}, merge = $2, kept_until = now() + $3 * interval '1 millisecond'
     WHERE id = $1 AND ${checked.when}`,
    [due.id, JSON.stringify(outcome), keptMs],
  );
};
