import { createWorkerProcess } from './compose.js';
import { productVersion, runEntry } from './entry.js';

await runEntry({
  name: 'worker',
  summary: 'Worker: inserts uploaded chunks into ClickHouse and publishes versions.',
  start: ({ config, log, scope }) => createWorkerProcess(config, log, scope, productVersion),
});
