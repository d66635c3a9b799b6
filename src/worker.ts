import { setPriority } from 'node:os';
import { runEntry } from './entry.js';
import { collectAfterGrowth } from './lib/heap.js';

// On a machine shared with the API, requests go first.
setPriority(5);

// Peak memory against CPU time, as measured: docs/adr/0012-upload-path.md.
collectAfterGrowth(200);

await runEntry({
  name: 'worker',
  summary: 'Worker: inserts uploaded chunks into ClickHouse and publishes versions.',
  async start({ config, log, scope }) {
    const { createWorkerProcess } = await import('./compose/worker-process.js');
    await createWorkerProcess(config, log, scope);
  },
});
