/**
 * Publishes vintages: versions that were current before the first version of a dataset. They are published newest first. Each has an
 * id that was set aside for it, below those of all versions, and is valid until the start of the version that was the oldest. So ids,
 * segment ranges and times are consistent at any moment, and readers see no gap while older vintages are still missing.
 */

import { segmentId, type Vintage } from '../../model/version.js';
import { addOlderVersion } from '../../rows/index.js';
import { closedRangeSql, countSegmentSql } from '../../rows/sql.js';
import { keepList } from '../../storage/postgres/column-lists.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { storedColumns } from '../layout/layout.js';
import type { DueProcess, PublishedVersion } from './publication.js';
import { moveSql } from './transitions.js';

/** True if the vintage ends where the oldest version of the dataset starts. The caller must hold the dataset's lock. */
export const isBeforeAll = async (tx: Sql, datasetId: number, vintage: Vintage): Promise<boolean> => {
  const [dataset] = await tx.query<{ firstAt: Date | null }>(
    'SELECT first_version_at AS "firstAt" FROM datasets WHERE id = $1 AND current_version_id IS NOT NULL',
    [datasetId],
  );
  return dataset?.firstAt?.getTime() === Date.parse(vintage.validUntil);
};

const published = moveSql('published');

const vintageStatement = {
  list: keepList(':datasetId', 'SELECT :columns::jsonb AS columns'),
  row: `SELECT :datasetId::bigint, :processId::bigint, 'backfill', list.id, :rows::bigint, :bytes::bigint, :minDate::text,
    :maxDate::text, :frequency::text, :versionId::bigint, :validFrom::timestamptz FROM list`,
  also: [
    `counted AS (${countSegmentSql(':segment', { rows: ':rows', bytes: ':bytes' })})`,
    `listed AS (${closedRangeSql(':datasetId', ':segment')})`,
    `ended AS (
       UPDATE processes SET ${published.set}, version_id = version.id FROM version WHERE processes.id = :processId
       RETURNING CASE WHEN chunk_count = 1 THEN 'short' ELSE 'bulk' END AS topic,
         extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds)`,
  ],
  answer: 'ended',
};

/** Publishes a vintage. The current version, and the names and roles of the columns, do not change. */
export const publishVintage = async (
  tx: Sql,
  due: DueProcess,
  { versionId, validFrom }: Vintage,
): Promise<PublishedVersion> => {
  const { id: processId, datasetId, facts } = due;
  const version = await addOlderVersion<Pick<PublishedVersion, 'topic' | 'seconds'>>(
    tx,
    vintageStatement,
    ':validFrom',
    {
      ...facts,
      datasetId,
      processId,
      versionId,
      columns: JSON.stringify(storedColumns(due.layout)),
      segment: segmentId(processId, due.attempt),
      validFrom,
    },
  );
  if (version === undefined) throw new Error('a vintage was inserted but not returned');
  const { topic, seconds } = version;
  return { datasetId, processId, versionId, rows: facts.rows, topic, seconds };
};
