/** Whether workers take chunks from Kafka: an operator may have them wait, all of them, whenever they were started. */
import type { Log } from '../../lib/log.js';
import { startPeriodic } from '../../lib/periodic.js';
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

export interface ConsumingSwitch {
  isPaused(): boolean;
  stop(): Promise<void>;
}

/** Looks again and again; while PostgreSQL does not answer, what it said last holds. */
export const watchConsuming = async ({
  sql,
  intervalMs,
  log,
}: {
  readonly sql: Sql;
  readonly intervalMs: number;
  readonly log: Log;
}): Promise<ConsumingSwitch> => {
  let since = await consumingPausedSince(sql);
  if (since !== null) log.warn({ since }, 'consuming paused');
  const periodic = startPeriodic({
    name: 'consuming',
    intervalMs,
    run: async () => {
      const now = await consumingPausedSince(sql);
      if (now !== null && since === null) log.warn({ since: now }, 'consuming paused');
      if (now === null && since !== null) log.info('consuming resumed');
      since = now;
    },
    log,
  });
  return { isPaused: () => since !== null, stop: periodic.stop };
};
