/**
 * Every job of the product. To add a job, add an entry here and call `jobs.start(name, …)` where the parts that it needs are constructed.
 * Each step of a job must be idempotent: a process may be killed during a job, which then runs again.
 */
interface JobKind {
  /**
   * Runs at a time: one in the installation, or one in each process that starts the job. The latter take a lease on each item that they
   * work on.
   */
  readonly onePer: 'installation' | 'process';
  /** One line for operators. */
  readonly summary: string;
}

export const jobList = {
  compaction: {
    onePer: 'process',
    summary: 'Joins small segments of a dataset, and folds patches into them.',
  },
  'export-files': {
    onePer: 'process',
    summary: 'Removes export files that are old, beyond the limits, or of deleted versions.',
  },
  'export-files-ahead': {
    onePer: 'installation',
    summary: 'Writes the export files of small new versions before they are requested.',
  },
  'key-checks': {
    onePer: 'installation',
    summary: 'Checks whether the entity columns of large new versions are a key, for the next upsert.',
  },
  'provider-trims': {
    onePer: 'installation',
    summary: 'Deletes answers of providers and counts of requests that are too old.',
  },
  'read-copies': {
    onePer: 'installation',
    summary: 'Copies versions that are read again, so that reads of them are faster.',
  },
  'row-drops': {
    onePer: 'installation',
    summary: 'Drops rows that no version needs any more, after their readers had time to finish.',
  },
  'search-index': {
    onePer: 'installation',
    summary: 'Fills the search index with the series of providers that have no search of their own.',
  },
  'segment-hashes': {
    onePer: 'installation',
    summary: 'Records hashes of new rows, with which `admin verify` and backups compare.',
  },
  'series-backfills': {
    onePer: 'process',
    summary: 'Loads earlier vintages of series datasets.',
  },
  'series-refreshes': {
    onePer: 'process',
    summary: 'Refreshes series datasets that are due.',
  },
  'storage-sweep': {
    onePer: 'installation',
    summary: 'Applies retention, and compares what PostgreSQL and ClickHouse have.',
  },
  'summaries-ahead': {
    onePer: 'installation',
    summary: 'Computes the column summaries of small new versions before they are requested.',
  },
  trims: {
    onePer: 'installation',
    summary: 'Deletes audit events, sessions and records of jobs that are too old.',
  },
  'upload-sweep': {
    onePer: 'process',
    summary: 'Continues uploads whose worker died, and fails abandoned ones.',
  },
} as const satisfies Readonly<Record<string, JobKind>>;

export type JobName = keyof typeof jobList;

export const isJobName = (name: string): name is JobName => Object.hasOwn(jobList, name);
