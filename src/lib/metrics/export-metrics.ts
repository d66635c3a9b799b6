import { Gauge, type Registry } from 'prom-client';

/** Metrics of prepared export files and of the disk on which they are written. */
export const createExportMetrics = (registers: Registry[]) => ({
  files: new Gauge({
    name: 'tabulary_export_files',
    help: 'Prepared export files of all accounts.',
    registers,
  }),
  bytes: new Gauge({
    name: 'tabulary_export_files_bytes',
    help: 'Bytes of these files. At most EXPORTS_MAX_BYTES after each check.',
    registers,
  }),
  diskFreeBytes: new Gauge({
    name: 'tabulary_export_disk_free_bytes',
    help: 'Bytes that are free on the disk on which this API process writes export files.',
    registers,
  }),
  diskBytes: new Gauge({
    name: 'tabulary_export_disk_bytes',
    help: 'Size of that disk.',
    registers,
  }),
});
