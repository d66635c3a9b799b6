import { z } from 'zod';
import { malformedSeriesId, seriesNotFound, unexpectedReply, upstreamFailed } from './errors.js';
import { legendOf, withFlag } from './flags.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import { joinedIds, panelOfSeries } from './panel.js';
import type { Params } from './parameter.js';
import type { Context, Observation, PanelData, Provider, SeriesData, UpstreamHttp } from './provider.js';
import { rangeParameters, withinBounds } from './range.js';
import { day, listOf, readShape, requireValue, written } from './shape.js';
import { titledLines } from './titled-lines.js';
import { powerOfTen, unitTimes } from './units.js';

const named = { slug: 'statcan', name: 'Statistics Canada' };
const seriesIdPlaceholder = 'v41690973';

/** Number of a vector, which is the service's word for a series. */
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

/** One entry per requested vector; for a failed one the object only has the reason. */
const answers = z.array(z.object({ status: z.string(), object: z.unknown() }));
const failure = z.object({ responseStatusCode: z.number().int() });
const ofVector = z.object({ vectorId: z.number().int() });

const vectorOf = (answer: unknown): number | undefined => ofVector.safeParse(answer).data?.vectorId;

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

const numberOf = (seriesId: string): number => {
  const [, number] = idForm.exec(seriesId) ?? [];
  if (number === undefined) throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
  return Number(number);
};

/** Reads the data of some vectors in one request; undefined for an unknown vector. */
const fetchVectors = async <S extends z.ZodType>(
  method: string,
  schema: S,
  ids: readonly string[],
  more: object,
  http: UpstreamHttp,
): Promise<(z.output<S> | undefined)[]> => {
  const body = ids.map((id) => ({ vectorId: numberOf(id), ...more }));
  const found = readShape(named, answers, await http.json({ path: [method], body, keep: 'series' }));
  if (found.length !== ids.length) throw unexpectedReply(named, 'another number of answers');
  const read = new Map<number | undefined, z.output<S>>();
  for (const { status, object } of found) {
    if (status === 'SUCCESS') {
      read.set(ids.length === 1 ? body[0]?.vectorId : vectorOf(object), readShape(named, schema, object));
      continue;
    }
    const { responseStatusCode: code } = readShape(named, failure, object);
    if (!unknownCodes.has(code)) throw upstreamFailed(named, `response status ${code}`);
  }
  return body.map(({ vectorId }) => read.get(vectorId));
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

type Codes = Awaited<ReturnType<typeof fetchCodeSets>>;

const toSeries = (
  seriesId: string,
  info: z.output<typeof vectorInfo>,
  { vectorDataPoint: points }: z.output<typeof vectorData>,
  codes: Codes,
): SeriesData => {
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
        // Values are in units of this power of ten.
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

/** Series are returned whole. They are cached, so that preview and every range share the requests. */
const fetchSeveral = async (
  ids: readonly string[],
  { http }: Context,
): Promise<Map<string, SeriesData | undefined>> => {
  // Requested first, so an unknown series costs one request.
  const infos = await fetchVectors('getSeriesInfoFromVector', vectorInfo, ids, {}, http);
  const known = ids.filter((_, place) => infos[place] !== undefined);
  const found = new Map<string, SeriesData | undefined>(ids.map((id) => [id, undefined]));
  if (known.length === 0) return found;
  const latest = { latestN: allPeriods };
  const [codes, data] = await Promise.all([
    fetchCodeSets(http),
    fetchVectors('getDataFromVectorsAndLatestNPeriods', vectorData, known, latest, http),
  ]);
  for (const [place, id] of known.entries()) {
    const [info, points] = [infos[ids.indexOf(id)], data[place]];
    if (info !== undefined && points !== undefined) found.set(id, toSeries(id, info, points, codes));
  }
  return found;
};

const fetchSeries = async (seriesId: string, ctx: Context): Promise<SeriesData> => {
  const found = (await fetchSeveral([seriesId], ctx)).get(seriesId);
  if (found === undefined) throw seriesNotFound(named, seriesId);
  return found;
};

/** Maximum vectors of one panel, with one request for descriptions and one for values. */
const maxVectors = 50;

const panel = async (seriesId: string, params: Params, ctx: Context): Promise<PanelData> => {
  const found = await fetchSeveral(joinedIds(named, seriesId, maxVectors), ctx);
  return panelOfSeries(
    named,
    seriesId,
    new Map([...found].map(([id, one]) => [id, one && withinBounds(one, params)] as const)),
  );
};

const items = titledLines('popular/statcan.txt');

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
  // According to the documentation: 25 requests per second for each address.
  limits: { anonymous: { perSecond: 10 }, resetZone: 'America/Toronto', maxConcurrent: 2 },
  validity: { structure: 7 * 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,

  async *listAll() {
    yield* items;
  },
  preview: (seriesId, _params, ctx) => fetchSeries(seriesId, ctx),
  series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(seriesId, ctx), params),
  panel,
};
