/** A program of the product that logs a line at level debug a hundred times a second. */
import { runEntry } from '../../src/entry.js';

await runEntry({
  name: 'ticking',
  summary: '',
  start: async ({ log }) => {
    setInterval(() => log.debug('tick'), 10);
    log.info('begun');
  },
});
