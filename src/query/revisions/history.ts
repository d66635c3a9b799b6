/** Segments of all versions of a dataset, with the versions that they were part of. */
import { type AppError, invalid } from '../../lib/errors.js';
import type { Instant } from '../../lib/instant.js';
import { uploadsPerDataset } from '../../model/position.js';
import type { Place } from '../../model/version.js';
import { placeKey, type SegmentSpan, type SpannedRows } from '../../rows/index.js';
import { placeSql } from '../../rows/sql.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { validFrom, versionAt } from '../../storage/postgres/version-at.js';
import type { Versions } from '../versions.js';

/** Ranges with the same location and column list. Columns have their current names. */
export type RangeGroup = SpannedRows;

export interface History {
  /** Oldest first. */
  readonly versions: readonly { readonly id: number; readonly validFrom: Date }[];
  readonly groups: readonly RangeGroup[];
}

/** Limits of one request. */
const limits = { ranges: 20_000, groups: 100 } as const;

/** A UNION of two halves, because there is an index for each. */
const rangesSql = `
  SELECT r.segment_id AS segment, r.from_version AS "from", coalesce(r.until_version, 0) AS until,
         coalesce(r.before_upload, ${uploadsPerDataset}) AS "beforeUpload", coalesce(g.rows, 0) AS "allRows", v.column_list_id AS list,
         g.patch,
         ${placeSql('g')} AS place
    FROM (SELECT * FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL
          UNION ALL SELECT * FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NOT NULL) r
      JOIN versions v ON v.id = r.from_version JOIN segments g ON g.id = r.segment_id
   ORDER BY r.from_version, r.segment_id LIMIT ${limits.ranges + 1}`;

interface RangeRow extends SegmentSpan {
  readonly allRows: number;
  readonly list: number;
  readonly patch: boolean;
  readonly place: Place;
}

const tooMany = (): AppError =>
  invalid(
    'too_many_versions',
    'The dataset has too many versions to go through all of them; delete some, or compare two with diff.',
  );

const groupedBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
};

/** Removes everything that happened after the version `last`. */
const endingWith = (rows: readonly RangeRow[], last: number | undefined): readonly RangeRow[] =>
  last === undefined
    ? rows
    : rows.filter(({ from }) => from <= last).map((row) => (row.until > last ? { ...row, until: 0 } : row));

/**
 * @param asOf excludes later versions
 * @throws AppError `invalid` if there are too many versions; 404 if there was no version at that time
 */
export const readHistory = async (
  sql: Sql,
  versions: Versions,
  datasetId: number,
  asOf: Instant | undefined,
): Promise<History> => {
  const last = asOf === undefined ? undefined : await versionAt(sql, datasetId, asOf);
  const [ranges, all] = await Promise.all([
    sql.query<RangeRow>(rangesSql, [datasetId]),
    sql.query<{ id: number; validFrom: Date }>(
      `SELECT v.id, ${validFrom('v')} AS "validFrom" FROM versions v WHERE v.dataset_id = $1 ORDER BY v.id`,
      [datasetId],
    ),
  ]);
  const rows = endingWith(ranges, last);
  const sets = groupedBy(rows, ({ list, place }) => `${list}/${placeKey(place)}`);
  if (rows.length > limits.ranges || sets.length > limits.groups) throw tooMany();
  const groups: RangeGroup[] = [];
  for (const ranges of sets) {
    const { from, place } = ranges[0]!;
    const { columns } = await versions.find({
      datasetId,
      currentVersionId: null,
      versionId: from,
      presentNames: true,
    });
    const patches = rows.filter((row) => row.patch && placeKey(row.place) === placeKey(place));
    const whole = new Map(ranges.map(({ segment, allRows }) => [segment, allRows]));
    groups.push({
      place,
      columns,
      ranges,
      rowCount: [...whole.values()].reduce((sum, number) => sum + number, 0),
      ...(patches.length === 0 ? {} : { patches }),
    });
  }
  return { versions: all, groups };
};
