import type { ProcessError } from '../../model/process.js';
import type { SegmentFacts } from '../../model/version.js';
import { type HeldDataset, holdDataset } from '../../storage/postgres/datasets.js';
import type { Sql } from '../../storage/postgres/sql.js';
import {
  type DueProcess,
  endDryRun,
  type PublishedVersion,
  publish,
  type UploadSender,
} from './publication.js';
import type { FailedUpload } from './transition-records.js';
import { inLineSql, moveSql } from './transitions.js';
import { isBeforeAll, publishVintage } from './vintage-publication.js';

/** Moves uploads that wait for their turn. Only the dispatcher calls it. */
export interface Publisher {
  /**
   * Event `verified` (the segment is whole and counted; nothing when the attempt is over), and what is due then, in
   * one transaction.
   */
  verified(processId: number, datasetId: number, attempt: number, facts: SegmentFacts): Promise<Due>;
  /**
   * Publishes, in the order in which uploads were accepted, every process of the dataset that is ready, up to
   * the first that is not.
   */
  publishDue(datasetId: number): Promise<Due>;
}

/**
 * Says, in the transaction that publishes, why the sender may not write any more; undefined when that is as it was.
 * Rights may have ended while the upload ran.
 */
export type AskRefusal = (tx: Sql, sender: UploadSender) => Promise<string | undefined>;

const published = moveSql('published');
const verified = moveSql('verified');
const mergeDue = moveSql('merge_due');
const failed = moveSql('failed');
const inLine = inLineSql();

const otherVersion: ProcessError = {
  code: 'other_version',
  message: 'Another version was published before this one; If-Match named the one before.',
};

const otherVintage: ProcessError = {
  code: 'other_vintage',
  message: 'The vintage is not the one before the oldest version of the dataset.',
};

const rightEnded = (reason: string): ProcessError => ({
  code: 'permission_ended',
  message: `The right to write ended before the upload was published: ${reason}`,
});

const failDue = async (tx: Sql, due: DueProcess, error: ProcessError): Promise<FailedUpload> => {
  await tx.query(`UPDATE processes SET ${failed.set}, error = $2 WHERE id = $1 AND ${failed.when}`, [
    due.id,
    JSON.stringify(error),
  ]);
  return { processId: due.id, datasetId: due.datasetId, accountId: due.accountId, code: error.code };
};

/** What came of a look at a dataset. */
export interface Due {
  readonly published: readonly PublishedVersion[];
  /** Uploads whose turn came, and that must not be published. */
  readonly failed: readonly FailedUpload[];
  /** The process that has to be joined with the current version, now that its turn has come. */
  readonly merge?: number;
}

/** Why a process must not be published although its turn has come. */
const objectionTo = async (
  tx: Sql,
  due: DueProcess,
  current: number | null,
  askRefusal: AskRefusal,
): Promise<ProcessError | undefined> => {
  if (due.vintage !== null && !(await isBeforeAll(tx, due.datasetId, due.vintage))) return otherVintage;
  if (due.expectedVersionId !== null && due.expectedVersionId !== current) return otherVersion;
  const reason = await askRefusal(tx, due);
  return reason === undefined ? undefined : rightEnded(reason);
};

/** The process whose turn has come: to be published, or at work on its merge. */
type Turn =
  | { readonly kind: 'due'; readonly process: DueProcess }
  | { readonly kind: 'merging'; readonly processId: number };

/** Of the first pending process of the dataset; one that is due is locked. */
const nextTurn = async (tx: Sql, datasetId: number): Promise<Turn | undefined> => {
  for (;;) {
    const [next] = await tx.query<{ id: number; phase: string }>(
      `SELECT id, phase FROM processes WHERE dataset_id = $1 AND ${inLine} ORDER BY id LIMIT 1`,
      [datasetId],
    );
    if (next?.phase === 'merge') return { kind: 'merging', processId: next.id };
    if (next?.phase !== 'ready' && next?.phase !== 'merged') return undefined;
    const [process] = await tx.query<DueProcess>(
      `SELECT id, dataset_id AS "datasetId", created_by AS "accountId", key_id AS "keyId", phase, attempt, mode,
         layout, facts, merge, expected_version AS "expectedVersionId", dry_run AS "dryRun", vintage
       FROM processes WHERE id = $1 AND ${published.when} FOR NO KEY UPDATE`,
      [next.id],
    );
    // Otherwise it was cancelled between the two statements.
    if (process !== undefined) return { kind: 'due', process };
  }
};

const publishDueIn = async (
  tx: Sql,
  datasetId: number,
  held: HeldDataset | undefined,
  { askRefusal, dryRunKeptMs }: Omit<PublisherOptions, 'sql'>,
): Promise<Due> => {
  const versions: PublishedVersion[] = [];
  const refused: FailedUpload[] = [];
  const came = { published: versions, failed: refused };
  if (held === undefined) return came;
  for (let { current } = held; ; ) {
    const turn = await nextTurn(tx, datasetId);
    if (turn === undefined) return came;
    if (turn.kind === 'merging') return { ...came, merge: turn.processId };
    const { process } = turn;
    const objection = await objectionTo(tx, process, current, askRefusal);
    if (objection !== undefined) {
      refused.push(await failDue(tx, process, objection));
      continue;
    }
    const isMerged = process.phase === 'merged' && process.merge?.baseVersionId === current;
    if (process.mode !== 'replace' && !isMerged) {
      await tx.query(
        `UPDATE processes SET ${mergeDue.set}, merge = NULL WHERE id = $1 AND ${mergeDue.when}`,
        [process.id],
      );
      return { ...came, merge: process.id };
    }
    if (process.dryRun) {
      await endDryRun(tx, process, current, dryRunKeptMs);
      continue;
    }
    if (process.vintage !== null) {
      versions.push(await publishVintage(tx, process, process.vintage));
      continue;
    }
    const version = await publish(tx, datasetId, process);
    versions.push(version);
    current = version.versionId;
  }
};

export interface PublisherOptions {
  readonly sql: Sql;
  readonly askRefusal: AskRefusal;
  /** Milliseconds that the rows of a dry run are kept. */
  readonly dryRunKeptMs: number;
}

export const createPublisher = ({ sql, ...options }: PublisherOptions): Publisher => ({
  verified: (processId, datasetId, attempt, facts) =>
    sql.tx(async (tx) => {
      const held = await holdDataset(tx, datasetId);
      await tx.query(
        `UPDATE processes SET ${verified.set}, facts = $3 WHERE id = $1 AND attempt = $2 AND ${verified.when}`,
        [processId, attempt, JSON.stringify(facts)],
      );
      return publishDueIn(tx, datasetId, held, options);
    }),
  publishDue: (datasetId) =>
    sql.tx(async (tx) => publishDueIn(tx, datasetId, await holdDataset(tx, datasetId), options)),
});
