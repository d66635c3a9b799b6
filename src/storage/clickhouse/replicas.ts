/**
 * Connections to the replicas of one shard. ClickHouse replicates DDL through a database of the engine Replicated, and rows through the
 * table engine. One replica is used as long as it responds, since another one may receive a row a moment later. A read that finds too few
 * rows fails, as on a single server, and the caller repeats it.
 */
import { isAppError } from '../../lib/errors.js';
import type { Connection, StatementOptions } from './client.js';
import type { Engine } from './engine.js';
import { isUnreachable } from './errors.js';

/** `send` throws errors of connections unchanged. */
const isAway = (error: unknown): boolean =>
  isAppError(error) ? error.code === 'store_unavailable' : isUnreachable(error);

/**
 * Uses the replicas as one server, with the settings of the engine. A call to a replica that is down fails as on a single server; the next
 * call uses another replica.
 */
export const overReplicas = (
  replicas: readonly [Connection, ...Connection[]],
  { insertSettings, readSettings }: Engine,
): Connection => {
  let at = 0;
  const onCurrent = async <T>(work: (replica: Connection) => Promise<T>): Promise<T> => {
    const used = at;
    try {
      return await work(replicas[used] ?? replicas[0]);
    } catch (error) {
      if (isAway(error) && at === used) at = (used + 1) % replicas.length;
      throw error;
    }
  };
  const changing = (options: StatementOptions = {}): StatementOptions => ({
    ...options,
    settings: { ...options.settings, ...readSettings, ...insertSettings },
  });
  return {
    database: replicas[0].database,
    command: (sql, options) => onCurrent((replica) => replica.command(sql, changing(options))),
    rows: <T>(sql: string, options: StatementOptions = {}) =>
      onCurrent((replica) =>
        replica.rows<T>(sql, { ...options, settings: { ...options.settings, ...readSettings } }),
      ),
    insert: (sql, data, options) => onCurrent((replica) => replica.insert(sql, data, changing(options))),
    send: (request) =>
      onCurrent((replica) => replica.send({ ...request, search: { ...request.search, ...readSettings } })),
    async ping() {
      for (let turn = 0; turn < replicas.length; turn += 1) {
        if (await (replicas[at] ?? replicas[0]).ping()) return true;
        at = (at + 1) % replicas.length;
      }
      return false;
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
};
