/** Time of the newest successful backup, for the metric and its alert. */
import { raiseSetting, readSetting } from './settings.js';
import type { Sql } from './sql.js';

/** Value: Unix time in seconds of the newest backup's snapshot; 0: a backup was started and none has succeeded yet. */
export const lastBackupSetting = 'last_backup';

/** Records the first attempt: from now on an installation without a backup raises an alert. */
export const recordBackupBegun = (sql: Sql): Promise<void> => raiseSetting(sql, lastBackupSetting, 0);

export const recordBackup = (sql: Sql, takenAt: Date): Promise<void> =>
  raiseSetting(sql, lastBackupSetting, Math.floor(takenAt.getTime() / 1000));

/** Undefined: no backup was ever started. */
export const lastBackupSeconds = async (sql: Sql): Promise<number | undefined> => {
  const text = await readSetting(sql, lastBackupSetting);
  return text === undefined ? undefined : Number(text);
};
