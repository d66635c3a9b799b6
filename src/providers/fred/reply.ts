import { z } from 'zod';
import { AppError, invalid, isAppError } from '../../lib/errors.js';
import { readErrorReply } from '../error-reply.js';
import { keyRefused, refusedRequest, seriesNotFound, unknownPath, upstreamFailed } from '../errors.js';
import { toMetadata } from '../metadata.js';
import type { Item, SeriesMetadata, UpstreamReply, UpstreamRequest } from '../provider.js';
import { count, day, filled } from '../shape.js';

export const named = { slug: 'fred', name: 'FRED' };

const seriesEntry = z.object({
  id: z.string().min(1),
  title: z.string(),
  observation_start: day.nullish(),
  observation_end: day.nullish(),
  frequency: z.string().nullish(),
  units: z.string().nullish(),
  seasonal_adjustment: z.string().nullish(),
  last_updated: z.string().nullish(),
  notes: z.string().nullish(),
});

export type SeriesEntry = z.output<typeof seriesEntry>;

/** The member is spelled `seriess`; `series` has no `count`. */
export const seriesReply = z.object({ seriess: z.array(seriesEntry).min(1) });
export const seriesList = z.object({ count, seriess: z.array(seriesEntry) });

export const toItem = (entry: SeriesEntry, path?: readonly string[]): Item => ({
  id: entry.id,
  label: filled(entry.title) ?? entry.id,
  frequency: entry.frequency || undefined,
  units: entry.units || undefined,
  description: filled(entry.notes),
  path,
});

/** Converts `2024-10-30 07:54:01-05`, with the zone in hours only, to ISO 8601. */
const isoTime = (text: string): string =>
  text.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})([+-]\d{2})$/, '$1T$2$3:00');

export const describe = (entry: SeriesEntry): SeriesMetadata =>
  toMetadata({
    frequency: entry.frequency,
    units: entry.units,
    seasonal_adjustment: entry.seasonal_adjustment,
    last_update: isoTime(entry.last_updated ?? ''),
    observation_start: entry.observation_start,
    observation_end: entry.observation_end,
    notes: filled(entry.notes),
  });

const errorBody = z.object({ error_code: z.number(), error_message: z.string() });

/** 404: the series had no values yet on that day. */
export const notPublished = (seriesId: string, day: string): AppError =>
  new AppError(
    'not_found',
    'series_not_found',
    `Nothing of '${seriesId}' of ${named.name} was published by ${day}.`,
    { details: { provider: named.slug, seriesId, publishedBy: day } },
  );

export const isNotPublished = (error: unknown): boolean =>
  isAppError(error) && error.details?.publishedBy !== undefined;

/** ALFRED refuses days before the first vintage of a series, and series that it does not archive. */
const notArchived = (query: UpstreamRequest['query']): AppError => {
  const seriesId = String(query?.series_id);
  if (query?.realtime_end !== undefined) return notPublished(seriesId, String(query.realtime_end));
  return invalid('no_vintages', `${named.name} keeps no vintages of '${seriesId}'.`, {
    provider: named.slug,
    seriesId,
  });
};

/** Unknown series and refused keys are both HTTP 400 and differ only in the message. */
export const explain = (reply: UpstreamReply, { query, base }: UpstreamRequest): Error | undefined => {
  if (base === 'public') return reply.status === 404 ? seriesNotFound(named, String(query?.id)) : undefined;
  // Refused keys are HTTP 400, so this is not about the key.
  if (reply.status === 401 || reply.status === 403) return upstreamFailed(named, 'Access was refused.');
  if (reply.status !== 400) return undefined;
  const message = readErrorReply(errorBody, reply)?.error_message;
  if (message === undefined) return undefined;
  const detail = message
    .replace(/^Bad Request\.\s*/, '')
    .replace(/\s*Read https?:.*$/, '')
    .trim();
  if (/api_key/.test(detail)) return keyRefused(named, detail);
  if (/does not exist in ALFRED/i.test(detail)) return notArchived(query);
  if (/series does not exist|variable series_id/i.test(detail)) {
    return seriesNotFound(named, String(query?.series_id));
  }
  if (/category does not exist|variable category_id/i.test(detail)) {
    return unknownPath(named, [String(query?.category_id)]);
  }
  return refusedRequest(named, detail);
};
