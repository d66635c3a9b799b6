import { createApiProcess } from './compose/api-process.js';
import { productVersion, runEntry } from './entry.js';
import { collectByGrowth } from './lib/heap.js';

collectByGrowth();

await runEntry({
  name: 'api',
  summary: 'API: the REST service.',
  async start({ config, log, scope }) {
    await createApiProcess(config, log, scope, productVersion);
  },
});
