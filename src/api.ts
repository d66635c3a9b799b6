import { createApiProcess } from './compose.js';
import { productVersion, runEntry } from './entry.js';

await runEntry({
  name: 'api',
  summary: 'API: the REST service.',
  start: ({ config, log, scope }) => createApiProcess(config, log, scope, productVersion),
});
