/**
 * A shard of several replicas: ClickHouse keeps them alike, by a database of the engine Replicated (DDL, also for a node
 * that was away) and by tables of ReplicatedMergeTree (rows). Statements are written for a server that is alone; here they
 * become those of a replica, which differ in few words.
 *
 *   CREATE DATABASE      once, ON CLUSTER; a database of its own per shard
 *   CREATE TABLE         ReplicatedMergeTree, whose path ClickHouse chooses, with a deduplication log of its own name
 *   INSERT               answers when most replicas have the rows
 *   ALTER, DELETE        answer when all replicas that are there have done it
 *
 * One replica is asked as long as it answers: another one may have a row a moment later. A read that finds too few rows
 * fails, as ever, and is repeated.
 */
import { isAppError } from '../lib/errors.js';
import type { Connection, QuerySettings, StatementOptions } from '../storage/clickhouse/client.js';

const identifier = /^[A-Za-z0-9_.-]+$/;

/** Makes the database on all nodes of a cluster. The macros are those of each node's configuration. */
export const replicatedDatabaseSql = (database: string, cluster: string): string => {
  if (!identifier.test(cluster)) throw new RangeError(`bad name of a cluster: ${cluster}`);
  return `CREATE DATABASE IF NOT EXISTS ${database} ON CLUSTER '${cluster}'
    ENGINE = Replicated('/clickhouse/databases/${database}/{shard}', '{shard}', '{replica}')`;
};

const isTableDdl = /^\s*(?:CREATE TABLE|ALTER TABLE)\b/;

/** A statement as a replica takes it. Rows and conditions are left alone: only DDL of tables names an engine. */
export const replicatedStatement = (sql: string): string =>
  isTableDdl.test(sql)
    ? sql
        .replace(
          /\bENGINE = (?:Replicated)?MergeTree(?:\('[^']*', '[^']*'\))?(?![\w(])/,
          'ENGINE = ReplicatedMergeTree',
        )
        .replaceAll('non_replicated_deduplication_window', 'replicated_deduplication_window')
    : sql;

/** Sent with every statement that changes something. */
export const replicaSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 60_000,
  // The vendor's list of values lacks it.
  distributed_ddl_output_mode: 'throw_only_active' as 'throw',
  database_replicated_enforce_synchronous_settings: 1,
} as const satisfies QuerySettings;

const changing = (options: StatementOptions = {}): StatementOptions => {
  const { settings = {} } = options;
  const waits = (name: 'alter_sync' | 'mutations_sync' | 'lightweight_deletes_sync'): QuerySettings =>
    settings[name] === undefined ? {} : { [name]: '2' };
  return {
    ...options,
    settings: {
      ...settings,
      ...replicaSettings,
      ...waits('alter_sync'),
      ...waits('mutations_sync'),
      ...waits('lightweight_deletes_sync'),
    },
  };
};

const isAway = (error: unknown): boolean => isAppError(error) && error.code === 'store_unavailable';

/** The replicas of one shard as one server. The call that finds one away fails, as with a server that is alone; the next asks another. */
export const overReplicas = (replicas: readonly [Connection, ...Connection[]]): Connection => {
  let at = 0;
  const asked = async <T>(work: (replica: Connection) => Promise<T>): Promise<T> => {
    const used = at;
    try {
      return await work(replicas[used] ?? replicas[0]);
    } catch (error) {
      if (isAway(error) && at === used) at = (used + 1) % replicas.length;
      throw error;
    }
  };
  return {
    database: replicas[0].database,
    command: (sql, options) =>
      asked((replica) => replica.command(replicatedStatement(sql), changing(options))),
    rows: <T>(sql: string, options?: StatementOptions) => asked((replica) => replica.rows<T>(sql, options)),
    insert: (sql, data, options) => asked((replica) => replica.insert(sql, data, changing(options))),
    send: (request) => asked((replica) => replica.send(request)),
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
