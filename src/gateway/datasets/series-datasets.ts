import { createHash, randomUUID } from 'node:crypto';
import type { Leases } from '../../jobs/leases.js';
import { AppError, invalid, isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { nameProblem } from '../../model/names.js';
import type { ProcessView } from '../../model/process.js';
import { unexpectedReply } from '../../providers/errors.js';
import type { GatewayCaller } from '../caller.js';
import type { Gateway } from '../gateway.js';
import type { Backfills, SeriesUpload } from './backfill.js';
import { fetchContent, type Wanted } from './content.js';
import { type DescribedAnswer, describeSeries } from './described-series.js';
import { runDueDatasets } from './due-datasets.js';
import { nextRunOf, parseSchedule, retryWaitMs } from './schedule.js';
import type { DueRun, RunOutcome, SeriesDatasetRecords, UpdateMarks } from './series-dataset-records.js';
import { marksToKeep, readMarks, sameMarks } from './update-marks.js';
import { nameSeries, type UnnamedSeries, withChosenStart } from './wanted-series.js';

export interface SeriesDatasetsOptions {
  readonly gateway: Pick<Gateway, 'fullSeries' | 'panel' | 'detail' | 'lastUpdate'>;
  readonly records: SeriesDatasetRecords;
  /**
   * Receives a file like one of a client.
   * @throws AppError 403 or 404 if the account may no longer write to the dataset.
   */
  readonly upload: (upload: SeriesUpload) => Promise<ProcessView>;
  /** Returns the caller of an account that acts without a request. */
  readonly callerOf: (accountId: number) => Promise<GatewayCaller>;
  readonly backfills: Pick<Backfills, 'days' | 'plan' | 'begin'>;
  readonly onRun: (outcome: 'changed' | 'unchanged' | 'failed') => void;
  readonly leases: Leases;
  readonly log: Log;
}

export interface SeriesDatasetRequest {
  readonly slug: string;
  readonly series: readonly UnnamedSeries[];
  readonly refresh: string | null;
  /** True: the dataset has a column for the flags of the observations. */
  readonly withFlags: boolean;
  /** True: the only id and its parameters name several series. */
  readonly isPanel: boolean;
  /** True: the provider's own vintages become versions. */
  readonly backfill: boolean;
  readonly name: string | undefined;
  readonly description: string | null | undefined;
}

/** Name and description of a dataset made of series. */
export interface SeriesDatasetText {
  readonly name: string;
  readonly description: string | null;
  readonly sourceName: string;
}

/** Creates the new dataset in the caller's repository. */
export interface DatasetCreation {
  create(text: SeriesDatasetText): Promise<{ readonly id: number }>;
  /** Removes the dataset if its data could not be uploaded. */
  remove(datasetId: number): Promise<void>;
}

/** Datasets whose rows are series of a provider; their versions are the vintages of the series. */
export interface SeriesDatasets {
  /** Requests the series first: without data no dataset is created. */
  create(
    caller: GatewayCaller & { readonly accountId: number },
    request: SeriesDatasetRequest,
    creation: DatasetCreation,
    requestId: string,
  ): Promise<{ readonly datasetId: number; readonly process: ProcessView }>;
  /** Sets another schedule, or none. @throws AppError 400, 404. */
  reschedule(datasetId: number, refresh: string | null): Promise<void>;
  /** Makes a run due now. @throws AppError 404. */
  refreshSoon(datasetId: number): Promise<void>;
  /** Runs refreshes until none is due. @returns the number of runs */
  runDue(stop: AbortSignal): Promise<number>;
}

/** Most refreshes that one process runs concurrently. */
const runsAtOnce = 2;

const hashOf = (csv: Buffer): Buffer => createHash('sha256').update(csv).digest();

/** Kinds of transient errors, which are retried soon; others wait for the next scheduled run. */
const passing = new Set(['rate_limited', 'upstream', 'timeout', 'unavailable', 'unexpected']);

/** Name of the dataset, from a label of the upstream. */
const nameOf = (answers: readonly DescribedAnswer[]): string => {
  const [first, ...more] = answers;
  const label = (first?.label ?? '').replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ');
  const cut = [...label.trim()].slice(0, 200).join('').trim();
  const name = cut === '' || nameProblem(cut) !== undefined ? (first?.seriesId ?? 'Series') : cut;
  return more.length === 0 ? name : `${name} and ${more.length} more`;
};

export const createSeriesDatasets = (options: SeriesDatasetsOptions): SeriesDatasets => {
  const { gateway, records, upload, callerOf, backfills, onRun, log, leases } = options;

  const nextRun = (schedule: string | null, datasetId: number): Date | null => {
    const time = schedule === null ? undefined : nextRunOf(schedule, datasetId, Date.now());
    return time === undefined ? null : new Date(time);
  };

  const scheduleOf = (refresh: string | null): string | null =>
    refresh === null || refresh.trim() === '' ? null : parseSchedule(refresh);

  /** Reads the update marks. Called before the values are read, so that the next run detects an update in between. */
  const fetchMarks = (
    caller: GatewayCaller,
    { slug, series }: Pick<Wanted, 'slug' | 'series'>,
  ): Promise<UpdateMarks> => readMarks(gateway, caller, { slug, series, nowMs: Date.now() });

  const refresh = async (run: DueRun, stop: AbortSignal): Promise<RunOutcome> => {
    const { datasetId, accountId, provider: slug } = run;
    const caller = await callerOf(accountId);
    const marks = await fetchMarks(caller, { ...run, slug });
    if (run.contentHash !== null && !run.uploadFailed && sameMarks(run.updateMarks, marks)) {
      return { nextRunAt: nextRun(run.schedule, datasetId), error: null };
    }
    const content = await fetchContent(gateway, caller, { ...run, slug }, stop);
    const { answers, csv, columns, hasRows } = content;
    if (answers.some(({ stale }) => stale)) {
      throw new AppError(
        'upstream',
        'upstream_down',
        'The provider could not be reached; its last response is stale.',
      );
    }
    const nextRunAt = nextRun(run.schedule, datasetId);
    const updateMarks = marksToKeep(marks, answers);
    const contentHash = hashOf(csv);
    const source = await gateway.detail(caller, slug);
    // Empty content always has the same hash. A version without rows would look as if they had been deleted.
    if (!hasRows && run.contentHash?.equals(contentHash) === false) {
      throw unexpectedReply(source, 'no observations, although there were some before');
    }
    const described = describeSeries(source, answers);
    if (run.contentHash?.equals(contentHash) === true && !run.uploadFailed) {
      return { nextRunAt, error: null, described, updateMarks };
    }
    stop.throwIfAborted();
    const requestId = `refresh-${datasetId}-${randomUUID()}`;
    const process = await upload({ datasetId, accountId, requestId, csv, columns });
    const uploaded = { contentHash, processId: process.id };
    return { nextRunAt, error: null, described, updateMarks, upload: uploaded };
  };

  const outcomeOf = (run: DueRun, error: unknown): RunOutcome => {
    const regular = nextRun(run.schedule, run.datasetId);
    if (!isAppError(error)) log.error({ err: error, dataset: run.datasetId }, 'refresh broken off');
    const message = isAppError(error) ? error.message : 'The refresh failed.';
    if (isAppError(error) && !passing.has(error.kind)) return { nextRunAt: regular, error: message };
    const waitMs = retryWaitMs(run.failures + 1, isAppError(error) ? error.retryAfterSeconds : undefined);
    const soon = new Date(Date.now() + waitMs);
    return { nextRunAt: regular !== null && regular < soon ? regular : soon, error: message };
  };

  const dueRefreshes = {
    records,
    leases,
    kind: 'refresh',
    async run(due: DueRun, stop: AbortSignal): Promise<RunOutcome> {
      const outcome = await refresh(due, stop);
      onRun(outcome.upload === undefined ? 'unchanged' : 'changed');
      return outcome;
    },
    failureOf(due: DueRun, error: unknown, unrecorded?: RunOutcome): RunOutcome {
      const { upload } = unrecorded ?? {};
      const outcome = { ...outcomeOf(due, error), ...(upload && { upload }) };
      onRun('failed');
      const { datasetId: dataset, provider } = due;
      log.warn({ dataset, provider, reason: outcome.error }, 'refresh failed');
      return outcome;
    },
  } as const;

  return {
    async create(caller, request, creation, requestId) {
      const schedule = scheduleOf(request.refresh);
      const source = await gateway.detail(caller, request.slug);
      const { slug, name, attribution } = source;
      if (
        request.backfill &&
        (request.isPanel || request.series.some(({ params }) => params.asOf ?? params.realtimeStart))
      ) {
        const other = request.isPanel ? 'panel' : 'asOf';
        throw invalid('invalid_parameter', `'${other}' and 'backfill' do not go together.`, {
          parameter: other,
        });
      }
      const days = request.backfill ? await backfills.days(caller, slug, request.series) : undefined;
      const series = nameSeries(request.series);
      const marks = schedule === null ? [] : await fetchMarks(caller, { ...request, series });
      const { answers, csv, columns } = await fetchContent(gateway, caller, { ...request, series });
      const { id: datasetId } = await creation.create({
        name: request.name ?? nameOf(answers),
        description: request.description ?? attribution ?? null,
        sourceName: name,
      });
      try {
        // The ids of vintages must be lower than that of the first upload.
        const plan = days && (await backfills.plan(datasetId, days));
        const process = await upload({ datasetId, accountId: caller.accountId, requestId, csv, columns });
        await records.insert({
          datasetId,
          accountId: caller.accountId,
          provider: slug,
          series: withChosenStart(series, answers),
          withFlags: request.withFlags,
          isPanel: request.isPanel,
          schedule,
          nextRunAt: nextRun(schedule, datasetId),
          contentHash: hashOf(csv),
          processId: process.id,
          described: describeSeries(source, answers),
          updateMarks: marksToKeep(marks, answers),
        });
        if (plan !== undefined) await backfills.begin(datasetId, plan);
        return { datasetId, process };
      } catch (error) {
        await creation.remove(datasetId);
        throw error;
      }
    },
    async reschedule(datasetId, wanted) {
      const schedule = scheduleOf(wanted);
      await records.schedule(datasetId, schedule, nextRun(schedule, datasetId));
    },
    refreshSoon: (datasetId) => records.refreshSoon(datasetId),
    async runDue(stop) {
      const runs = await Promise.all(
        Array.from({ length: runsAtOnce }, () => runDueDatasets(dueRefreshes, stop)),
      );
      return runs.reduce((sum, count) => sum + count, 0);
    },
  };
};
