import type { Sql } from '../storage/postgres/sql.js';
import type { ExportTicket } from './export-ticket.js';
import { addExports } from './export-usage.js';

/**
 * Counts exports of accounts with an unlimited plan. No decision needs these counts, so they are collected in memory and written together;
 * a killed process loses those of its last interval.
 */
export interface ExportCounts {
  /** Opens a ticket, which is counted when its answer has ended. */
  open(accountId: number): ExportTicket;
  /** Writes all counts that were collected before; those that cannot be written are kept for the next call. */
  flush(): Promise<void>;
}

interface Counted {
  readonly exports: number;
  readonly bytes: number;
}

export const createExportCounts = ({ sql }: { sql: Sql }): ExportCounts => {
  let counts = new Map<number, Counted>();
  const add = (accountId: number, { exports, bytes }: Counted): void => {
    const before = counts.get(accountId);
    counts.set(accountId, {
      exports: (before?.exports ?? 0) + exports,
      bytes: (before?.bytes ?? 0) + bytes,
    });
  };
  const write = async (): Promise<void> => {
    if (counts.size === 0) return;
    const taken = counts;
    counts = new Map();
    const values = [...taken.values()];
    try {
      await sql.query(addExports, [
        [...taken.keys()],
        values.map(({ exports }) => exports),
        values.map(({ bytes }) => bytes),
      ]);
    } catch (error) {
      for (const [accountId, counted] of taken) add(accountId, counted);
      throw error;
    }
  };
  /** Ends, without an error, when the last write that has begun ends. */
  let begun = Promise.resolve();
  /** The write after that; all who ask for one until it begins share it, so that a hanging server fails them together. */
  let next: Promise<void> | undefined;
  return {
    open: (accountId) => ({
      spend: () => undefined,
      finish: async (bytes) => add(accountId, { exports: 1, bytes }),
      cancel: () => Promise.resolve(),
    }),
    flush() {
      next ??= begun.then(() => {
        next = undefined;
        const written = write();
        begun = written.catch(() => undefined);
        return written;
      });
      return next;
    },
  };
};
