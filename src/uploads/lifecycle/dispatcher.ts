/**
 * Records the outcomes of steps and acts on them. Only the dispatcher fails an upload, publishes, or starts a replay or a
 * merge; steps are independent of each other.
 */
import type { Leases } from '../../jobs/leases.js';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ProcessError, ProcessPhase } from '../../model/process.js';
import { beyondCount } from './bad-row-limits.js';
import type { ChunkRecords, WholeUpload } from './chunk-records.js';
import type { MergeRecords } from './merge-records.js';
import type { Outcome, Settled, Step } from './outcome.js';
import type { ProcessRecords, UploadState } from './process-records.js';
import type { PublishedVersion } from './publication.js';
import type { Due, Publisher } from './publisher.js';
import {
  type FailedUpload,
  logFailed,
  type ProcessInDataset,
  type TransitionRecords,
} from './transition-records.js';
import { type Event, transitionOf } from './transitions.js';

export interface Dispatcher {
  /** Records the outcome of a step and acts on it. */
  settle(state: UploadState, outcome: Outcome): Promise<Settled>;
  /** Records that uploads of one chunk each are stored and counted, and publishes what is due. */
  settleWhole(uploads: readonly WholeUpload[]): Promise<void>;
  /** Continues a process in the background from its current phase, unless a worker does so already. */
  resume(processId: number): void;
  /** Fails a pending process and publishes what waited for it. Returns false if it had ended before. */
  fail(process: ProcessInDataset, error: ProcessError): Promise<boolean>;
  /** Publishes what is due in a dataset. */
  publish(datasetId: number): Promise<void>;
  /** Reports an upload that a sweep has failed. */
  announceFailed(upload: FailedUpload): void;
  /** Starts no further work; resolves when the background work has ended. */
  close(): Promise<void>;
}

export interface DispatcherOptions {
  readonly processes: Pick<ProcessRecords, 'state'>;
  readonly transitions: TransitionRecords;
  readonly publisher: Publisher;
  /** Steps of a worker. Absent: this process only publishes, and the sweeps of workers do everything else. */
  readonly work?: DispatcherWork;
  readonly onPublished: (version: PublishedVersion) => void;
  readonly onFailed: (upload: FailedUpload) => void;
  readonly log: Log;
}

export interface DispatcherWork {
  readonly chunks: ChunkRecords;
  readonly merges: MergeRecords;
  readonly leases: Leases;
  /** Counts the segment of an attempt whose chunks are all stored. */
  readonly verify: (state: UploadState) => Promise<Outcome>;
  /** Background steps by phase. */
  readonly steps: Readonly<Partial<Record<ProcessPhase, Step>>>;
}

export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { processes, transitions, publisher, work, onPublished, onFailed, log } = options;
  const running = new Map<number, Promise<void>>();
  /** Processes that were resumed while they ran, and run once more. */
  const resumedAgain = new Set<number>();
  let closing = false;

  const requireWork = (): DispatcherWork => {
    if (work === undefined) throw new Error('only workers run steps of uploads');
    return work;
  };

  const announceFailed = (upload: FailedUpload): void => {
    onFailed(upload);
    logFailed(log, upload);
  };

  const announce = ({ published, failed, merges }: Due): void => {
    for (const version of published) {
      onPublished(version);
      const { processId, datasetId, versionId, rows } = version;
      log.info({ process: processId, dataset: datasetId, version: versionId, rows }, 'version published');
    }
    for (const upload of failed) announceFailed(upload);
    for (const processId of merges) resume(processId);
  };

  /** Publishes what a transaction has left as well. If this process dies, the sweep of another one continues. */
  const finish = async (first: Due): Promise<void> => {
    for (let due = first; ; due = await publisher.publishDue(due.rest)) {
      announce(due);
      if (due.rest.length === 0) return;
    }
  };

  const publish = async (datasetId: number): Promise<void> => finish(await publisher.publishDue([datasetId]));

  /**
   * Publishes after an event that is recorded. A failure is left to the sweep: a chunk that is handled must not hold up those behind it, of
   * other datasets, while this dataset is locked.
   */
  const publishOrLeave = (datasetId: number): Promise<void> =>
    publish(datasetId).catch((error: unknown) =>
      log.warn({ err: error, dataset: datasetId, reason: messageOf(error) }, 'publication left to the sweep'),
    );

  const fail = async ({ processId, datasetId }: ProcessInDataset, error: ProcessError): Promise<boolean> => {
    const failed = await transitions.fail(processId, error);
    if (failed !== undefined) announceFailed(failed);
    await follow('failed', { processId, datasetId });
    return failed !== undefined;
  };

  /** Acts on an event that was recorded. */
  const follow = async (event: Event, { processId, datasetId }: ProcessInDataset): Promise<Settled> => {
    const { next } = transitionOf(event);
    if (next === 'reread') return 'reread';
    if (next === 'publish') await publishOrLeave(datasetId);
    if (next === 'resume') resume(processId);
    return 'over';
  };

  const verify = async (state: UploadState): Promise<Settled> =>
    state.insertedChunks === state.chunkCount
      ? settle(state, await requireWork().verify(state))
      : 'next_chunk';

  const settleStored = async (
    state: UploadState,
    outcome: Extract<Outcome, { kind: 'stored' | 'too_many_bad_rows' }>,
  ): Promise<Settled> => {
    const { chunks } = requireWork();
    const { layout } = outcome;
    const after =
      outcome.kind === 'stored'
        ? await chunks.recordStored(outcome.chunk, outcome.position, state.attempt, outcome.stored)
        : await chunks.recordRejects(state.processId, state.attempt, outcome.rejects);
    if (after === undefined) return 'reread';
    const error = beyondCount(after, layout);
    return error === undefined ? verify(after) : settle(after, { kind: 'fail', error });
  };

  const settle = async (state: UploadState, outcome: Outcome): Promise<Settled> => {
    const { processId, datasetId, attempt } = state;
    switch (outcome.kind) {
      case 'done':
        return 'over';
      case 'reread':
        return 'reread';
      case 'publish':
        await publishOrLeave(datasetId);
        return 'over';
      case 'resume':
        resume(processId);
        return 'over';
      case 'fail':
        await fail(state, outcome.error);
        return 'over';
      case 'stored':
      case 'too_many_bad_rows':
        return settleStored(state, outcome);
      case 'all_stored':
        return verify(state);
      case 'verified':
        await finish(await publisher.verified({ processId, datasetId, attempt, facts: outcome.facts }));
        return 'over';
      case 'misfit':
      case 'deferred':
        await transitions.collect(outcome.kind, processId, attempt);
        return follow(outcome.kind, state);
      case 'resolved':
      case 'miscounted':
      case 'repeated':
        await transitions.nextAttempt(outcome.kind, processId, attempt, outcome.layout, outcome.notices);
        return follow(outcome.kind, state);
      case 'rebased':
        await requireWork().merges.rebase(processId, outcome.layout);
        return follow('rebased', state);
      case 'merged':
        await requireWork().merges.finish(processId, outcome.outcome, outcome.number);
        return follow('merged', state);
      default: {
        const unknown: never = outcome;
        throw new Error(`unknown outcome ${String(unknown)}`);
      }
    }
  };

  /** Takes steps until none is due in the background. */
  const takeSteps = async (
    processId: number,
    { steps }: DispatcherWork,
    lost: AbortSignal,
  ): Promise<void> => {
    while (!closing && !lost.aborted) {
      const state = await processes.state(processId);
      if (state === undefined || state.status !== 'pending' || !state.isUnderstood) return;
      const step = steps[state.phase];
      if (step === undefined) return;
      const context = {
        settle: (outcome: Outcome) => settle(state, outcome),
        stopping: () => closing,
      };
      if ((await settle(state, await step(state, context))) !== 'reread') return;
    }
  };

  const run = async (processId: number, tasks: DispatcherWork): Promise<void> => {
    try {
      do await tasks.leases.whileHeld('upload', processId, (lost) => takeSteps(processId, tasks, lost));
      while (resumedAgain.delete(processId) && !closing);
    } catch (error) {
      // The sweep starts it again.
      log.warn({ err: error, process: processId, reason: messageOf(error) }, 'work on an upload broken off');
    }
  };

  const resume = (processId: number): void => {
    if (work === undefined || closing) return;
    if (running.has(processId)) {
      resumedAgain.add(processId);
      return;
    }
    const ended = run(processId, work).finally(() => {
      running.delete(processId);
      resumedAgain.delete(processId);
    });
    running.set(processId, ended);
  };

  return {
    settle,
    settleWhole: async (uploads) => finish(await publisher.storedWhole(uploads)),
    resume,
    fail,
    publish,
    announceFailed,
    async close() {
      closing = true;
      await Promise.all(running.values());
    },
  };
};
