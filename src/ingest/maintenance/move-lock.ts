/** Rows that are moved lie where PostgreSQL does not say so yet: sweeps keep away from them, and moves from each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from '../../lib/errors.js';
import { holdPools } from '../../rows/pool-sweep.js';
import { areSegmentsHeld } from '../../storage/postgres/held-segments.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** How often is looked whether the lock is free. */
const lookMs = 500;

/** How long a sweep may have the lock. */
const lockWaitMs = 120_000;

/**
 * Works in a transaction that has the lock, and waits for a sweep that is under way.
 * @throws AppError 409 `busy`, at once while a backup is under way, which takes hours.
 */
export const whileMoving = async <T>(
  sql: Sql,
  work: (tx: Sql) => Promise<T>,
  stop: AbortSignal,
): Promise<T> => {
  const deadline = Date.now() + lockWaitMs;
  for (;;) {
    const done = await sql.tx(async (tx) => {
      if (await areSegmentsHeld(tx))
        throw conflict('busy', 'A backup or restore is under way: move stores when it has ended.');
      return (await holdPools(tx)) ? { result: await work(tx) } : undefined;
    });
    if (done !== undefined) return done.result;
    if (Date.now() > deadline)
      throw conflict('busy', 'A sweep or another move has been under way for two minutes: try again later.');
    await sleep(lookMs, undefined, { signal: stop });
  }
};
