import { runEntry } from './entry.js';
import { AppError } from './lib/errors.js';
import { migrate } from './storage/postgres/migrate.js';

await runEntry({
  name: 'migrate',
  summary: 'Migrate: upgrades the catalog database to the newest schema and exits.',
  async start({ config, log, scope }) {
    const { databaseUrl } = config;
    if (databaseUrl === undefined) {
      throw new AppError('invalid', 'bad_configuration', 'DATABASE_URL is not set');
    }
    await migrate({ databaseUrl, log, waitMs: config.databaseWaitMs });
    await scope.close();
  },
});
