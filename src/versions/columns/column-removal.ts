/**
 * Removes a column by publishing a new version of the same rows without it, without copying rows.
 *
 * The values stay stored for older versions. A new column of the same name gets another id, so that it does not show these values.
 */

import { conflict, notFound } from '../../lib/errors.js';
import type { Column } from '../../model/column.js';
import { type SegmentFacts, timeColumnOf } from '../../model/version.js';
import { addVersion, countSegments, namedColumn } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { recordAudit } from '../../storage/postgres/audit.js';
import { keepList } from '../../storage/postgres/column-lists.js';
import { storeElsewhere } from '../../storage/postgres/columns.js';
import { holdDataset } from '../../storage/postgres/datasets.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type BaseVersion, readBase } from '../../uploads/layout/base-version.js';
import { removeDue } from '../version-removal.js';

export interface ColumnRemoval {
  /**
   * @returns The id of the new version.
   * @throws AppError 404 if the current version lacks the column; 409 if it is its only column, or new versions keep being published
   */
  remove(datasetId: number, columnId: number): Promise<number>;
}

type DateFacts = Pick<SegmentFacts, 'minDate' | 'maxDate' | 'frequency'>;

const noDates: DateFacts = { minDate: null, maxDate: null, frequency: null };

/** A version that is published meanwhile voids an attempt. */
const maxAttempts = 5;

const without = (base: BaseVersion, columnId: number): BaseVersion['columns'] => {
  const columns = base.columns.filter(({ id }) => id !== columnId);
  if (columns.length === base.columns.length)
    throw notFound('column_not_found', `The dataset has no column ${columnId}.`);
  if (columns.length === 0)
    throw conflict('only_column', 'The only column of a dataset cannot be deleted; delete the dataset.');
  return columns;
};

/** The version `:like` with other columns and, if `:hasDates` is true, other dates. */
const versionWithout = {
  list: keepList(':datasetId', 'SELECT :columns::jsonb AS columns'),
  row: `SELECT :datasetId::bigint, NULL::bigint, 'delete_column', list.id, v.row_count, v.byte_size,
      CASE WHEN :hasDates THEN :minDate ELSE v.min_date END, CASE WHEN :hasDates THEN :maxDate ELSE v.max_date END,
      CASE WHEN :hasDates THEN :frequency ELSE v.frequency END
    FROM versions v, list WHERE v.dataset_id = :datasetId AND v.id = :like`,
};

export const createColumnRemoval = ({
  sql,
  clickhouse,
}: {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
}): ColumnRemoval => {
  /** Date range of the new version; undefined if the removed column did not define it. */
  const datesOf = async (base: BaseVersion, columns: readonly Column[]): Promise<DateFacts | undefined> => {
    const before = timeColumnOf(base.columns);
    const date = timeColumnOf(base.columns.filter(({ id }) => columns.some((column) => column.id === id)));
    if (before?.id === date?.id) return undefined;
    if (date === undefined || base.place === null) return noDates;
    const counted = await countSegments(clickhouse, base.place, base, namedColumn(date));
    const { minDate, maxDate, frequency } = counted;
    return { minDate, maxDate, frequency };
  };

  const publish = async (
    tx: Sql,
    datasetId: number,
    base: BaseVersion,
    columns: BaseVersion['columns'],
    dates: DateFacts | undefined,
  ): Promise<number> => {
    const version = await addVersion(tx, versionWithout, {
      datasetId,
      like: base.versionId,
      columns: JSON.stringify(columns),
      hasDates: dates !== undefined,
      ...(dates ?? noDates),
    });
    if (version === undefined) throw new Error('a version was inserted but not returned');
    return version.id;
  };

  const attempt = async (datasetId: number, columnId: number): Promise<number | undefined> => {
    const seen = await readBase(sql, datasetId);
    if (seen === undefined) throw notFound('column_not_found', `The dataset has no column ${columnId}.`);
    const dates = await datesOf(seen, without(seen, columnId));
    return sql.tx(async (tx) => {
      // Locks in the same order as publishing.
      await holdDataset(tx, datasetId);
      const base = await readBase(tx, datasetId);
      if (base?.versionId !== seen.versionId) return undefined;
      const version = await publish(tx, datasetId, base, without(base, columnId), dates);
      await storeElsewhere(tx, datasetId, columnId);
      await recordAudit(tx, {
        action: 'column.delete',
        target: { kind: 'dataset', id: datasetId },
        details: { column: columnId },
      });
      await removeDue(tx, datasetId);
      return version;
    });
  };

  return {
    async remove(datasetId, columnId) {
      for (let count = 0; count < maxAttempts; count += 1) {
        const version = await attempt(datasetId, columnId);
        if (version !== undefined) return version;
      }
      throw conflict('version_changed', 'Versions were published meanwhile; try again.');
    },
  };
};
