import { z } from 'zod';
import { parsePeriod } from '../dates.js';
import { malformedSeriesId, seriesNotFound } from '../errors.js';
import { legendOf, sdmxFlag, sdmxStatuses, withFlag } from '../flags.js';
import { allPages } from '../listing.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Params } from '../parameter.js';
import type { Context, Observation, SeriesData, SeriesMetadata, UpstreamHttp } from '../provider.js';
import { withinBounds } from '../range.js';
import { readShape, requireValue, trimmed, written } from '../shape.js';
import { type Unit, unitOfText, unitTimes } from '../units.js';
import { worldBankCountries } from './countries.js';
import { type Indicator, indicator, named, page } from './reply.js';

export const defaultCountry = 'WLD';

/** Maximum rows of one reply; the largest known to be accepted. */
const rowsPerPage = 20_000;
/** Codes are dotted words (`NY.GDP.MKTP.CD`, `1.0.HCount.1.90usd`); a semicolon would request several. */
const idForm = /^[\w.-]{1,100}$/;

const observation = z.object({
  country: z.object({ id: trimmed.nullish(), value: trimmed.nullish() }).nullish(),
  countryiso3code: trimmed.nullish(),
  date: z.string(),
  value: written.optional(),
  unit: trimmed.nullish(),
  obs_status: trimmed.nullish(),
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
 * The rows of one frequency: the requested one, otherwise the highest. An indicator may have months, quarters and years, which are all in
 * one reply.
 */
export const oneFrequency = (rows: readonly z.output<typeof observation>[], wanted: string | undefined) => {
  const present = new Set(rows.map(({ date }) => frequencyOf(date).code));
  const chosen = frequencies.find(({ code }) => (wanted === undefined ? present.has(code) : code === wanted));
  return {
    frequency: chosen?.label,
    rows: rows.filter(({ date }) => frequencyOf(date).code === chosen?.code),
  };
};

export const toObservation = ({ date, value, obs_status }: z.output<typeof observation>): Observation => ({
  date: requireValue(named, 'the date of an observation', parsePeriod(date)),
  ...withFlag(readValue(value, ['..']), sdmxFlag(obs_status ?? undefined)),
});

export const fetchIndicator = async (seriesId: string, http: UpstreamHttp): Promise<Indicator> => {
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

const fetchRows = async (
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

export const fetchAllRows = async (seriesId: string, country: string, http: UpstreamHttp) => {
  const { items: rows, meta } = await allPages(named, async (_offset, number) => {
    const reply = await fetchRows(seriesId, country, { per_page: rowsPerPage, page: number + 1 }, http);
    const { total, pages } = reply.meta;
    return { total, items: reply.rows, isLast: number + 1 >= pages, meta: reply.meta };
  });
  return { meta, rows };
};

/** Words of a unit in the parentheses of a name: `(current US$)`, `(annual %)`, `(per 1,000 people)`. */
const unitWords =
  /%|\$|\b(?:LCU|per|index|years?|days|hours|minutes|km|kt|kWh|kg|tons?|hectares|number|ratio|bcm)\b|=\s*100/i;

/**
 * The member for the unit is usually empty: the unit is in the name, in parentheses (`GDP (current US$)`) or, for monthly series, between
 * commas (`Exports Merchandise, current US$, millions, seas. adj.`). Values are in single units unless the name has a magnitude.
 */
const unitOf = (name: string, unit: string | null | undefined): Unit => {
  const { unitMultiplier = 1 } = unitOfText(name);
  const inParentheses = [...name.matchAll(/\(([^()]+)\)/g)].map(([, text = '']) => text);
  const read = unitOfText(unit || inParentheses.find((text) => unitWords.test(text)));
  // The magnitude is in the unit or elsewhere in the name, and counts once.
  return (read.unitMultiplier ?? 1) === 1 ? unitTimes(read.unit, unitMultiplier) : read;
};

/** Metadata that all series of an indicator share. */
export const metadataOf = (
  described: Indicator,
  { meta }: { readonly meta: { readonly lastupdated?: string | null | undefined } },
  given: {
    readonly frequency: string | undefined;
    readonly data: readonly Observation[];
    readonly unit?: string | null | undefined;
  },
): SeriesMetadata =>
  toMetadata({
    frequency: given.frequency,
    ...unitOf(described.name, described.unit || given.unit),
    source: described.source?.value,
    notes: described.sourceNote,
    last_update: meta.lastupdated,
    source_organization: described.sourceOrganization,
    flags: legendOf(given.data, sdmxStatuses),
  });

const readSeries = async (
  seriesId: string,
  params: Params,
  { http }: Context,
  load: (country: string) => ReturnType<typeof fetchRows>,
): Promise<SeriesData> => {
  const described = await fetchIndicator(seriesId, http);
  const code = String(params.country ?? defaultCountry);
  const reply = await load(code);
  const { frequency, rows } = oneFrequency(
    reply.rows,
    params.frequency === undefined ? undefined : String(params.frequency),
  );
  const country =
    reply.rows[0]?.country?.value || worldBankCountries.find((one) => one.code === code)?.label || code;
  const data = rows.map(toObservation);
  const series = {
    label: `${described.name || seriesId}, ${country}`,
    metadata: { ...metadataOf(described, reply, { frequency, data, unit: rows[0]?.unit }), country },
    data,
  };
  return withinBounds(series, params);
};

export const preview = (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> =>
  readSeries(seriesId, params, ctx, (country) => fetchRows(seriesId, country, { mrv: 24 }, ctx.http));

export const series = (seriesId: string, params: Params, ctx: Context): Promise<SeriesData> =>
  readSeries(seriesId, params, ctx, (country) => fetchAllRows(seriesId, country, ctx.http));

/** Day of the last update of the indicator's source. */
export const lastUpdate = async (
  seriesId: string,
  params: Params,
  { http }: Context,
): Promise<string | undefined> => {
  if (!idForm.test(seriesId)) throw malformedSeriesId(named, seriesId, 'NY.GDP.MKTP.CD');
  const { meta } = await fetchRows(seriesId, String(params.country ?? defaultCountry), { per_page: 1 }, http);
  return meta.lastupdated ?? undefined;
};
