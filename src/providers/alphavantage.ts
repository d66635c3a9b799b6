import { z } from 'zod';
import { AppError } from '../lib/errors.js';
import { parseDay } from './dates.js';
import { readErrorReply } from './error-reply.js';
import {
  keyRefused,
  limitReached,
  malformedSeriesId,
  refusedRequest,
  seriesNotFound,
  unexpectedReply,
  upstreamFailed,
} from './errors.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import type { Params } from './parameter.js';
import type {
  Context,
  Item,
  Observation,
  Provider,
  SeriesData,
  UpstreamHttp,
  UpstreamReply,
  UpstreamRequest,
} from './provider.js';
import { boundOf, rangeParameters, withinBounds } from './range.js';
import { readShape, requireValue } from './shape.js';
import { titledLines } from './titled-lines.js';

const named = { slug: 'alphavantage', name: 'Alpha Vantage' };

/**
 * `outputsize=compact` returns the newest 100 points. They cover the fewest days for an instrument that trades every day of the week, so a
 * start within this many days is always covered.
 */
const compactDays = 99;

const fields = [
  { code: 'close', label: 'Close' },
  { code: 'open', label: 'Open' },
  { code: 'high', label: 'High' },
  { code: 'low', label: 'Low' },
  { code: 'volume', label: 'Volume' },
  { code: 'adjusted_close', label: 'Close adjusted for splits and dividends (premium keys)' },
  { code: 'dividend_amount', label: 'Dividend (premium keys)' },
  { code: 'split_coefficient', label: 'Split coefficient (premium keys)' },
] as const;

const adjustedFields: ReadonlySet<string> = new Set([
  'adjusted_close',
  'dividend_amount',
  'split_coefficient',
]);

/** Names of members are numbered (`4. close`), and the numbers differ between functions. */
const unnumbered = <T>(members: Readonly<Record<string, T>>): Map<string, T> =>
  new Map(
    Object.entries(members).map(([name, value]) => [
      name
        .replace(/^\d+\.\s*/, '')
        .toLowerCase()
        .replaceAll(' ', '_'),
      value,
    ]),
  );

const numbered = z
  .record(z.string(), z.union([z.string(), z.number().transform(String), z.null().transform(() => '')]))
  .transform(unnumbered);

const seriesReply = z.looseObject({ 'Meta Data': numbered }).transform((reply, check) => {
  const name = Object.keys(reply).find((key) => /^Time Series\b/.test(key));
  const rows = z.record(z.string(), numbered).safeParse(name === undefined ? undefined : reply[name]);
  if (!rows.success) {
    check.addIssue({ code: 'custom', message: 'no series', path: ['Time Series'] });
    return z.NEVER;
  }
  return { meta: reply['Meta Data'], rows: rows.data };
});

const searchReply = z.object({ bestMatches: z.array(numbered) });

interface Instrument {
  readonly label: string;
  readonly query: NonNullable<UpstreamRequest['query']>;
  /** Absent for a price of a security, whose currency is that of its exchange. */
  readonly unit?: string;
}

const symbolForm = /^[A-Za-z0-9][A-Za-z0-9.:^=_-]{0,29}$|^\^[A-Za-z0-9.]{1,29}$/;

/** `EUR/USD`, or `EURUSD=X` as used elsewhere, is a rate; any other id is the symbol of a security. */
const readId = (seriesId: string, field: string): Instrument => {
  const [, from, to] =
    /^([A-Za-z]{3})\/([A-Za-z]{3})$/.exec(seriesId) ?? /^([A-Za-z]{3})([A-Za-z]{3})=X$/.exec(seriesId) ?? [];
  if (from !== undefined && to !== undefined) {
    const pair = [from.toUpperCase(), to.toUpperCase()] as const;
    if (adjustedFields.has(field) || field === 'volume') {
      throw refusedRequest(named, `an exchange rate has no ${field.replaceAll('_', ' ')}.`);
    }
    return {
      label: pair.join('/'),
      query: { function: 'FX_DAILY', from_symbol: pair[0], to_symbol: pair[1] },
      unit: `${pair[1]} per ${pair[0]}`,
    };
  }
  if (!symbolForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'IBM or EUR/USD');
  const daily = adjustedFields.has(field) ? 'TIME_SERIES_DAILY_ADJUSTED' : 'TIME_SERIES_DAILY';
  return {
    label: seriesId,
    query: { function: daily, symbol: seriesId },
    ...(field === 'volume' ? { unit: 'Shares' } : {}),
    ...(field === 'split_coefficient' ? { unit: 'Ratio' } : {}),
  };
};

const fetchMatches = async (keywords: string, http: UpstreamHttp) => {
  // Cached, since a symbol keeps its currency and there are few requests per day.
  const payload = await http.json({
    path: ['query'],
    query: { function: 'SYMBOL_SEARCH', keywords },
    keep: 'structure',
  });
  return readShape(named, searchReply, payload).bestMatches;
};

/** Currency of the exchange of a symbol, which only the search returns. */
const fetchCurrency = async (symbol: string, http: UpstreamHttp): Promise<string | undefined> => {
  try {
    const matches = await fetchMatches(symbol, http);
    const match = matches.find((one) => one.get('symbol')?.toUpperCase() === symbol.toUpperCase());
    return match?.get('currency') || undefined;
  } catch (error) {
    // The prices are valid without it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
};

const fetchSeries = async (
  seriesId: string,
  params: Params,
  outputsize: 'compact' | 'full',
  { http }: Context,
): Promise<SeriesData> => {
  const field = String(params.field ?? 'close');
  const { label, query, unit: known } = readId(seriesId, field);
  const payload = await http.json({ path: ['query'], query: { ...query, outputsize } });
  const { meta, rows } = readShape(named, seriesReply, payload);
  const observed = Object.entries(rows).map(
    ([date, row]): Observation => ({
      date: requireValue(named, 'the date of an observation', parseDay(date)),
      ...readValue(row.get(field), ['None', '-']),
    }),
  );
  if (observed.length === 0) throw unexpectedReply(named, 'no observations at all');
  if (!Object.values(rows).some((row) => row.has(field))) {
    throw unexpectedReply(named, `no observation has the ${field}`);
  }
  const unit = known ?? (await fetchCurrency(label, http));
  const fieldLabel = fields.find(({ code }) => code === field)?.label.replace(/ \(.*$/, '') ?? field;
  return {
    label: `${label}, ${fieldLabel.toLowerCase()}`,
    metadata: toMetadata({
      frequency: 'Daily',
      units: unit,
      unit,
      unitMultiplier: 1,
      source: 'Alpha Vantage',
      notes: meta.get('information'),
      last_update: meta.get('last_refreshed'),
      time_zone: meta.get('time_zone'),
    }),
    data: observed,
  };
};

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

const fetchRange = async (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> => {
  const from = boundOf(params, 'start') ?? '';
  // The whole history needs a premium key; requests for only the newest days are not refused.
  const size = from >= daysBefore(ctx.today, compactDays) ? 'compact' : 'full';
  return withinBounds(await fetchSeries(seriesId, params, size, ctx), params);
};

const notice = z.union([
  z.object({ Information: z.string() }).transform(({ Information }) => Information),
  z.object({ Note: z.string() }).transform(({ Note }) => Note),
  z.object({ 'Error Message': z.string() }).transform((reply) => reply['Error Message']),
]);

/** Every error is HTTP 200, and a notice about the limit may contain the key, so none of its text is passed on. */
const explain = (reply: UpstreamReply, { query }: UpstreamRequest): Error | undefined => {
  const text = readErrorReply(notice, reply);
  if (text === undefined) return undefined;
  if (/apikey is invalid or missing|demo\W* API key/i.test(text)) return keyRefused(named);
  // These notices advertise premium plans, so they are checked before those about premium functions.
  if (/rate limit|per (?:day|minute|second)|call frequency/i.test(text)) return limitReached(named, text);
  if (/premium/i.test(text)) {
    return refusedRequest(
      named,
      `this needs a premium key. A free key has access to the newest 100 days of unadjusted prices: set a start of at most ${compactDays} days ago.`,
    );
  }
  if (!/invalid api call/i.test(text)) return upstreamFailed(named);
  const { symbol, from_symbol: from, to_symbol: to } = query ?? {};
  return seriesNotFound(named, String(symbol ?? `${from}/${to}`));
};

const toItem = (match: ReadonlyMap<string, string>): Item => {
  const id = requireValue(named, 'the symbol of a match', match.get('symbol'));
  const about = ['type', 'region', 'currency'].flatMap((name) => match.get(name) ?? []);
  return {
    id,
    label: match.get('name') || id,
    description: about.join(', '),
    frequency: 'Daily',
    units: match.get('currency'),
  };
};

/** Documentation: https://www.alphavantage.co/documentation/ */
export const alphaVantage: Provider = {
  ...named,
  provider: 'Alpha Vantage',
  description:
    'Daily prices of stocks, funds and indexes of many exchanges, and daily foreign exchange rates.',
  capabilities: ['search', 'direct'],
  license:
    'Alpha Vantage terms of service: https://www.alphavantage.co/terms_of_service/. Passing data on needs an agreement with Alpha Vantage.',
  attribution: 'Data provided by Alpha Vantage',
  parameters: [
    { key: 'field', label: 'Value', type: 'select', location: 'query', default: 'close', values: fields },
    ...rangeParameters('date'),
  ],
  popularSeries: titledLines('popular/alphavantage.txt'),
  seriesIdPlaceholder: 'IBM',
  anonymousLimitMessage: 'A key is required. A free key allows 25 requests per day.',

  baseUrl: 'https://www.alphavantage.co',
  key: {
    label: 'Alpha Vantage API key',
    url: 'https://www.alphavantage.co/support/#api-key',
    hint: 'Claim a free key at alphavantage.co/support and store it as your Alpha Vantage key.',
    required: true,
    where: { in: 'query', name: 'apikey' },
  },
  // Limits of a free key. The time zone of the daily quota is not published; probably that of the exchange.
  limits: { keyed: { perSecond: 1, perDay: 25 }, resetZone: 'America/New_York', maxConcurrent: 1 },
  validity: { structure: 30 * 86_400, list: 86_400, series: 21_600 },
  timeoutMs: 20_000,

  explain,

  async search(query, { http }) {
    return (await fetchMatches(query, http)).map(toItem);
  },

  preview: (seriesId, params, ctx) => fetchSeries(seriesId, params, 'compact', ctx),
  series: fetchRange,
};
