import { runEntry } from './entry.js';
import { badConfiguration } from './lib/errors.js';
import { migrate } from './storage/postgres/migrate.js';

await runEntry({
  name: 'migrate',
  summary: 'Migrate: upgrades the catalog database to the newest schema and exits.',
  async start({ config, log, scope }) {
    const { databaseUrl } = config;
    if (databaseUrl === undefined) {
      throw badConfiguration('DATABASE_URL is not set');
    }
    await migrate({ databaseUrl, log, waitMs: config.databaseWaitMs });
    await scope.close();
  },
});
