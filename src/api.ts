import { createApiProcess } from './compose/api-process.js';
import { runEntry } from './entry.js';
import { collectAfterGrowth } from './lib/heap.js';

// Peak memory against CPU time, as measured: docs/adr/0012-upload-path.md.
collectAfterGrowth(120);

await runEntry({
  name: 'api',
  summary: 'API: the REST service.',
  signals: { SIGUSR1: 'not ready from now on: load balancers send nobody here; once more: ready again' },
  async start({ config, log, scope }) {
    const { setDraining } = await createApiProcess(config, log, scope);
    let draining = false;
    process.on('SIGUSR1', () => {
      draining = !draining;
      setDraining(draining);
      if (draining) log.info('draining');
      else log.info('ready again');
    });
  },
});
