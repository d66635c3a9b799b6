import { conflict, notFound } from '../../lib/errors.js';
import type { ChunkPosition } from '../../model/chunk.js';
import type { DeadLetter } from '../../storage/kafka/dead-letters.js';
import { recordAudit } from '../../storage/postgres/audit.js';
import { named, type Sql } from '../../storage/postgres/sql.js';

/** Decision of an operator on a dead letter. */
type Resolution = 'replayed' | 'dropped';

export interface DeadLetterEntry extends DeadLetter {
  readonly id: number;
  /** ISO 8601 in UTC. */
  readonly recordedAt: string;
  readonly state: 'waiting' | Resolution;
}

export interface DeadLetterRecords {
  /** Records a dead letter. Returns false if it is recorded and unsettled already. */
  record(letter: DeadLetter): Promise<boolean>;
  /** Unsettled dead letters, oldest first. */
  list(limit: number): Promise<DeadLetterEntry[]>;
  count(): Promise<number>;
  /** @throws AppError 404. */
  read(id: number): Promise<DeadLetterEntry>;
  /**
   * Runs `act` and then settles the dead letter. Of several concurrent operators only one runs `act`.
   * @throws AppError 404, or 409 if it is settled already; the error of `act`, after which it is still unsettled
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
  recordedAt: Date;
  state: DeadLetterEntry['state'];
}

const columns = `id, origin_topic AS "originTopic", origin_partition AS "originPartition",
  origin_offset::text AS "originOffset", topic, partition, kafka_offset::text AS "offset", reason, bytes,
  recorded_at AS "recordedAt", state`;

const entryOf = (row: DeadLetterRow): DeadLetterEntry => {
  const origin: ChunkPosition = {
    topic: row.originTopic,
    partition: row.originPartition,
    offset: row.originOffset,
  };
  const { id, topic, partition, offset, reason, bytes, state } = row;
  const copy = { topic, partition, offset };
  return { id, origin, copy, reason, bytes, state, recordedAt: row.recordedAt.toISOString() };
};

const unknown = (id: number) => notFound('unknown_message', `There is no dead letter ${id}.`);

/** A settled message that is delivered again becomes unsettled. */
const recordSql = named(`
  WITH before AS (
    SELECT state FROM dead_letters
    WHERE origin_topic = :originTopic AND origin_partition = :originPartition AND origin_offset = :originOffset
  )
  INSERT INTO dead_letters (origin_topic, origin_partition, origin_offset, topic, partition, kafka_offset, reason, bytes)
  VALUES (:originTopic, :originPartition, :originOffset, :topic, :partition, :offset, :reason, :bytes)
  ON CONFLICT (origin_topic, origin_partition, origin_offset) DO UPDATE SET topic = excluded.topic,
    partition = excluded.partition, kafka_offset = excluded.kafka_offset, reason = excluded.reason,
    bytes = excluded.bytes, state = 'waiting', recorded_at = now(), settled_at = NULL
  RETURNING NOT EXISTS (SELECT 1 FROM before WHERE state = 'waiting') AS "isNew"`);

export const createDeadLetterRecords = (sql: Sql): DeadLetterRecords => ({
  async record({ origin, copy, reason, bytes }) {
    const [row] = await sql.query<{ isNew: boolean }>(
      recordSql,
      recordSql.values({
        originTopic: origin.topic,
        originPartition: origin.partition,
        originOffset: origin.offset,
        ...copy,
        reason,
        bytes,
      }),
    );
    return row?.isNew ?? true;
  },

  async list(limit) {
    const rows = await sql.query<DeadLetterRow>(
      `SELECT ${columns} FROM dead_letters WHERE state = 'waiting' ORDER BY id LIMIT $1`,
      [limit],
    );
    return rows.map(entryOf);
  },

  async count() {
    const [row] = await sql.query<{ count: number }>(
      `SELECT count(*) FROM dead_letters WHERE state = 'waiting'`,
    );
    return Number(row?.count ?? 0);
  },

  async read(id) {
    const [row] = await sql.query<DeadLetterRow>(`SELECT ${columns} FROM dead_letters WHERE id = $1`, [id]);
    if (row === undefined) throw unknown(id);
    return entryOf(row);
  },

  settle: (id, state, act) =>
    sql.tx(async (tx) => {
      const [row] = await tx.query<{ state: string; settledAt: Date | null }>(
        'SELECT state, settled_at AS "settledAt" FROM dead_letters WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (row === undefined) throw unknown(id);
      if (row.state !== 'waiting')
        throw conflict(
          'settled',
          `Dead letter ${id} was ${row.state} at ${row.settledAt?.toISOString() ?? 'an unknown time'}.`,
        );
      const result = await act();
      await tx.query('UPDATE dead_letters SET state = $2, settled_at = now() WHERE id = $1', [id, state]);
      await recordAudit(tx, {
        action: 'dead_letter.settle',
        target: { kind: 'dead_letter', id },
        details: { state },
      });
      return result;
    }),
});
