import { runEntry } from './entry.js';
import { collectAfterGrowth } from './lib/heap.js';

// Peak memory against CPU time, as measured: docs/adr/0012-upload-path.md.
collectAfterGrowth(120);

await runEntry({
  name: 'api',
  summary: 'API: the REST service.',
  signals: { SIGUSR1: 'report not ready, so that load balancers send no requests; sent again: report ready' },
  async start({ config, log, scope }) {
    const { createApiProcess } = await import('./compose/api-process.js');
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
