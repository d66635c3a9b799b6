import { z } from 'zod';
import { invalid } from '../../lib/errors.js';
import { parsePeriod } from '../dates.js';
import { readErrorReply } from '../error-reply.js';
import {
  malformedSeriesId,
  seriesNotFound,
  unexpectedReply,
  unknownPath,
  upstreamFailed,
} from '../errors.js';
import { loadPart, pageOf } from '../listing.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Context, Item, Provider, SeriesData, UpstreamReply, UpstreamRequest } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import { capitalised, count, readShape, requireValue, trimmed, written } from '../shape.js';
import { titledLines } from '../titled-lines.js';
import { unitOfPrice } from '../units.js';
import { databases, listedDatabases } from './databases.js';

const named = { slug: 'bankofjapan', name: 'Bank of Japan' };
const seriesIdPlaceholder = 'FM08/FXERD01';
const idForm = /^([A-Z]{2,3}\d{0,2})\/([\w@.+-]{1,60})$/;

const about = {
  SERIES_CODE: trimmed,
  NAME_OF_TIME_SERIES: trimmed,
  UNIT: trimmed,
  FREQUENCY: trimmed,
};

const dataReply = z.object({
  NEXTPOSITION: count.nullish(),
  RESULTSET: z
    .array(
      z.object({
        ...about,
        CATEGORY: trimmed.nullish(),
        LAST_UPDATE: count.nullish(),
        VALUES: z.object({ SURVEY_DATES: z.array(count), VALUES: z.array(written) }),
      }),
    )
    .length(1),
});

/** The list of series also contains headings, which have no code. */
const seriesList = z.object({ RESULTSET: z.array(z.object({ ...about, NOTES: trimmed.nullish() })) });

const errorReply = z.object({ STATUS: z.number(), MESSAGEID: z.string(), MESSAGE: z.string() });

/** Ids of messages about an unknown or malformed code, and about a code without data. */
const unknownCodes: ReadonlySet<string> = new Set(['M181001E', 'M181013E', 'M181030I']);
const unknownDatabase = 'M181005E';

/** Errors have an HTTP error status or 200; the status in the body decides. */
const explain = (reply: UpstreamReply, { path, query = {} }: UpstreamRequest): Error | undefined => {
  const error = readErrorReply(errorReply, reply);
  if (error === undefined || (error.STATUS === 200 && !unknownCodes.has(error.MESSAGEID))) return undefined;
  const [db, code] = [String(query.db), String(query.code)];
  const isData = path[0] === 'getDataCode';
  if (error.MESSAGEID === unknownDatabase && !isData) return unknownPath(named, [db]);
  if (isData && (error.MESSAGEID === unknownDatabase || unknownCodes.has(error.MESSAGEID))) {
    return seriesNotFound(named, `${db}/${code}`);
  }
  return upstreamFailed(named, error.MESSAGE);
};

/** Letters of SDMX for the parts of a year in quarterly and semiannual series. */
const partOfYear: Readonly<Record<string, string>> = { QUARTERLY: 'Q', SEMIANNUAL: 'S' };

/** `20250106`, `202501` as a month or as the first quarter or half-year, `2025`. */
const dateOf = (digits: string, frequency: string): string | undefined => {
  const [year, rest] = [digits.slice(0, 4), digits.slice(4)];
  if (frequency === 'DAILY' || frequency.startsWith('WEEKLY')) {
    return parsePeriod(`${year}-${rest.slice(0, 2)}-${rest.slice(2)}`);
  }
  if (frequency === 'MONTHLY') return parsePeriod(`${year}-${rest}`);
  if (frequency === 'ANNUAL') return parsePeriod(digits);
  const part = partOfYear[frequency];
  return part === undefined ? undefined : parsePeriod(`${year}-${part}${Number(rest)}`);
};

const frequencyOf = (code: string): string => capitalised(code.replace(/\(.*/, '').toLowerCase());

/** The dates do not distinguish years and half-years that start in April from others. */
const isFiscal = (frequency: string): boolean => /^(?:SEMI)?ANNUAL\(/.test(frequency);

/** A series is returned whole. It is cached, so that preview and every range share one request. */
const fetchSeries = async (seriesId: string, { http }: Context): Promise<SeriesData> => {
  const [, db, code] = idForm.exec(seriesId) ?? [];
  if (db === undefined || code === undefined || !databases.has(db)) {
    throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
  }
  const query = { format: 'json', lang: 'en', db, code };
  const payload = await http.json({ path: ['getDataCode'], query, keep: 'series' });
  const { NEXTPOSITION: next, RESULTSET } = readShape(named, dataReply, payload);
  const [series] = RESULTSET;
  // Pages end between series, so a single series has no second page.
  if (series === undefined || next != null) throw unexpectedReply(named, 'a part of a series');
  if (series.SERIES_CODE.toUpperCase() !== code.toUpperCase()) throw unexpectedReply(named, 'another series');
  if (isFiscal(series.FREQUENCY)) {
    throw invalid(
      'operation_not_supported',
      `'${seriesId}' of ${named.name} has fiscal years or half-years, which are not supported: its dates do not say when they begin.`,
      { provider: named.slug, seriesId },
    );
  }
  const { SURVEY_DATES: dates, VALUES: values } = series.VALUES;
  if (dates.length !== values.length) throw unexpectedReply(named, 'more dates than values');
  return {
    label: series.NAME_OF_TIME_SERIES || seriesId,
    metadata: toMetadata({
      frequency: frequencyOf(series.FREQUENCY),
      ...unitOfPrice(series.UNIT),
      source: 'Bank of Japan',
      category: series.CATEGORY,
      last_update: dateOf(String(series.LAST_UPDATE ?? ''), 'DAILY'),
    }),
    data: dates.map((date, index) => ({
      date: requireValue(named, 'a date', dateOf(String(date), series.FREQUENCY)),
      ...readValue(values[index]),
    })),
  };
};

const listSeries = async (db: string, { http }: Context): Promise<Item[]> => {
  const payload = await http.json({
    path: ['getMetadata'],
    query: { format: 'json', lang: 'en', db },
    keep: 'list',
  });
  return readShape(named, seriesList, payload)
    .RESULTSET.filter(({ SERIES_CODE: code, FREQUENCY }) => code !== '' && !isFiscal(FREQUENCY))
    .map((series) => ({
      id: `${db}/${series.SERIES_CODE}`,
      label: series.NAME_OF_TIME_SERIES || series.SERIES_CODE,
      path: [db],
      frequency: frequencyOf(series.FREQUENCY),
      units: series.UNIT,
    }));
};

const folders = [...databases].map(([segment, label]) => ({ segment, label, leaf: true }));

/**
 * Time-Series Data Search: databases, each with its series; an id is `DATABASE/CODE`.
 * Manual: https://www.stat-search.boj.or.jp/info/api_manual_en.pdf
 */
export const bankOfJapan: Provider = {
  ...named,
  provider: 'Bank of Japan',
  description:
    'Interest rates, call rate, exchange rates of the yen, monetary base, money stock, corporate prices (CGPI), TANKAN, flow of funds and balance of payments of Japan.',
  capabilities: ['hierarchical', 'search', 'direct'],
  license: 'Bank of Japan, notice on the API: https://www.stat-search.boj.or.jp/info/api_notice_en.pdf',
  attribution:
    'This service uses the API of the Bank of Japan Time-Series Data Search site. Its contents are not guaranteed by the Bank of Japan.',
  parameters: rangeParameters('date'),
  popularSeries: titledLines('popular/bankofjapan.txt'),
  home: 'JP',
  seriesIdPlaceholder,
  browseRootLabel: 'Databases',

  baseUrl: 'https://www.stat-search.boj.or.jp/api/v1',
  // No limit is published; the API notice requests pauses between requests.
  limits: { anonymous: { perSecond: 1 }, resetZone: 'Asia/Tokyo', maxConcurrent: 1 },
  validity: { structure: 86_400, list: 86_400, series: 21_600 },
  timeoutMs: 60_000,

  explain,
  browse: async (path) => {
    if (path.length === 0) return folders;
    if (path.length > 1 || !databases.has(path[0] ?? '')) throw unknownPath(named, path);
    return [];
  },
  async seriesAt(path, page, ctx) {
    const [db] = path;
    if (db === undefined) return { items: [], total: 0 };
    if (path.length > 1 || !databases.has(db)) throw unknownPath(named, path);
    return pageOf(await listSeries(db, ctx), page);
  },
  async *listAll(ctx) {
    for (const [id, label] of databases) yield { id, label, kind: 'folder', path: [id] };
    for (const db of listedDatabases) yield* (await loadPart(ctx, db, () => listSeries(db, ctx))) ?? [];
  },
  preview: (seriesId, _params, ctx) => fetchSeries(seriesId, ctx),
  series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(seriesId, ctx), params),
};
