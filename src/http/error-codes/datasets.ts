import type { CodeList } from './code-list.js';

export const datasetCodes: CodeList = {
  before_first_version: [404, 'The dataset had no version on that day; `details` names the first.'],
  column_not_found: [404, 'There is no such column.'],
  current_version: [409, 'The current version cannot be deleted.'],
  dataset_gone: [404, 'The dataset was deleted in the meantime.'],
  dataset_not_found: [404, 'There is no such dataset.'],
  dry_run_gone: [409, 'The difference of the dry run, or the previous version, was deleted.'],
  no_data: [404, 'Nothing has been uploaded to the dataset yet.'],
  no_dry_run: [404, 'The process is not a completed dry run.'],
  no_series: [404, 'The dataset is not made of series.'],
  only_column: [409, 'The only column cannot be deleted.'],
  repository_not_found: [404, 'There is no such repository.'],
  same_column: [400, 'A column cannot be merged with itself.'],
  too_many_datasets: [409, 'The repository has reached its limit of datasets.'],
  too_many_versions: [400, 'The dataset has too many segments to read its revisions.'],
  unknown_version: [404, 'The dataset has no such version.'],
  values_collide: [409, 'Both columns have different values in the same row; `details` shows some.'],
  values_too_long: [400, 'The values are too long for one response. Request fewer with `$top`.'],
  version_changed: [409, 'The version was compacted in the meantime. Try again.'],
  version_not_found: [404, 'There is no such version.'],
  version_removed: [404, 'The version of that day was removed; `details` names the next one that is kept.'],
};
