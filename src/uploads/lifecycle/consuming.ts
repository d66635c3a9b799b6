/** Lets an operator pause the consumption of chunks in all workers, including those that start later. */
import type { Log } from '../../lib/log.js';
import { readSetting, setSetting } from '../../storage/postgres/settings.js';
import type { Sql } from '../../storage/postgres/sql.js';

const setting = 'consuming_paused_since';

/** Start of the pause, ISO 8601 in UTC; null: not paused. */
export const consumingPausedSince = async (sql: Sql): Promise<string | null> =>
  (await readSetting(sql, setting)) ?? null;

/** Pauses consumption. @returns the start of the pause, which is earlier than `now` if it was paused before */
export const pauseConsuming = async (sql: Sql, now: Date): Promise<string> =>
  sql.tx(async (tx) => {
    const since = (await consumingPausedSince(tx)) ?? now.toISOString();
    await setSetting(tx, setting, since);
    return since;
  });

export const resumeConsuming = (sql: Sql): Promise<void> => setSetting(sql, setting, undefined);

interface ConsumingSwitch {
  isPaused(): boolean;
  /** Reads the setting again. On an error the last known value remains. */
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
