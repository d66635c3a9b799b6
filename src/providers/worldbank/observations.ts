import { z } from 'zod';
import { boundDay, parsePeriod } from '../dates.js';
import { malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import { parseValue } from '../numbers.js';
import type { Context, Observation, Params, SeriesData, UpstreamHttp } from '../provider.js';
import { readShape, requireValue, written } from '../shape.js';
import { worldBankCountries } from './countries.js';
import { type Indicator, indicator, named, page, trimmed } from './reply.js';

export const defaultCountry = 'WLD';

/** Rows of observations in one reply; the largest known to be accepted. */
const rowsPerPage = 20_000;
/** Codes are dotted words (`NY.GDP.MKTP.CD`, `1.0.HCount.1.90usd`); a semicolon would ask for several. */
const idForm = /^[\w.-]{1,100}$/;

const observation = z.object({
  country: z.object({ value: trimmed }),
  date: z.string(),
  value: written,
});

export const frequencies = [
  { code: 'M', label: 'Monthly', form: /^\d{4}M\d{2}$/ },
  { code: 'Q', label: 'Quarterly', form: /^\d{4}Q\d$/ },
  { code: 'Y', label: 'Annual', form: /^\d{4}$/ },
] as const;

const frequencyOf = (date: string) =>
  requireValue(
    named,
    'the date of an observation',
    frequencies.find(({ form }) => form.test(date)),
  );

/**
 * The rows of one frequency, of the finest unless the caller names one: an indicator may be kept by month, by
 * quarter and by year, and its reply then has them all side by side.
 */
const oneFrequency = (rows: readonly z.output<typeof observation>[], wanted: string | undefined) => {
  const present = new Set(rows.map(({ date }) => frequencyOf(date).code));
  const chosen = frequencies.find(({ code }) => (wanted === undefined ? present.has(code) : code === wanted));
  return {
    frequency: chosen?.label,
    rows: rows.filter(({ date }) => frequencyOf(date).code === chosen?.code),
  };
};

const toObservation = ({ date, value }: z.output<typeof observation>): Observation => ({
  date: requireValue(named, 'the date of an observation', parsePeriod(date)),
  value: requireValue(named, 'the value of an observation', parseValue(value, [])),
});

const askIndicator = async (seriesId: string, http: UpstreamHttp): Promise<Indicator> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'NY.GDP.MKTP.CD');
  const payload = await http.json({
    path: ['indicator', seriesId],
    query: { format: 'json' },
    keep: 'structure',
  });
  const { rows } = readShape(named, page(indicator), payload);
  const [found] = rows;
  if (found === undefined) throw seriesNotFound(named, seriesId);
  return found;
};

const askRows = async (
  seriesId: string,
  country: string,
  query: Record<string, number>,
  http: UpstreamHttp,
) =>
  readShape(
    named,
    page(observation),
    await http.json({
      path: ['country', country, 'indicator', seriesId],
      query: { format: 'json', ...query },
    }),
  );

const askAllRows = async (seriesId: string, country: string, http: UpstreamHttp) => {
  const first = await askRows(seriesId, country, { per_page: rowsPerPage, page: 1 }, http);
  let { rows } = first;
  for (let number = 2; number <= first.meta.pages; number += 1) {
    const next = await askRows(seriesId, country, { per_page: rowsPerPage, page: number }, http);
    rows = rows.concat(next.rows);
  }
  if (rows.length !== first.meta.total) throw unexpectedReply(named, 'another number of rows than it tells');
  return { meta: first.meta, rows };
};

const within = (params: Params) => {
  const from = params.start === undefined ? '' : boundDay(String(params.start), 'start');
  const to = params.end === undefined ? '9999' : boundDay(String(params.end), 'end');
  return ({ date }: Observation): boolean => date >= (from ?? '') && date <= (to ?? '');
};

const readSeries = async (
  seriesId: string,
  params: Params,
  { http }: Context,
  ask: (country: string) => ReturnType<typeof askRows>,
): Promise<SeriesData> => {
  const described = await askIndicator(seriesId, http);
  const code = String(params.country ?? defaultCountry);
  const reply = await ask(code);
  const { frequency, rows } = oneFrequency(
    reply.rows,
    params.frequency === undefined ? undefined : String(params.frequency),
  );
  const country =
    reply.rows[0]?.country.value ?? worldBankCountries.find((one) => one.code === code)?.label ?? code;
  const { unit, source, sourceNote, sourceOrganization } = described;
  return {
    label: `${described.name || seriesId}, ${country}`,
    metadata: {
      ...(frequency === undefined ? {} : { frequency }),
      ...(unit ? { units: unit } : {}),
      ...(source.value ? { source: source.value } : {}),
      ...(sourceNote ? { notes: sourceNote } : {}),
      ...(reply.meta.lastupdated ? { last_update: reply.meta.lastupdated } : {}),
      country,
      ...(sourceOrganization ? { source_organization: sourceOrganization } : {}),
    },
    data: rows.map(toObservation).filter(within(params)),
  };
};

export const preview = (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> =>
  readSeries(seriesId, params, ctx, (country) => askRows(seriesId, country, { mrv: 24 }, ctx.http));

export const series = (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> =>
  readSeries(seriesId, params, ctx, (country) => askAllRows(seriesId, country, ctx.http));
