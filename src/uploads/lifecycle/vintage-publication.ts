/**
 * Publishing what was current before the versions that a dataset has. Vintages are published newest first: each takes
 * the id that was set aside for it, below those of all versions, and is valid until the one that was the oldest. So
 * ids, ranges of segments and times agree at any moment, and readers see no gap while older vintages are still to come.
 */

import { segmentId, type Vintage } from '../../model/version.js';
import { addOlderVersion } from '../../rows/index.js';
import { closedRangeSql, countSegmentSql } from '../../rows/sql.js';
import { keepList } from '../../storage/postgres/column-lists.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { storedColumns } from '../layout/layout.js';
import type { DueProcess, PublishedVersion } from './publication.js';
import { moveSql } from './transitions.js';

/** Whether the vintage comes right before the oldest version that the dataset ever had. The caller holds its lock. */
export const isBeforeAll = async (tx: Sql, datasetId: number, vintage: Vintage): Promise<boolean> => {
  const [dataset] = await tx.query<{ firstAt: Date | null }>(
    'SELECT first_version_at AS "firstAt" FROM datasets WHERE id = $1 AND current_version_id IS NOT NULL',
    [datasetId],
  );
  return dataset?.firstAt?.getTime() === Date.parse(vintage.validUntil);
};

const published = moveSql('published');

/** Values of the statement: the dataset, the process, the rest as `publishVintage` lists them. */
const vintageStatement = {
  list: keepList('$1', 'SELECT $4::jsonb AS columns'),
  row: `SELECT $1::bigint, $2::bigint, 'backfill', list.id, $5::bigint, $6::bigint, $7::text, $8::text, $9::text,
    $3::bigint, $11::timestamptz FROM list`,
  also: [
    `counted AS (${countSegmentSql('$10', { rows: '$5', bytes: '$6' })})`,
    `listed AS (${closedRangeSql('$1', '$10')})`,
    `ended AS (
       UPDATE processes SET ${published.set}, version_id = version.id FROM version WHERE processes.id = $2
       RETURNING CASE WHEN chunk_count = 1 THEN 'short' ELSE 'bulk' END AS lane,
         extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds)`,
  ],
  answer: 'ended',
};

/** The current version stays; the names and roles of the columns do too. */
export const publishVintage = async (
  tx: Sql,
  due: DueProcess,
  { versionId, validFrom }: Vintage,
): Promise<PublishedVersion> => {
  const { id: processId, datasetId, facts } = due;
  const version = await addOlderVersion<Pick<PublishedVersion, 'lane' | 'seconds'>>(
    tx,
    vintageStatement,
    '$11',
    [
      datasetId,
      processId,
      versionId,
      JSON.stringify(storedColumns(due.layout)),
      facts.rows,
      facts.bytes,
      facts.minDate,
      facts.maxDate,
      facts.frequency,
      segmentId(processId, due.attempt),
      validFrom,
    ],
  );
  if (version === undefined) throw new Error('a vintage was inserted but not returned');
  const { lane, seconds } = version;
  return { datasetId, processId, versionId, rows: facts.rows, lane, seconds };
};
