import type { ProcessError } from '../../model/process.js';
import { countedRepairs, datasetsInRepair } from '../../rows/index.js';
import { type HeldDataset, holdDatasets } from '../../storage/postgres/datasets.js';
import { isInLine } from '../../storage/postgres/process-states.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { isUnderstoodSql } from '../options/needs.js';
import { recordWhole, type VerifiedUpload, type WholeUpload } from './chunk-records.js';
import type { MergeOutcome } from './merge-records.js';
import {
  type DueProcess,
  endDryRun,
  type PublishedVersion,
  publishEach,
  type UploadSender,
} from './publication.js';
import { type FailedUpload, failedColumns } from './transition-records.js';
import { moveSql } from './transitions.js';
import { isBeforeAll, publishVintage } from './vintage-publication.js';

/** Publishes uploads in the order in which they were accepted. Only the dispatcher calls it. */
export interface Publisher {
  /**
   * Event `verified` (the segment has all rows; ignored if the attempt is over); then publishes what is due, in the same
   * transaction.
   */
  verified(upload: VerifiedUpload): Promise<Due>;
  /** Events `stored` and `verified` for uploads of one chunk each; then publishes what is due, in the same transaction. */
  storedWhole(uploads: readonly WholeUpload[]): Promise<Due>;
  /** Publishes the processes of datasets that are ready, in each up to the first that is not. */
  publishDue(datasetIds: readonly number[]): Promise<Due>;
}

/**
 * Finds senders whose right to write has ended while the upload ran. Runs in the publishing transaction. Returns a reason per
 * sender, in their order; undefined: the sender may still write.
 */
type FindRefusals = (tx: Sql, senders: readonly UploadSender[]) => Promise<readonly (string | undefined)[]>;

/** Joins an append with the current version if nothing has to be copied or counted; undefined: it has to be merged. */
export type JoinPlainly = (tx: Sql, due: DueProcess) => Promise<MergeOutcome | undefined>;

interface PublisherOptions {
  readonly sql: Sql;
  readonly findRefusals: FindRefusals;
  readonly joinPlainly: JoinPlainly;
  /** Milliseconds for which the rows of a dry run are kept. */
  readonly dryRunKeptMs: number;
}

const published = moveSql('published');
const verified = moveSql('verified');
const mergeDue = moveSql('merge_due');
const failed = moveSql('failed');

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
  const [upload] = await tx.query<FailedUpload>(
    `UPDATE processes SET ${failed.set}, error = $2 WHERE id = $1 AND ${failed.when}
     RETURNING ${failedColumns}`,
    [due.id, JSON.stringify(error)],
  );
  if (upload === undefined) throw new Error(`process ${due.id} was deleted although it is locked`);
  return upload;
};

/** Due publications and merges of some datasets. */
export interface Due {
  readonly published: readonly PublishedVersion[];
  /** Due uploads that must not be published. */
  readonly failed: readonly FailedUpload[];
  /** Due processes that have to be merged with the current version. */
  readonly merges: readonly number[];
  /** Datasets in which more may be due: the caller publishes it in another transaction. */
  readonly rest: readonly number[];
}

/**
 * Rounds of a transaction. An upload that is slow to end may have thousands behind it. Until the transaction ends, new uploads of the
 * dataset wait for its lock, each with a connection to PostgreSQL that other requests need.
 */
const maxRounds = 10;

/** Datasets locked by the transaction, without deleted ones. */
type HeldDatasets = Map<number, HeldDataset>;

/** Reasons why due processes must not be published, in their order. */
const objectionsTo = async (
  tx: Sql,
  processes: readonly DueProcess[],
  held: HeldDatasets,
  findRefusals: FindRefusals,
): Promise<(ProcessError | undefined)[]> => {
  const reasons = await findRefusals(tx, processes);
  const objections: (ProcessError | undefined)[] = [];
  for (const [at, { datasetId, expectedVersionId, vintage }] of processes.entries()) {
    const reason = reasons[at];
    if (vintage !== null && !(await isBeforeAll(tx, datasetId, vintage))) objections.push(otherVintage);
    else if (expectedVersionId !== null && expectedVersionId !== held.get(datasetId)?.current)
      objections.push(otherVersion);
    else objections.push(reason === undefined ? undefined : rightEnded(reason));
  }
  return objections;
};

/** Processes that are first in their datasets: due to be published, or being merged. */
interface Turns {
  /** Locked. */
  readonly due: readonly DueProcess[];
  readonly merging: readonly number[];
  /** Datasets to check again, since their first upload was cancelled between the two statements. */
  readonly unsettled: readonly number[];
  /** Datasets in which other processes wait for the first one. */
  readonly followed: ReadonlySet<number>;
}

const firstSql = prepared(`
  SELECT n.id, n.dataset_id AS "datasetId", n.phase, NOT n.awaits_answer AND ${isUnderstoodSql('n')} AS "mayEnd", EXISTS (
    SELECT FROM processes o WHERE o.dataset_id = n.dataset_id AND ${isInLine('o')} AND o.id > n.id) AS followed
  FROM unnest($1::bigint[]) AS d (id), LATERAL (
    SELECT p.id, p.dataset_id, p.phase, p.awaits_answer, p.needs FROM processes p
    WHERE p.dataset_id = d.id AND ${isInLine('p')} ORDER BY p.id LIMIT 1) AS n`);

interface FirstInLine {
  readonly id: number;
  readonly datasetId: number;
  readonly phase: string;
  /** False: its sender has no answer yet, or its layout needs a newer release. */
  readonly mayEnd: boolean;
  readonly followed: boolean;
}

const dueSql = prepared(`
  SELECT id, dataset_id AS "datasetId", created_by AS "accountId", key_id AS "keyId", phase, attempt, mode,
    layout, facts, merge, expected_version AS "expectedVersionId", dry_run AS "dryRun", vintage
  FROM processes WHERE id = ANY ($1) AND ${published.when} ORDER BY id FOR NO KEY UPDATE`);

/** Finds and locks the first pending process of each dataset. */
const nextTurns = async (tx: Sql, datasetIds: readonly number[]): Promise<Turns> => {
  const first = await tx.query<FirstInLine>(firstSql, [datasetIds]);
  const ready = first.filter(({ phase, mayEnd }) => (phase === 'ready' || phase === 'merged') && mayEnd);
  const merging = first.filter(({ phase }) => phase === 'merge').map(({ id }) => id);
  if (ready.length === 0) return { due: [], merging, unsettled: [], followed: new Set() };
  const due = await tx.query<DueProcess>(dueSql, [ready.map(({ id }) => id)]);
  const locked = new Set(due.map(({ id }) => id));
  return {
    due,
    merging,
    unsettled: ready.filter(({ id }) => !locked.has(id)).map(({ datasetId }) => datasetId),
    followed: new Set(ready.filter(({ followed }) => followed).map(({ datasetId }) => datasetId)),
  };
};

/** Result for the first process of each dataset. */
interface Round {
  readonly publish: DueProcess[];
  readonly failed: FailedUpload[];
  readonly merges: number[];
  readonly checked: DueProcess[];
  /** Versions older than all others of their datasets. */
  readonly vintages: PublishedVersion[];
}

/**
 * Uploads that are merged with the current version as it is now. A repair of that version was counted under the lock of its dataset, and the
 * rows that were merged may be those from before.
 */
const mergedOf = async (
  tx: Sql,
  due: readonly DueProcess[],
  held: HeldDatasets,
): Promise<ReadonlySet<DueProcess>> => {
  const merged = due.filter(
    ({ phase, merge, datasetId }) =>
      phase === 'merged' && merge?.baseVersionId === (held.get(datasetId)?.current ?? null),
  );
  const repairs = await countedRepairs(
    tx,
    merged.flatMap(({ merge }) => merge?.baseVersionId ?? []),
  );
  return new Set(
    merged.filter(({ merge }) => (repairs.get(merge?.baseVersionId ?? 0) ?? 0) === (merge?.baseRepairs ?? 0)),
  );
};

const takeRound = async (
  tx: Sql,
  due: readonly DueProcess[],
  held: HeldDatasets,
  { findRefusals, joinPlainly, dryRunKeptMs }: PublisherOptions,
): Promise<Round> => {
  const round: Round = { publish: [], failed: [], merges: [], checked: [], vintages: [] };
  if (due.length === 0) return round;
  const objections = await objectionsTo(tx, due, held, findRefusals);
  const merged = await mergedOf(tx, due, held);
  const inRepair = await datasetsInRepair(
    tx,
    [...merged].map(({ datasetId }) => datasetId),
  );
  for (const [at, process] of due.entries()) {
    const objection = objections[at];
    if (objection !== undefined) round.failed.push(await failDue(tx, process, objection));
    else if (process.mode !== 'replace' && !merged.has(process)) {
      const merge = await joinPlainly(tx, process);
      if (merge === undefined) round.merges.push(process.id);
      else round.publish.push({ ...process, merge });
    } else if (!inRepair.has(process.datasetId)) {
      // Otherwise the sweep publishes it after the repair, or has it merged again.
      if (process.dryRun) round.checked.push(process);
      else if (process.vintage !== null)
        round.vintages.push(await publishVintage(tx, process, process.vintage));
      else round.publish.push(process);
    }
  }
  if (round.merges.length > 0)
    await tx.query(
      `UPDATE processes SET ${mergeDue.set}, merge = NULL WHERE id = ANY ($1) AND ${mergeDue.when}`,
      [round.merges],
    );
  for (const process of round.checked)
    await endDryRun(tx, process, held.get(process.datasetId)?.current ?? null, dryRunKeptMs);
  return round;
};

/**
 * Publishes in rounds until nothing is due or `maxRounds` is reached. A round has at most one process per dataset. A process that becomes
 * ready meanwhile waits for the lock on the dataset and then publishes itself.
 */
const publishDueIn = async (tx: Sql, held: HeldDatasets, options: PublisherOptions): Promise<Due> => {
  const outcome = {
    published: [] as PublishedVersion[],
    failed: [] as FailedUpload[],
    merges: [] as number[],
  };
  let open: readonly number[] = [...held.keys()];
  for (let rounds = 0; open.length > 0 && rounds < maxRounds; rounds += 1) {
    const { due, merging, unsettled, followed } = await nextTurns(tx, open);
    const round = await takeRound(tx, due, held, options);
    const versions = await publishEach(tx, round.publish);
    for (const { datasetId, versionId } of versions) held.set(datasetId, { current: versionId });
    outcome.published.push(...round.vintages, ...versions);
    outcome.failed.push(...round.failed);
    outcome.merges.push(...merging, ...round.merges);
    const ended = [...versions, ...round.failed, ...round.checked, ...round.vintages];
    const followers = ended.map(({ datasetId }) => datasetId).filter((id) => followed.has(id));
    open = [...followers, ...unsettled];
  }
  return { ...outcome, rest: open };
};

export const createPublisher = (options: PublisherOptions): Publisher => ({
  verified: ({ processId, datasetId, attempt, facts }) =>
    options.sql.tx(async (tx) => {
      const held = await holdDatasets(tx, [datasetId]);
      await tx.query(
        `UPDATE processes SET ${verified.set}, facts = $3 WHERE id = $1 AND attempt = $2 AND ${verified.when}`,
        [processId, attempt, JSON.stringify(facts)],
      );
      return publishDueIn(tx, held, options);
    }),
  storedWhole: (uploads) =>
    options.sql.tx(async (tx) => {
      const held = await holdDatasets(tx, [...new Set(uploads.map(({ datasetId }) => datasetId))]);
      await recordWhole(tx, uploads);
      return publishDueIn(tx, held, options);
    }),
  publishDue: (datasetIds) =>
    options.sql.tx(async (tx) => publishDueIn(tx, await holdDatasets(tx, datasetIds), options)),
});
