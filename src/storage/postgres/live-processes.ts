import type { Build } from '../../lib/build.js';
import { named, type Sql } from './sql.js';

/** A running process of the product. */
export interface LiveProcess {
  readonly id: string;
  readonly kind: 'api' | 'worker';
  /** `host:port`, for display. */
  readonly address: string;
  readonly build: Build;
  /** Names of the master keys that it has; null: it handles no provider keys. */
  readonly masterKeys: readonly string[] | null;
}

/** Heartbeats that may be missed before a process no longer counts as running. */
const missedBeats = 3;

const beatSql = named(`
  INSERT INTO live_processes (id, kind, address, version, commit_id, master_keys, lives_until)
  VALUES (:id, :kind, :address, :version, :commit, :masterKeys, now() + :lifeMs * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET lives_until = excluded.lives_until`);

/** Registers a process or renews its registration. Call it every `intervalMs`. */
export const beatHeart = async (sql: Sql, process: LiveProcess, intervalMs: number): Promise<void> => {
  const lifeMs = (missedBeats + 1) * intervalMs;
  await sql.query(beatSql, beatSql.values({ ...process, ...process.build, lifeMs }));
  await sql.query("DELETE FROM live_processes WHERE lives_until < now() - interval '1 hour'");
};

export const forgetProcess = async (sql: Sql, id: string): Promise<void> => {
  await sql.query('DELETE FROM live_processes WHERE id = $1', [id]);
};

/** Addresses of running processes that handle provider keys and do not have this master key. */
export const processesWithoutKey = async (sql: Sql, masterKey: string): Promise<string[]> => {
  const rows = await sql.query<{ address: string }>(
    `SELECT address FROM live_processes
     WHERE lives_until > now() AND master_keys IS NOT NULL AND $1 <> ALL (master_keys) ORDER BY address`,
    [masterKey],
  );
  return rows.map(({ address }) => address);
};
