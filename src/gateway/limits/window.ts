import type { Rate } from '../../providers/limits.js';

export type Span = 'minute' | 'hour' | 'day';

/** Minutes and hours are sliding windows: usage is counted in buckets, and every bucket that overlaps the window counts. */
const bucketMs = { minute: 10_000, hour: 60_000 } as const;
const spanMs = { minute: 60_000, hour: 3_600_000 } as const;

export interface Window {
  readonly span: Span;
  readonly limit: number;
  /** Start of the bucket of a request sent now. */
  readonly bucket: Date;
  /** Start of the earliest bucket that counts. */
  readonly since: Date;
}

/** Offset of a zone from UTC at an instant, in milliseconds. */
const offsetMs = (zone: string, atMs: number): number => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(atMs / 1000) * 1000;
};

const dayMs = 86_400_000;

/** The instant of local midnight `days` after the local day of `atMs`; correct on days of 23 and 25 hours. */
export const localMidnight = (zone: string, atMs: number, days = 0): number => {
  const localDay = Math.floor((atMs + offsetMs(zone, atMs)) / dayMs) * dayMs + days * dayMs;
  const guess = localDay - offsetMs(zone, localDay);
  // The guess may be on the other side of a change of the clock, so its own offset is used.
  return localDay - offsetMs(zone, guess);
};

const slidingWindow = (span: 'minute' | 'hour', limit: number, nowMs: number): Window => ({
  span,
  limit,
  bucket: new Date(Math.floor(nowMs / bucketMs[span]) * bucketMs[span]),
  since: new Date(nowMs - spanMs[span] - bucketMs[span] + 1),
});

/** Milliseconds between two requests. */
export const spacingOf = ({ perSecond }: Rate): number =>
  perSecond === undefined ? 0 : Math.ceil(1000 / perSecond);

export const windowsOf = (rate: Rate, zone: string, nowMs: number): Window[] => {
  const windows: Window[] = [];
  if (rate.perMinute !== undefined) windows.push(slidingWindow('minute', rate.perMinute, nowMs));
  if (rate.perHour !== undefined) windows.push(slidingWindow('hour', rate.perHour, nowMs));
  if (rate.perDay !== undefined) {
    const midnight = new Date(localMidnight(zone, nowMs));
    windows.push({ span: 'day', limit: rate.perDay, bucket: midnight, since: midnight });
  }
  return windows;
};

/** Time at which the oldest bucket no longer counts. */
export const endOfBucket = (span: Span, bucket: Date, zone: string): number =>
  span === 'day'
    ? localMidnight(zone, bucket.getTime(), 1)
    : bucket.getTime() + bucketMs[span] + spanMs[span];
