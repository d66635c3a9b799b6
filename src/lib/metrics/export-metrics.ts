import type { Meters } from './meters.js';

/** Metrics of prepared export files and of the disk on which they are written. */
export const createExportMetrics = ({ gauge }: Meters) => ({
  files: gauge('tabulary_export_files', 'Prepared export files of all accounts.'),
  bytes: gauge(
    'tabulary_export_files_bytes',
    'Bytes of these files. At most EXPORTS_MAX_BYTES after each check.',
  ),
  diskFreeBytes: gauge(
    'tabulary_export_disk_free_bytes',
    'Bytes that are free on the disk on which this API process writes export files.',
  ),
  diskBytes: gauge('tabulary_export_disk_bytes', 'Size of that disk.'),
});
