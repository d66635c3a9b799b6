import { z } from 'zod';
import { malformedSeriesId, seriesNotFound, unexpectedReply, upstreamFailed } from './errors.js';
import { legendOf, withFlag } from './flags.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import type { Context, Observation, Provider, SeriesData, UpstreamHttp } from './provider.js';
import { rangeParameters, withinBounds } from './range.js';
import { day, listOf, readShape, requireValue, written } from './shape.js';
import { powerOfTen, unitTimes } from './units.js';

const named = { slug: 'statcan', name: 'Statistics Canada' };
const seriesIdPlaceholder = 'v41690973';

/** Number of a vector, as the service calls a series. */
const idForm = /^v?(\d{1,10})$/i;

/** More periods than any series has. */
const allPeriods = 1_000_000;

const vectorInfo = z.object({
  productId: z.number().int(),
  frequencyCode: z.number().int(),
  scalarFactorCode: z.number().int(),
  SeriesTitleEn: z.string().nullish(),
  memberUomCode: z.number().int().nullish(),
});

const vectorData = z.object({
  vectorDataPoint: z.array(
    z.object({
      refPer: day,
      value: written.optional(),
      scalarFactorCode: z.number().int(),
      statusCode: z.number().int(),
      symbolCode: z.number().int(),
      releaseTime: z.string().nullish(),
    }),
  ),
});

/** One entry per requested vector; for a failed one the object has only the reason. */
const answers = z.array(z.object({ status: z.string(), object: z.unknown() })).length(1);
const failure = z.object({ responseStatusCode: z.number().int() });

/** The vector or the combination of codes does not exist. */
const unknownCodes: ReadonlySet<number> = new Set([2, 4]);

const codeSetsReply = z.object({
  object: z.object({
    frequency: listOf(z.object({ frequencyCode: z.number(), frequencyDescEn: z.string() })),
    uom: listOf(z.object({ memberUomCode: z.number(), memberUomEn: z.string().nullish() })),
    status: listOf(
      z.object({
        statusCode: z.number(),
        statusRepresentationEn: z.string().nullish(),
        statusDescEn: z.string(),
      }),
    ),
    symbol: listOf(
      z.object({
        symbolCode: z.number(),
        symbolRepresentationEn: z.string().nullish(),
        symbolDescEn: z.string(),
      }),
    ),
  }),
});

const fetchVector = async <S extends z.ZodType>(
  method: string,
  schema: S,
  seriesId: string,
  more: object,
  http: UpstreamHttp,
): Promise<z.output<S>> => {
  const [, number] = idForm.exec(seriesId) ?? [];
  if (number === undefined) throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
  const payload = await http.json({
    path: [method],
    body: [{ vectorId: Number(number), ...more }],
    keep: 'series',
  });
  const [answer] = readShape(named, answers, payload);
  if (answer?.status === 'SUCCESS') return readShape(named, schema, answer.object);
  const { responseStatusCode: code } = readShape(named, failure, answer?.object);
  throw unknownCodes.has(code)
    ? seriesNotFound(named, seriesId)
    : upstreamFailed(named, `response status ${code}`);
};

const fetchCodeSets = async (http: UpstreamHttp) => {
  const payload = await http.json({ path: ['getCodeSets'], keep: 'structure' });
  const { frequency, uom, status, symbol } = readShape(named, codeSetsReply, payload).object;
  return {
    frequencies: new Map(frequency.map((one) => [one.frequencyCode, one.frequencyDescEn])),
    units: new Map(uom.map((one) => [one.memberUomCode, one.memberUomEn ?? undefined])),
    statuses: new Map(status.map((one) => [one.statusCode, one.statusRepresentationEn ?? undefined])),
    symbols: new Map(symbol.map((one) => [one.symbolCode, one.symbolRepresentationEn ?? undefined])),
    meanings: new Map([
      ...status.map((one) => [one.statusRepresentationEn ?? '', one.statusDescEn] as const),
      ...symbol.map((one) => [one.symbolRepresentationEn ?? '', one.symbolDescEn] as const),
    ]),
  };
};

/** A series comes as a whole. It is kept, so that preview and every range share one request. */
const fetchSeries = async (seriesId: string, { http }: Context): Promise<SeriesData> => {
  // First alone: an unknown series then costs one request.
  const info = await fetchVector('getSeriesInfoFromVector', vectorInfo, seriesId, {}, http);
  const [codes, { vectorDataPoint: points }] = await Promise.all([
    fetchCodeSets(http),
    fetchVector('getDataFromVectorsAndLatestNPeriods', vectorData, seriesId, { latestN: allPeriods }, http),
  ]);
  if (points.some(({ scalarFactorCode }) => scalarFactorCode !== info.scalarFactorCode)) {
    throw unexpectedReply(named, 'values of several magnitudes');
  }
  const data = points.map(
    ({ refPer, value, statusCode, symbolCode }): Observation => ({
      date: refPer,
      ...withFlag(readValue(value), codes.statuses.get(statusCode) ?? codes.symbols.get(symbolCode)),
    }),
  );
  const { memberUomCode, productId } = info;
  return {
    label: info.SeriesTitleEn?.split(';').join(' - ') || seriesId,
    metadata: toMetadata({
      frequency: requireValue(named, 'a frequency', codes.frequencies.get(info.frequencyCode)),
      ...unitTimes(
        memberUomCode === 0 || memberUomCode == null ? undefined : codes.units.get(memberUomCode),
        // Values are written in units of this power of ten.
        powerOfTen(info.scalarFactorCode),
      ),
      source: 'Statistics Canada',
      table: String(productId).replace(/^(\d{2})(\d{2})(\d{4})$/, '$1-$2-$3'),
      last_update: points
        .map(({ releaseTime }) => releaseTime ?? '')
        .toSorted()
        .at(-1),
      flags: legendOf(data, codes.meanings),
    }),
    data,
  };
};

const items = [
  { id: 'v41690973', label: 'Consumer price index (CPI), all items, Canada, monthly' },
  { id: 'v2062815', label: 'Unemployment rate, Canada, seasonally adjusted, monthly' },
  { id: 'v65201210', label: 'Gross domestic product (GDP), all industries, Canada, monthly' },
];

/**
 * Vectors of the Web Data Service, by their number.
 * Documentation: https://www.statcan.gc.ca/en/developers/wds/user-guide
 */
export const statCan: Provider = {
  ...named,
  provider: 'Statistics Canada',
  description:
    'Official statistics of Canada: consumer prices (CPI, inflation), unemployment, employment, GDP by industry, trade, retail sales, housing, population.',
  capabilities: ['search', 'direct'],
  license: 'Statistics Canada Open Licence: https://www.statcan.gc.ca/en/terms-conditions/open-licence',
  attribution: 'Source: Statistics Canada',
  parameters: rangeParameters('date'),
  popularSeries: items,
  home: 'CA',
  seriesIdPlaceholder,

  baseUrl: 'https://www150.statcan.gc.ca/t1/wds/rest',
  // 25 requests a second for each address, says the documentation.
  limits: { anonymous: { perSecond: 10 }, resetZone: 'America/Toronto', maxConcurrent: 2 },
  validity: { structure: 7 * 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,

  async *listAll() {
    yield* items;
  },
  preview: (seriesId, _params, ctx) => fetchSeries(seriesId, ctx),
  series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(seriesId, ctx), params),
};
