import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import type { SegmentFacts } from '../../model/version.js';
import { isEnded, isPending } from '../../storage/postgres/process-states.js';
import { named, prepared, type Sql } from '../../storage/postgres/sql.js';
import { stateColumns, type UploadState } from './process-records.js';
import { type Reject, rejectValues, setAsideSql } from './rejects.js';
import { moveSql } from './transitions.js';

/** Result of storing a chunk. */
export interface StoredChunk {
  readonly rows: number;
  readonly rejects: readonly Reject[];
}

interface SeenChunks {
  readonly seen: number;
  readonly chunkCount: number | null;
}

/** An upload whose segment has all rows, as counted. */
export interface VerifiedUpload {
  readonly processId: number;
  readonly datasetId: number;
  readonly attempt: number;
  readonly facts: SegmentFacts;
}

/** The same for an upload of one chunk, which is not recorded yet. */
export interface WholeUpload extends VerifiedUpload {
  readonly chunk: Chunk;
  readonly position: ChunkPosition;
}

/** Records of chunks in PostgreSQL: their offsets in Kafka, and the attempt that has stored their rows. */
export interface ChunkRecords {
  /**
   * Event `stored`: this attempt has stored the rows of a chunk. Idempotent. Returns undefined if the attempt is over, since another
   * one has started or the process has ended.
   */
  recordStored(
    chunk: Chunk,
    at: ChunkPosition,
    attempt: number,
    stored: StoredChunk,
  ): Promise<UploadState | undefined>;
  /**
   * Records bad rows of a chunk that is not stored because they are too many. Idempotent. Returns undefined if the attempt is over, like
   * `recordStored`.
   */
  recordRejects(
    processId: number,
    attempt: number,
    rejects: readonly Reject[],
  ): Promise<UploadState | undefined>;
  /** Records the position of a chunk whose rows are not stored. */
  recordSeen(chunk: Chunk, at: ChunkPosition): Promise<SeenChunks>;
  /** Numbers of chunks that workers have handled, by pending upload. */
  handled(processIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Positions of all chunks of an upload, in file order; none after `forgetExpired`. */
  positions(processId: number): Promise<ChunkPosition[]>;
  /** Positions of the chunks whose rows this attempt has not stored yet, in file order. */
  notStored(processId: number, attempt: number): Promise<ChunkPosition[]>;
  /**
   * Deletes records of chunks of ended uploads that are older than twice the retention of Kafka, oldest uploads first. One call
   * deletes a limited number.
   */
  forgetExpired(retentionMs: number): Promise<void>;
}

/** Chunks per batch and batches per call of `forgetExpired`. */
const perBatch = 2_000;
const maxBatches = 10;

const stored = moveSql('stored');

/**
 * Moves each process from its first state to `ready`, like the events `stored` and `verified`. The ids are passed a second time
 * because with the join alone the planner scans all processes.
 */
const wholeSql = prepared(`
  WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS g (process_id bigint, attempt int, rows bigint, bytes bigint,
      first_line bigint, topic text, partition int, kafka_offset bigint, facts jsonb)
  ), current AS (
    SELECT id, attempt FROM processes WHERE id = ANY ($2) AND ${moveSql('verified').when} AND inserted_chunks = 0
    ORDER BY id FOR NO KEY UPDATE
  ), recorded AS (
    INSERT INTO chunks (process_id, number, rows, bytes, first_line, topic, partition, kafka_offset, inserted_attempt)
    SELECT g.process_id, 0, g.rows, g.bytes, g.first_line, g.topic, g.partition, g.kafka_offset, g.attempt
    FROM given g JOIN current ON current.id = g.process_id AND current.attempt = g.attempt
    ON CONFLICT (process_id, number) DO UPDATE SET inserted_attempt = excluded.inserted_attempt, rows = excluded.rows
    RETURNING process_id
  )
  UPDATE processes p SET ${moveSql('verified', 'p').set}, facts = g.facts, chunk_count = 1, inserted_chunks = 1,
    inserted_rows = g.rows
  FROM given g JOIN recorded USING (process_id) WHERE p.id = g.process_id AND p.id = ANY ($2)`);

const givenOf = ({ processId, attempt, facts, chunk, position }: WholeUpload) => ({
  process_id: processId,
  attempt,
  facts,
  rows: facts.rows,
  bytes: chunk.rawBytes,
  first_line: chunk.firstLine,
  topic: position.topic,
  partition: position.partition,
  kafka_offset: position.offset,
});

/** Events `stored` and `verified` for uploads of one chunk each. Ignores uploads whose attempt is over. */
export const recordWhole = async (tx: Sql, uploads: readonly WholeUpload[]): Promise<void> => {
  await tx.query(wholeSql, [JSON.stringify(uploads.map(givenOf)), uploads.map(({ processId }) => processId)]);
};

/** Counts the chunk once per attempt, and only if the attempt is the current one. */
const recordStoredSql = named(`
  WITH current AS (
    SELECT id FROM processes WHERE id = :processId AND attempt = :attempt AND ${stored.when} FOR NO KEY UPDATE
  ), recorded AS (
    INSERT INTO chunks (process_id, number, rows, bytes, first_line, topic, partition, kafka_offset, inserted_attempt)
    SELECT id, :number, :rows, :rawBytes, :firstLine, :topic, :partition, :offset, :attempt FROM current
    ON CONFLICT (process_id, number) DO UPDATE SET inserted_attempt = :attempt, rows = excluded.rows
      WHERE chunks.inserted_attempt <> :attempt
    RETURNING 1
  ), set_aside AS (
    ${setAsideSql('recorded')}
  )
  UPDATE processes p SET
    inserted_chunks = p.inserted_chunks + (SELECT count(*) FROM recorded),
    inserted_rows = p.inserted_rows + :rows * (SELECT count(*) FROM recorded),
    rejected_rows = p.rejected_rows + (SELECT count(*) FROM set_aside),
    chunk_count = CASE WHEN :last THEN :number + 1 ELSE p.chunk_count END
  FROM current, datasets d WHERE p.id = current.id AND d.id = p.dataset_id
  RETURNING ${stateColumns}`);

const recordRejectsSql = named(`
  WITH current AS (
    SELECT id FROM processes WHERE id = :processId AND attempt = :attempt AND ${stored.when} FOR NO KEY UPDATE
  ), set_aside AS (
    ${setAsideSql('current')}
  )
  UPDATE processes p SET rejected_rows = p.rejected_rows + (SELECT count(*) FROM set_aside)
  FROM current, datasets d WHERE p.id = current.id AND d.id = p.dataset_id
  RETURNING ${stateColumns}`);

const recordSeenSql = named(`
  INSERT INTO chunks (process_id, number, rows, bytes, first_line, topic, partition, kafka_offset)
  SELECT id, :number, :rows, :rawBytes, :firstLine, :topic, :partition, :offset FROM processes WHERE id = :processId
  ON CONFLICT (process_id, number) DO NOTHING`);

export const createChunkRecords = (sql: Sql): ChunkRecords => ({
  async recordStored(chunk, at, attempt, { rows, rejects }) {
    const values = { ...chunk, ...at, rows, attempt, ...rejectValues(rejects) };
    const [row] = await sql.query<UploadState>(recordStoredSql, recordStoredSql.values(values));
    return row;
  },

  async recordRejects(processId, attempt, rejects) {
    const values = { processId, attempt, ...rejectValues(rejects) };
    const [row] = await sql.query<UploadState>(recordRejectsSql, recordRejectsSql.values(values));
    return row;
  },

  recordSeen: (chunk, at) =>
    sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM processes WHERE id = $1 FOR NO KEY UPDATE', [chunk.processId]);
      await tx.query(recordSeenSql, recordSeenSql.values({ ...chunk, ...at }));
      const [row] = await tx.query<SeenChunks>(
        `UPDATE processes p SET chunk_count = CASE WHEN $2 THEN $3 + 1 ELSE p.chunk_count END WHERE p.id = $1
         RETURNING p.chunk_count AS "chunkCount",
           (SELECT count(*) FROM chunks c WHERE c.process_id = p.id) AS seen`,
        [chunk.processId, chunk.last, chunk.number],
      );
      return row ?? { seen: 0, chunkCount: null };
    }),

  async handled(processIds) {
    const rows = await sql.query<{ id: number; handled: number }>(
      `SELECT p.id, CASE p.phase WHEN 'insert' THEN p.inserted_chunks
         ELSE (SELECT count(*) FROM chunks c WHERE c.process_id = p.id) END AS handled
       FROM processes p WHERE p.id = ANY ($1) AND ${isPending('p')}`,
      [processIds],
    );
    return new Map(rows.map(({ id, handled }) => [id, handled]));
  },

  positions: (processId) =>
    sql.query<ChunkPosition>(
      'SELECT topic, partition, kafka_offset::text AS offset FROM chunks WHERE process_id = $1 ORDER BY number',
      [processId],
    ),

  notStored: (processId, attempt) =>
    sql.query<ChunkPosition>(
      `SELECT topic, partition, kafka_offset::text AS offset FROM chunks
       WHERE process_id = $1 AND inserted_attempt <> $2 ORDER BY number`,
      [processId, attempt],
    ),

  async forgetExpired(retentionMs) {
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const ended = await sql.query<{ id: number }>(
        `SELECT id FROM processes WHERE ${isEnded()} AND created_at < now() - 2 * $1 * interval '1 millisecond'
           AND id IN (SELECT process_id FROM (SELECT process_id FROM chunks ORDER BY process_id LIMIT ${perBatch}) AS oldest)`,
        [retentionMs],
      );
      if (ended.length === 0) return;
      // Other workers may delete at the same time.
      await sql.query(
        `WITH mine AS (
           SELECT process_id, number FROM chunks WHERE process_id = ANY ($1)
           ORDER BY process_id, number FOR UPDATE SKIP LOCKED
         )
         DELETE FROM chunks c USING mine WHERE c.process_id = mine.process_id AND c.number = mine.number`,
        [ended.map(({ id }) => id)],
      );
    }
  },
});
