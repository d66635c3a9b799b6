/**
 * Loads the vintages of a provider into a dataset made of series, as versions that were current from the days on which the provider
 * published them.
 *
 * Vintages are loaded newest first, one upload at a time, so at any moment the dataset has all versions back to some day, without gaps. A
 * step starts from that day, so it needs no other state after a crash. A vintage that was uploaded twice is refused when it would be
 * published the second time (`other_vintage`).
 *
 * A step requests the next few vintages of every series and uploads them. A step that fails (the upstream's limit, the plan's, a missing
 * key) is retried later, from where it was; the dataset shows the reason.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from '../../jobs/leases.js';
import { AppError, isAppError, messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ProcessView } from '../../model/process.js';
import type { Vintage } from '../../model/version.js';
import type { GatewayCaller } from '../caller.js';
import type { Gateway } from '../gateway.js';
import type { BackfillOutcome, BackfillPlan, BackfillRecords, DueBackfill } from './backfill-records.js';
import { runDueDatasets } from './due-datasets.js';
import { retryWaitMs } from './schedule.js';
import { type SeriesColumn, seriesColumns, seriesCsv } from './series-csv.js';
import type { UnnamedSeries } from './wanted-series.js';

/** Upload of a generated file for an account. */
export interface SeriesUpload {
  readonly datasetId: number;
  readonly accountId: number;
  readonly requestId: string;
  readonly csv: Buffer;
  readonly columns: readonly SeriesColumn[];
}

export interface VintageUpload extends SeriesUpload {
  readonly vintage: Vintage;
}

export interface BackfillsOptions {
  readonly gateway: Pick<Gateway, 'vintageDays' | 'vintages'>;
  readonly records: BackfillRecords;
  readonly upload: (upload: VintageUpload) => Promise<ProcessView>;
  readonly callerOf: (accountId: number) => Promise<GatewayCaller>;
  /** Vintages of one step, at most 100. */
  readonly vintagesPerStep: number;
  readonly leases: Leases;
  readonly log: Log;
}

export interface Backfills {
  /** Days of all vintages of some series, oldest first. @throws AppError 400 for a provider without vintages. */
  days(caller: GatewayCaller, slug: string, series: readonly UnnamedSeries[]): Promise<readonly string[]>;
  /** Vintages to load into a dataset that has no version yet. */
  plan(datasetId: number, days: readonly string[]): Promise<BackfillPlan>;
  /** Starts the backfill of a dataset that is registered as made of series. */
  begin(datasetId: number, plan: BackfillPlan): Promise<void>;
  /** Takes steps until none is due. @returns number of steps */
  runDue(stop: AbortSignal): Promise<number>;
}

/** Approximate limit of the values that a step keeps in memory. */
const valuesPerStep = 500_000;

/** Longest wait for a vintage to be published. */
const publishPatience = { polls: 600, everyMs: 50 } as const;

/** Wait for the first upload, or for a vintage that is not published yet. */
const waitMs = 2_000;

const startOf = (day: string): string => `${day}T00:00:00.000Z`;

/** Positions of the remaining vintages, newest first. */
const leftOf = ({ days }: DueBackfill, firstAt: Date): number[] =>
  days
    .map((day, at) => ({ day, at }))
    .filter(({ day }) => Date.parse(startOf(day)) < firstAt.getTime())
    .map(({ at }) => at)
    .reverse();

/** True if the vintage can precede the dataset's first version, which is being uploaded now. */
const isPast = (day: string, nowMs: number): boolean => Date.parse(startOf(day)) < nowMs;

export const createBackfills = (options: BackfillsOptions): Backfills => {
  const { gateway, records, upload, callerOf, vintagesPerStep, leases, log } = options;
  const after = (ms: number): Date => new Date(Date.now() + ms);

  /** Waits for an upload to be published. @returns false if it is still pending; the next step checks again */
  const isPublished = async (processId: number, stop: AbortSignal): Promise<boolean> => {
    for (let poll = 0; poll < publishPatience.polls && !stop.aborted; poll += 1) {
      const ended = await records.ended(processId);
      if (ended?.error === null) return true;
      if (ended !== undefined) throw new AppError('conflict', 'vintage_failed', ended.error);
      await sleep(publishPatience.everyMs);
    }
    return false;
  };

  /** Uploads vintages, newest first. @returns the number that became versions */
  const uploadVintages = async (
    backfill: DueBackfill,
    firstAt: Date,
    places: readonly number[],
    stop: AbortSignal,
  ): Promise<number> => {
    const { datasetId, accountId, provider, versionIds, withFlags } = backfill;
    const dayAt = (at: number): string => backfill.days[at] ?? '';
    const caller = await callerOf(accountId);
    const days = places.map(dayAt).reverse();
    const series: { name: string; on: Awaited<ReturnType<Gateway['vintages']>> }[] = [];
    for (const { name, id, params } of backfill.series) {
      stop.throwIfAborted();
      series.push({ name, on: await gateway.vintages(caller, provider, id, { params, days }) });
    }
    let validUntil = firstAt.toISOString();
    for (const [published, at] of places.entries()) {
      const day = dayAt(at);
      const csv = seriesCsv(
        series.map(({ name, on }) => ({ name, data: on(day) })),
        withFlags,
      );
      stop.throwIfAborted();
      const validFrom = startOf(day);
      const process = await upload({
        datasetId,
        accountId,
        requestId: `backfill-${datasetId}-${randomUUID()}`,
        csv,
        columns: seriesColumns(withFlags),
        vintage: { versionId: versionIds[at] ?? 0, validFrom, validUntil },
      });
      if (!(await isPublished(process.id, stop))) return published;
      validUntil = validFrom;
    }
    return places.length;
  };

  const step = async (backfill: DueBackfill, stop: AbortSignal): Promise<BackfillOutcome> => {
    const { firstAt, firstError, room, rows, isUploading } = backfill;
    if (firstError !== null) throw new AppError('conflict', 'no_version', firstError);
    if (firstAt === null || isUploading) return { skipped: 0, error: null, nextAt: after(waitMs) };
    const left = leftOf(backfill, firstAt);
    const wanted = left.slice(0, room === null ? left.length : Math.max(0, room));
    if (wanted.length === 0) return { skipped: left.length, error: null, nextAt: null };
    const most = Math.max(1, Math.min(vintagesPerStep, Math.floor(valuesPerStep / Math.max(1, rows))));
    const places = wanted.slice(0, most);
    const published = await uploadVintages(backfill, firstAt, places, stop);
    return { skipped: 0, error: null, nextAt: after(published === places.length ? 0 : waitMs) };
  };

  const failureOf = ({ datasetId, failures }: DueBackfill, error: unknown): BackfillOutcome => {
    if (!isAppError(error)) log.error({ err: error, dataset: datasetId }, 'backfill broken off');
    const message = isAppError(error) ? error.message : 'The step failed.';
    log.warn({ dataset: datasetId, reason: messageOf(error) }, 'backfill failed');
    const retryAfterSeconds = isAppError(error) ? error.retryAfterSeconds : undefined;
    return { skipped: 0, error: message, nextAt: after(retryWaitMs(failures + 1, retryAfterSeconds)) };
  };

  return {
    async days(caller, slug, series) {
      const all = new Set<string>();
      for (const id of new Set(series.map((one) => one.id)))
        for (const day of await gateway.vintageDays(caller, slug, id)) all.add(day);
      return [...all].filter((day) => isPast(day, Date.now())).sort();
    },
    async plan(datasetId, days) {
      const kept = await records.kept(datasetId);
      // The current version counts among the kept ones.
      const chosen = kept === null ? days : days.slice(Math.max(0, days.length - (kept - 1)));
      return {
        days: chosen,
        versionIds: await records.reserveVersions(chosen.length),
        skipped: days.length - chosen.length,
      };
    },
    begin: (datasetId, plan) => records.insert(datasetId, plan),
    runDue: (stop) => runDueDatasets({ records, leases, kind: 'backfill', run: step, failureOf }, stop),
  };
};
