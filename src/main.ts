import { runEntry } from './entry.js';

await runEntry({
  name: 'tabulary',
  summary:
    'npm start: starts what is missing (PostgreSQL, Kafka, ClickHouse), migrates, runs API and worker.',
  quiet: true,
  hasChildren: true,
  async start(context) {
    // Loaded only now, when Ctrl-C is listened to: it takes longer than everything before.
    const { startAll } = await import('./standalone.js');
    // A stop during the start found nothing to stop, and ends this process.
    if (!context.scope.closing) await startAll(context);
  },
});
