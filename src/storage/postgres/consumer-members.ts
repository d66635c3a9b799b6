/** Members of consumer groups by worker, and the last heartbeat of each worker. */
import { prepared, type Sql } from './sql.js';

export interface ConsumerMember {
  readonly groupId: string;
  readonly memberId: string;
}

/** A running worker. */
interface WorkerIdentity {
  readonly id: string;
  /** Host and port. A process that listens there has replaced the previous one. */
  readonly address: string;
}

interface ConsumerMembers {
  /** Returns and deletes members of previous workers at this address. */
  takeFormer(): Promise<readonly ConsumerMember[]>;
  /** Records a member of the worker. */
  note(member: ConsumerMember): Promise<void>;
  /** Heartbeat of the worker. Returns and deletes members of workers whose heartbeats are missing. */
  beat(): Promise<readonly ConsumerMember[]>;
  /** Deletes the worker with its members when it stops. */
  forget(): Promise<void>;
}

/** Three heartbeats. A worker that is declared dead by mistake joins again. */
const silence = `interval '3 seconds'`;

const member = 'group_id AS "groupId", member_id AS "memberId"';

const noteSql = prepared(`
  INSERT INTO consumer_members (member_id, group_id, worker, address) VALUES ($1, $2, $3, $4)
  ON CONFLICT (member_id) DO UPDATE SET seen_at = now()`);

/** A worker whose own heartbeats are missing declares no other dead, since PostgreSQL was down. */
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
