import { conflict, notFound } from '../../lib/errors.js';
import type { ChunkPosition } from '../../model/chunk.js';
import type { DeadLetter } from '../../storage/kafka/produce/dead-letters.js';
import type { Sql } from '../../storage/postgres/sql.js';

/** What an operator did about a parked message. */
export type Resolution = 'replayed' | 'dropped';

export interface DeadLetterEntry extends DeadLetter {
  readonly id: number;
  /** ISO 8601 in UTC. */
  readonly parkedAt: string;
  readonly state: 'parked' | Resolution;
}

export interface DeadLetterStore {
  /** Writes a parked message down. False when it was known and waits already. */
  record(parked: DeadLetter): Promise<boolean>;
  /** Those that nobody has settled, oldest first. */
  list(limit: number): Promise<DeadLetterEntry[]>;
  count(): Promise<number>;
  /** @throws AppError 404. */
  read(id: number): Promise<DeadLetterEntry>;
  /**
   * Resolves a message once `act` has resolved; of several operators one gets to act.
   * @throws AppError 404, or 409 when it is settled already; whatever `act` throws leaves it parked.
   */
  settle<T>(id: number, state: Resolution, act: () => Promise<T>): Promise<T>;
}

interface DeadLetterRow {
  id: number;
  originTopic: string;
  originPartition: number;
  originOffset: string;
  topic: string;
  partition: number;
  offset: string;
  reason: string;
  bytes: number;
  parkedAt: Date;
  state: DeadLetterEntry['state'];
}

const columns = `id, origin_topic AS "originTopic", origin_partition AS "originPartition",
  origin_offset::text AS "originOffset", topic, partition, position::text AS "offset", reason, bytes,
  parked_at AS "parkedAt", state`;

const entryOf = (row: DeadLetterRow): DeadLetterEntry => {
  const origin: ChunkPosition = {
    topic: row.originTopic,
    partition: row.originPartition,
    offset: row.originOffset,
  };
  const { id, topic, partition, offset, reason, bytes, state } = row;
  const copy = { topic, partition, offset };
  return { id, origin, copy, reason, bytes, state, parkedAt: row.parkedAt.toISOString() };
};

const unknown = (id: number) => notFound('unknown_message', `There is no parked message ${id}.`);

export const createDeadLetterStore = (sql: Sql): DeadLetterStore => ({
  async record({ origin, copy, reason, bytes }) {
    // A message that comes again although it was settled waits again: it was delivered anew for some reason.
    const [row] = await sql.query<{ isNew: boolean }>(
      `WITH before AS (
         SELECT state FROM parked_messages WHERE origin_topic = $1 AND origin_partition = $2 AND origin_offset = $3
       )
       INSERT INTO parked_messages
         (origin_topic, origin_partition, origin_offset, topic, partition, position, reason, bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (origin_topic, origin_partition, origin_offset) DO UPDATE SET topic = excluded.topic,
         partition = excluded.partition, position = excluded.position, reason = excluded.reason,
         bytes = excluded.bytes, state = 'parked', parked_at = now(), settled_at = NULL
       RETURNING NOT EXISTS (SELECT 1 FROM before WHERE state = 'parked') AS "isNew"`,
      [origin.topic, origin.partition, origin.offset, copy.topic, copy.partition, copy.offset, reason, bytes],
    );
    return row?.isNew ?? true;
  },

  async list(limit) {
    const rows = await sql.query<DeadLetterRow>(
      `SELECT ${columns} FROM parked_messages WHERE state = 'parked' ORDER BY id LIMIT $1`,
      [limit],
    );
    return rows.map(entryOf);
  },

  async count() {
    const [row] = await sql.query<{ count: number }>(
      `SELECT count(*) FROM parked_messages WHERE state = 'parked'`,
    );
    return Number(row?.count ?? 0);
  },

  async read(id) {
    const [row] = await sql.query<DeadLetterRow>(`SELECT ${columns} FROM parked_messages WHERE id = $1`, [
      id,
    ]);
    if (row === undefined) throw unknown(id);
    return entryOf(row);
  },

  settle: (id, state, act) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ state: string; settledAt: Date | null }>(
        'SELECT state, settled_at AS "settledAt" FROM parked_messages WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (row === undefined) throw unknown(id);
      if (row.state !== 'parked')
        throw conflict(
          'settled',
          `Message ${id} was ${row.state} at ${row.settledAt?.toISOString() ?? 'an unknown time'}.`,
        );
      const result = await act();
      await tx.query('UPDATE parked_messages SET state = $2, settled_at = now() WHERE id = $1', [id, state]);
      return result;
    }),
});
