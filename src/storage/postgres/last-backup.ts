/** When the newest good backup was taken, for the metric and its alert. */
import { raiseSetting, readSetting } from './settings.js';
import type { Sql } from './sql.js';

/** Value: Unix time in seconds of the moment that the backup shows; 0: a backup was begun and none has ended well yet. */
export const lastBackupSetting = 'last_backup';

/** Notes the first attempt: from now on an installation without a backup raises an alert. */
export const recordBackupBegun = (sql: Sql): Promise<void> => raiseSetting(sql, lastBackupSetting, 0);

export const recordBackup = (sql: Sql, takenAt: Date): Promise<void> =>
  raiseSetting(sql, lastBackupSetting, Math.floor(takenAt.getTime() / 1000));

/** Undefined: no backup was ever begun. */
export const lastBackupSeconds = async (sql: Sql): Promise<number | undefined> => {
  const text = await readSetting(sql, lastBackupSetting);
  return text === undefined ? undefined : Number(text);
};
