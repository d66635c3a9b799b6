import { appends } from './appends.js';
import { assistants } from './assistants.js';
import { catalog } from './catalog.js';
import { changes, yearOfChanges } from './changes.js';
import { cluster } from './cluster.js';
import { csvScan } from './csv-scan.js';
import { downloads } from './download.js';
import { gateway } from './gateway.js';
import { kafkaEngine } from './kafka-engine.js';
import { large } from './large.js';
import { many } from './many.js';
import { metadata } from './metadata.js';
import { neighbours } from './neighbours.js';
import { odata } from './odata.js';
import { peers } from './peers.js';
import { askQuestions } from './questions.js';
import { reads } from './reads.js';
import { shortUploads } from './short-uploads.js';
import { skipIndexes } from './skip-indexes.js';
import type { BenchEntry } from './support/bench.js';
import { upload } from './upload.js';
import { uploadClients } from './upload-clients.js';
import { uploadRate } from './upload-rate.js';
import { upsert } from './upsert.js';
import { wide } from './wide.js';
import { xlsx } from './xlsx.js';

/** All benches, in execution order. */
export const benches: readonly BenchEntry[] = [
  { name: 'csv-scan', run: csvScan },
  { name: 'upload', run: upload },
  { name: 'upload-clients', run: uploadClients },
  { name: 'kafka-engine', run: kafkaEngine },
  { name: 'upsert', run: upsert },
  { name: 'changes', run: changes, limitMinutes: 60 },
  { name: 'year-of-changes', run: yearOfChanges, limitMinutes: 60 },
  { name: 'short-uploads', run: shortUploads, limitMinutes: 45 },
  { name: 'upload-rate', run: uploadRate, limitMinutes: 20 },
  { name: 'appends', run: appends, limitMinutes: 30 },
  { name: 'many', run: many, limitMinutes: 60 },
  { name: 'metadata', run: metadata, limitMinutes: 60 },
  { name: 'reads', run: reads },
  { name: 'cluster', run: cluster },
  { name: 'wide', run: wide },
  { name: 'download', run: downloads, limitMinutes: 30 },
  { name: 'questions', run: askQuestions },
  { name: 'assistants', run: assistants },
  { name: 'odata', run: odata },
  { name: 'peers', run: peers, limitMinutes: 30 },
  { name: 'xlsx', run: xlsx },
  { name: 'catalog', run: catalog },
  { name: 'gateway', run: gateway },
  { name: 'neighbours', run: neighbours, fullOnly: true, limitMinutes: 45 },
  { name: 'skip-indexes', run: skipIndexes, fullOnly: true, limitMinutes: 30 },
  // Last, since it leaves the most data behind.
  { name: 'large', run: large, fullOnly: true, limitMinutes: 60 },
];
