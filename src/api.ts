import { createApiProcess } from './compose/api-process.js';
import { productVersion, runEntry } from './entry.js';
import { collectAfterGrowth } from './lib/heap.js';

// Peak memory against CPU time, as measured: docs/adr/0012-upload-path.md.
collectAfterGrowth(120);

await runEntry({
  name: 'api',
  summary: 'API: the REST service.',
  async start({ config, log, scope }) {
    await createApiProcess(config, log, scope, productVersion);
  },
});
