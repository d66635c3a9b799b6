/** Whether workers take chunks from Kafka: an operator may have them wait, all of them, whenever they were started. */
import type { Log } from '../../lib/log.js';
import { readSetting, setSetting } from '../../storage/postgres/settings.js';
import type { Sql } from '../../storage/postgres/sql.js';

const setting = 'consuming_paused_since';

/** Since when, ISO 8601 in UTC; null: they take them. */
export const consumingPausedSince = async (sql: Sql): Promise<string | null> =>
  (await readSetting(sql, setting)) ?? null;

/** Since when they wait, which is earlier if they waited before. */
export const pauseConsuming = async (sql: Sql, now: Date): Promise<string> =>
  sql.tx(async (tx) => {
    const since = (await consumingPausedSince(tx)) ?? now.toISOString();
    await setSetting(tx, setting, since);
    return since;
  });

export const resumeConsuming = (sql: Sql): Promise<void> => setSetting(sql, setting, undefined);

interface ConsumingSwitch {
  isPaused(): boolean;
  /** Reads it again. While PostgreSQL does not answer, the last answer holds. */
  poll(): Promise<void>;
}

export const createConsumingSwitch = async ({
  sql,
  log,
}: {
  readonly sql: Sql;
  readonly log: Log;
}): Promise<ConsumingSwitch> => {
  let since: string | null = null;
  const poll = async (): Promise<void> => {
    const now = await consumingPausedSince(sql);
    if (now !== null && since === null) log.warn({ since: now }, 'consuming paused');
    if (now === null && since !== null) log.info('consuming resumed');
    since = now;
  };
  await poll();
  return { isPaused: () => since !== null, poll };
};
