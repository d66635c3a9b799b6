import { createWorkerProcess } from './compose/worker-process.js';
import { productVersion, runEntry } from './entry.js';
import { collectByGrowth } from './lib/heap.js';

collectByGrowth();

await runEntry({
  name: 'worker',
  summary: 'Worker: inserts uploaded chunks into ClickHouse and publishes versions.',
  async start({ config, log, scope }) {
    await createWorkerProcess(config, log, scope, productVersion);
  },
});
