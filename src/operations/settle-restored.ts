import { settleRestoredCompactions } from '../rows/index.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { lastBackupSetting } from '../storage/postgres/last-backup.js';
import { setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { failRestored } from '../uploads/lifecycle/restored-uploads.js';

/**
 * Ends work that was in progress when the backup was made: its Kafka messages and staging tables are not in the backup.
 * Returns the number of uploads that failed.
 */
export const settleRestored = async (sql: Sql, installation: string): Promise<number> => {
  const failedUploads = await failRestored(sql);
  await settleRestoredCompactions(sql);
  // The original catalog may still be in use with another ClickHouse.
  await setSetting(sql, 'installation', installation);
  // This installation has no backup yet.
  await setSetting(sql, lastBackupSetting, undefined);
  await recordAudit(sql, { action: 'command.run', target: { kind: 'command', name: 'restore' } });
  return failedUploads;
};
