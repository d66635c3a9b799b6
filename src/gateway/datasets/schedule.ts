import { createHash } from 'node:crypto';
import { invalid } from '../../lib/errors.js';
import { nextTime, parseCron } from './cron.js';

/**
 * Schedule of a dataset made of series: `daily`, `weekly`, or five fields of cron in UTC. Each dataset has a fixed jitter, so that a
 * thousand daily ones do not send requests to an upstream in the same minute.
 */
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** Maximum delay of a dataset with a cron schedule. */
const jitterMs = 5 * 60_000;

/** Number from 0 to below 1, always the same for a dataset. */
const shareOf = (datasetId: number): number =>
  createHash('sha256').update(`refresh ${datasetId}`).digest().readUInt32BE() / 2 ** 32;

const periods: Readonly<Record<string, number>> = { daily: dayMs, weekly: weekMs };

/** Normalizes a schedule. @throws AppError `invalid` for other texts, and for schedules of more than once an hour. */
export const parseSchedule = (text: string): string => {
  const schedule = text.trim().replace(/\s+/g, ' ');
  if (schedule.toLowerCase() in periods) return schedule.toLowerCase();
  if (!/\s/.test(schedule)) {
    throw invalid('invalid_schedule', `'refresh' must be daily, weekly or five fields of cron (UTC).`);
  }
  if (parseCron(schedule).minutes.size > 1) {
    throw invalid('invalid_schedule', `'refresh' must not be more often than once an hour.`);
  }
  return schedule;
};

/** The next run after a time, both in milliseconds since the epoch; undefined: never. */
export const nextRunOf = (schedule: string, datasetId: number, afterMs: number): number | undefined => {
  const share = shareOf(datasetId);
  const period = periods[schedule];
  if (period === undefined) {
    // The scheduled time must be later before the jitter is added; otherwise a run could happen twice.
    const time = nextTime(parseCron(schedule), afterMs);
    return time === undefined ? undefined : time + Math.floor(share * jitterMs);
  }
  const offset = Math.floor(share * period);
  return Math.floor((afterMs - offset) / period + 1) * period + offset;
};

const firstRetryMs = 10 * 60_000;
const longestRetryMs = 6 * hourMs;

/** Wait after failed runs in a row. A time that the upstream names is used. */
export const retryWaitMs = (failures: number, retryAfterSeconds: number | undefined): number =>
  Math.max(
    Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1)),
    (retryAfterSeconds ?? 0) * 1_000,
  );
