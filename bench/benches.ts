import { catalog } from './catalog.js';
import { csvScan } from './csv-scan.js';
import { gateway } from './gateway.js';
import { kafkaEngine } from './kafka-engine.js';
import { large } from './large.js';
import { shortUploads } from './short-uploads.js';
import type { BenchEntry } from './support/bench.js';
import { upload } from './upload.js';
import { upsert } from './upsert.js';
import { wide } from './wide.js';

/** All benches, in the order in which they run. */
export const benches: readonly BenchEntry[] = [
  { name: 'csv-scan', run: csvScan },
  { name: 'upload', run: upload },
  { name: 'kafka-engine', run: kafkaEngine },
  { name: 'upsert', run: upsert },
  { name: 'short-uploads', run: shortUploads, limitMinutes: 45 },
  { name: 'wide', run: wide },
  { name: 'catalog', run: catalog },
  { name: 'gateway', run: gateway },
  // Last, since it leaves the most behind.
  { name: 'large', run: large, fullOnly: true, limitMinutes: 60 },
];
