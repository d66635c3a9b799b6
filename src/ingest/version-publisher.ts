import type { Log } from '../lib/log.js';
import { type SegmentFacts, segmentId } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type Layout, storedColumns } from './layout.js';

export interface VersionPublisher {
  /**
   * Marks a process as complete (its segment is whole and counted) and publishes what is due.
   * Does nothing when the attempt is over.
   */
  complete(processId: number, datasetId: number, attempt: number, facts: SegmentFacts): Promise<void>;
  /**
   * Publishes, in the order in which uploads were accepted, every process of the dataset that is ready, up to
   * the first that is not. Called whenever one of them ends.
   */
  publishDue(datasetId: number): Promise<void>;
}

interface DueProcess {
  id: number;
  phase: string;
  attempt: number;
  mode: string;
  layout: Layout;
  facts: SegmentFacts;
}

export interface PublishedVersion {
  readonly datasetId: number;
  readonly processId: number;
  readonly versionId: number;
  readonly rows: number;
}

const publishOne = async (tx: Sql, datasetId: number, due: DueProcess): Promise<PublishedVersion> => {
  const { facts } = due;
  const [version] = await tx.query<{ id: number }>(
    `INSERT INTO versions (dataset_id, process_id, mode, columns, row_count, byte_size, min_date, max_date, frequency)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
    [
      datasetId,
      due.id,
      due.mode,
      JSON.stringify(storedColumns(due.layout)),
      facts.rows,
      facts.bytes,
      facts.minDate,
      facts.maxDate,
      facts.frequency,
    ],
  );
  if (version === undefined) throw new Error('a version was inserted but not returned');
  const segment = segmentId(due.id, due.attempt);
  await tx.query('UPDATE segments SET rows = $2, bytes = $3 WHERE id = $1', [
    segment,
    facts.rows,
    facts.bytes,
  ]);
  await tx.query('INSERT INTO version_segments (version_id, segment_id) VALUES ($1, $2)', [
    version.id,
    segment,
  ]);
  await tx.query('UPDATE datasets SET current_version_id = $2, updated_at = now() WHERE id = $1', [
    datasetId,
    version.id,
  ]);
  await tx.query(
    `UPDATE processes SET status = 'completed', version_id = $2, completed_at = now() WHERE id = $1`,
    [due.id, version.id],
  );
  return { datasetId, processId: due.id, versionId: version.id, rows: facts.rows };
};

const publishDueIn = async (tx: Sql, datasetId: number): Promise<PublishedVersion[]> => {
  const published: PublishedVersion[] = [];
  const [dataset] = await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [datasetId]);
  if (dataset === undefined) return published;
  for (;;) {
    const [next] = await tx.query<{ id: number; phase: string }>(
      `SELECT id, phase FROM processes WHERE dataset_id = $1 AND status = 'pending' ORDER BY id LIMIT 1`,
      [datasetId],
    );
    if (next === undefined || next.phase !== 'ready') return published;
    const [due] = await tx.query<DueProcess>(
      'SELECT id, phase, attempt, mode, layout, facts FROM processes WHERE id = $1 FOR NO KEY UPDATE',
      [next.id],
    );
    if (due === undefined) return published;
    published.push(await publishOne(tx, datasetId, due));
  }
};

export interface VersionPublisherOptions {
  readonly sql: Sql;
  readonly log: Log;
  readonly onPublished: (version: PublishedVersion) => void;
}

export const createVersionPublisher = ({
  sql,
  log,
  onPublished,
}: VersionPublisherOptions): VersionPublisher => {
  const announce = (published: readonly PublishedVersion[]): void => {
    for (const version of published) {
      onPublished(version);
      log.info({ ...version }, 'version published');
    }
  };

  return {
    async complete(processId, datasetId, attempt, facts) {
      announce(
        await sql.tx(async (tx) => {
          await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [datasetId]);
          await tx.query(
            `UPDATE processes SET phase = 'ready', facts = $3
             WHERE id = $1 AND attempt = $2 AND status = 'pending' AND phase IN ('insert', 'replay')`,
            [processId, attempt, JSON.stringify(facts)],
          );
          return publishDueIn(tx, datasetId);
        }),
      );
    },
    async publishDue(datasetId) {
      announce(await sql.tx((tx) => publishDueIn(tx, datasetId)));
    },
  };
};
