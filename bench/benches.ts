import { csvScan } from './csv-scan.js';
import type { BenchEntry } from './support/bench.js';
import { upload } from './upload.js';
import { upsert } from './upsert.js';

/** All benches, in the order in which they run. */
export const benches: readonly BenchEntry[] = [
  { name: 'csv-scan', run: csvScan },
  { name: 'upload', run: upload },
  { name: 'upsert', run: upsert },
];
