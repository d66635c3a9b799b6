import { transferAccount } from './accounts/ownership.js';
import { createAccountCommands } from './admin/accounts.js';
import { createBackupCommands } from './admin/backup.js';
import { createClusterCommands } from './admin/cluster.js';
import type { AdminContext, AdminGroup } from './admin/command.js';
import { databaseAddress, withComponentAddresses } from './admin/component-address.js';
import { consumingCommands } from './admin/consuming.js';
import { createDeadLetterCommands } from './admin/dead-letters.js';
import { jobCommands } from './admin/jobs.js';
import { keyCommands } from './admin/keys.js';
import { planCommands } from './admin/plans.js';
import { createProviderCommands, createUserKeyCommands } from './admin/providers.js';
import { runCommandLine } from './admin/run.js';
import { createSweepCommands } from './admin/sweep.js';
import { teamCommands } from './admin/teams.js';
import { createUploadCommands } from './admin/uploads.js';
import { createVerifyCommands } from './admin/verify.js';
import { deleteAccount, exportAccount } from './compose/accounts.js';
import { type BackupParts, openBackup } from './compose/backup.js';
import { openCluster } from './compose/cluster.js';
import { openAdminGateway } from './compose/gateway.js';
import { openDeadLetters, openUploadReplay } from './compose/operator.js';
import { openRestore } from './compose/restore.js';
import { openDatasetRestore } from './compose/restore-dataset.js';
import { openStorageSweep } from './compose/sweep.js';
import { openVerification } from './compose/verification.js';
import { loadConfig } from './config.js';
import { build, versionText } from './lib/build.js';
import { isAppError, messageOf } from './lib/errors.js';
import { exitCodes } from './lib/exit-codes.js';
import { createLog } from './lib/log.js';
import { createScope } from './lib/scope.js';
import { createPool } from './storage/postgres/pool.js';
import { readSchema, refuseOther } from './storage/postgres/schema.js';
import { createSql } from './storage/postgres/sql.js';

/** With the addresses of Kafka and ClickHouse, which most commands do not need. */
const operatorParts = (context: AdminContext) => ({
  ...context,
  config: withComponentAddresses(context.config),
});

const backupParts = (context: AdminContext, place: string): BackupParts => ({
  ...operatorParts(context),
  databaseUrl: databaseAddress(context.config),
  place,
});

/** Every group of commands; a new one is added here. */
const groups: readonly AdminGroup[] = [
  createAccountCommands({
    exportTo: (context, name, options) => exportAccount(operatorParts(context), name, options),
    transfer: ({ sql }, from, to) => transferAccount(sql, from, to),
    remove: (context, name) => deleteAccount(operatorParts(context), name),
  }),
  keyCommands,
  teamCommands,
  planCommands,
  createUserKeyCommands(openAdminGateway),
  createProviderCommands(openAdminGateway),
  createDeadLetterCommands((context) => openDeadLetters(operatorParts(context))),
  createUploadCommands((context) => openUploadReplay(operatorParts(context))),
  createVerifyCommands((context, backups) => openVerification(operatorParts(context), backups)),
  ...createBackupCommands({
    openBackup: (context, place) => openBackup(backupParts(context, place), build.version),
    openRestore: (context, place) => openRestore(backupParts(context, place)),
    openDatasetRestore: (context, place) => openDatasetRestore(backupParts(context, place)),
    verify: async (context) => (await openVerification(operatorParts(context))).verification.verify({}),
  }),
  consumingCommands,
  jobCommands,
  createClusterCommands((context) => openCluster(operatorParts(context))),
  createSweepCommands((context) => openStorageSweep(operatorParts(context))),
];

const main = async (): Promise<void> => {
  // Exported files and backups are readable by their owner alone.
  process.umask(0o077);
  const log = createLog('admin', 'warn', 2);
  const scope = createScope(log);
  const fault = (): void => {
    process.exitCode = exitCodes.faultsFound;
  };
  const open = async (): Promise<AdminContext> => {
    const config = loadConfig();
    const pool = createPool({ databaseUrl: databaseAddress(config), maxConnections: 2, log });
    await scope.defer('database pool', () => pool.end());
    const sql = createSql(pool);
    await refuseOther(sql, readSchema());
    return { config, log, scope, sql, onFault: fault };
  };
  const words = process.argv.slice(2);
  try {
    const text = words[0] === '--version' ? versionText : await runCommandLine(groups, words, open);
    process.stdout.write(`${text}\n`);
  } catch (error) {
    const text = words.includes('--json')
      ? JSON.stringify({ error: messageOf(error), ...(isAppError(error) ? { code: error.code } : {}) })
      : messageOf(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = isAppError(error) && error.code === 'usage' ? exitCodes.usage : exitCodes.couldNotRun;
  } finally {
    await scope.close();
  }
};

await main();
