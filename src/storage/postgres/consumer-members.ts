/** Members of consumer groups by the worker that they belong to, and when each worker was last alive. */
import { prepared, type Sql } from './sql.js';

export interface ConsumerMember {
  readonly groupId: string;
  readonly memberId: string;
}

/** A worker, while it runs. */
interface WorkerIdentity {
  readonly id: string;
  /** Host and port: a process that listens there has replaced the one that did before. */
  readonly address: string;
}

interface ConsumerMembers {
  /** Members of workers that were at the address before; they are forgotten. */
  takeFormer(): Promise<readonly ConsumerMember[]>;
  /** The member is the worker's. */
  note(member: ConsumerMember): Promise<void>;
  /** Heartbeat of the worker. Returns, and deletes, members of workers whose heartbeats are missing. */
  beat(): Promise<readonly ConsumerMember[]>;
  /** The worker ends, and its members with it. */
  forget(): Promise<void>;
}

/** Three beats: a worker that is declared dead by mistake joins again. */
const silence = `interval '3 seconds'`;

const member = 'group_id AS "groupId", member_id AS "memberId"';

const noteSql = prepared(`
  INSERT INTO consumer_members (member_id, group_id, worker, address) VALUES ($1, $2, $3, $4)
  ON CONFLICT (member_id) DO UPDATE SET seen_at = now()`);

/** A worker whose own heartbeats are missing declares no other dead: PostgreSQL was down. */
const beatSql = prepared(`
  WITH own AS (
    SELECT max(seen_at) AS seen_at FROM consumer_members WHERE worker = $1
  ), seen AS (
    UPDATE consumer_members SET seen_at = now() WHERE worker = $1
  )
  DELETE FROM consumer_members WHERE worker <> $1 AND seen_at < now() - ${silence}
    AND (SELECT seen_at FROM own) > now() - ${silence}
  RETURNING ${member}`);

export const createConsumerMembers = (sql: Sql, { id, address }: WorkerIdentity): ConsumerMembers => ({
  takeFormer: () =>
    sql.query<ConsumerMember>(
      `DELETE FROM consumer_members WHERE address = $1 AND worker <> $2 RETURNING ${member}`,
      [address, id],
    ),

  async note({ groupId, memberId }) {
    await sql.query(noteSql, [memberId, groupId, id, address]);
  },

  beat: () => sql.query<ConsumerMember>(beatSql, [id]),

  async forget() {
    await sql.query('DELETE FROM consumer_members WHERE worker = $1', [id]);
  },
});
