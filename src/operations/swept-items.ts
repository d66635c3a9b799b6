import type { RetentionReport } from '../versions/retention.js';

/** A kind of object, and how many of it a sweep removed or found. */
export interface SweptItem {
  readonly where: string;
  readonly what: string;
  readonly count: number;
}

const both = 'PostgreSQL and ClickHouse';

/** @param files Export files that were removed. */
export const sweptItems = (report: RetentionReport, files: number): SweptItem[] => [
  { where: 'PostgreSQL', what: 'versions beyond retention', count: report.versions },
  { where: 'PostgreSQL', what: 'compactions of silent workers', count: report.abandonedCompactions },
  { where: both, what: 'segments that no version names', count: report.segments },
  { where: both, what: 'stores without a dataset', count: report.stores },
  { where: 'ClickHouse', what: 'segments that PostgreSQL does not know', count: report.orphanSegments },
  { where: 'ClickHouse', what: 'tables that PostgreSQL does not know', count: report.orphanTables },
  { where: 'ClickHouse', what: 'segments that are missing (not removed)', count: report.missingSegments },
  {
    where: 'export files',
    what: 'files of deleted versions, and old files',
    count: files,
  },
];
