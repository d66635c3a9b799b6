import { z } from 'zod';
import { AppError } from '../../lib/errors.js';
import {
  isSeriesMissing,
  malformedSeriesId,
  seriesNotFound,
  unexpectedReply,
  unknownPath,
} from '../errors.js';
import { legendOf } from '../flags.js';
import { type Cube, readCube, readCubeSeries } from '../json-stat.js';
import { pageOf } from '../listing.js';
import { toMetadata } from '../metadata.js';
import { eurostatPlaces } from '../patterns.js';
import type {
  Context,
  Folder,
  Item,
  Observation,
  Provider,
  SeriesData,
  SeriesMetadata,
} from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import type { Dimension } from '../sdmx/structure.js';
import { readStructure } from '../sdmx21/structure.js';
import { parseXml } from '../sdmx21/xml.js';
import { keyNotFound } from '../series-key.js';
import { readShape } from '../shape.js';
import { type Unit, unitOfText, unitTimes } from '../units.js';
import { findEntry, listDatasets, readContents, toFolders } from './contents.js';
import { explainNotice } from './notices.js';
import { statuses } from './statuses.js';

/**
 * Paths are folders of the table of contents, a dataset, then codes of its dimensions; the last dimension, as a
 * rule the country, is the list of series. A series id is `dataset/CODE.CODE…`, one code per dimension but time.
 */
const named = { slug: 'eurostat', name: 'Eurostat' };

const timeDimension = 'time';
const idForm = /^([\w$-]+)\/([\w+-]+(?:\.[\w+-]+)*)$/;

const notesReply = z.object({
  extension: z
    .object({
      description: z.string().nullish(),
      status: z.object({ label: z.record(z.string(), z.string()).nullish() }).nullish(),
    })
    .nullish(),
});

const entities: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
};

/** Descriptions are HTML; metadata is plain text. */
const plainText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();

const fetchContents = async ({ http }: Context) => {
  const { text } = await http.text({
    path: ['catalogue', 'toc', 'txt'],
    query: { lang: 'en' },
    keep: 'structure',
    timeoutMs: 60_000,
  });
  return readContents(named, text);
};

/** The dimensions of a dataset in the order of its key, each with the codes that the dataset uses. */
const fetchDimensions = async (dataset: string, { http }: Context): Promise<readonly Dimension[]> => {
  const { text } = await http.text({
    path: ['sdmx', '2.1', 'dataflow', 'ESTAT', dataset, '1.0'],
    query: { references: 'descendants', detail: 'referencepartial' },
    keep: 'structure',
    timeoutMs: 60_000,
  });
  const structure = readDocument(text);
  if (structure === undefined || structure.dimensions.length === 0) {
    throw unexpectedReply(named, 'a dataset without dimensions');
  }
  return structure.dimensions;
};

const readDocument = (text: string) => {
  try {
    return readStructure(parseXml(text));
  } catch {
    throw unexpectedReply(named, 'it is not XML');
  }
};

/** A dimension whose list did not come along takes any code; the service knows better. */
const hasCode = (dimension: Dimension | undefined, code: string): boolean =>
  dimension !== undefined && (dimension.codes.size === 0 || dimension.codes.has(code));

const selectionOf = async (seriesId: string, ctx: Context) => {
  const [, dataset = '', key = ''] = idForm.exec(seriesId) ?? [];
  if (dataset === '') throw malformedSeriesId(named, seriesId, eurostat.seriesIdPlaceholder);
  const dimensions = await fetchDimensions(dataset, ctx).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'path_not_found'
      ? seriesNotFound(named, seriesId)
      : error;
  });
  const codes = key.split('.');
  const known =
    codes.length === dimensions.length && codes.every((code, index) => hasCode(dimensions[index], code));
  if (!known) throw keyNotFound(named, seriesId, dimensions, codes);
  const query = Object.fromEntries(dimensions.map(({ id }, index) => [id, codes[index] ?? '']));
  return { dataset, query };
};

/** A period that two frequencies share may be there twice, once without a value. */
const withoutEmptyTwins = (observations: readonly Observation[]): Observation[] => {
  const filled = new Set(observations.flatMap(({ date, value }) => (value === null ? [] : [date])));
  return observations.filter(({ date, value }) => value !== null || !filled.has(date));
};

/** Codes that hold a magnitude which their label may leave out: `THS_PER`, `MIO_EUR`, `CLV10_MEUR`. */
const codedMagnitude = (code: string): number => {
  if (/^THS(?:_|$)/.test(code)) return 1e3;
  return /^MIO(?:[_-]|$)|_M(?:EUR|NAC|PPS)/.test(code) ? 1e6 : 1;
};

/** The magnitude stands in the label of the unit: `Million euro`, `Current prices, million euro`. */
const unitOf = (unit: { readonly code: string; readonly label: string } | undefined): Unit => {
  if (unit === undefined) return {};
  const told = unitOfText(unit.label);
  return told.unitMultiplier === 1 ? unitTimes(told.unit, codedMagnitude(unit.code)) : told;
};

const metadataOf = (cube: Cube, payload: unknown, data: readonly Observation[]): SeriesMetadata => {
  const { extension } = readShape(named, notesReply, payload);
  const codeOf = (id: string) =>
    cube.dimensions.find((dimension) => dimension.id.toLowerCase() === id)?.codes[0];
  return toMetadata({
    frequency: codeOf('freq')?.label,
    ...unitOf(codeOf('unit')),
    seasonal_adjustment: codeOf('s_adj')?.label,
    source: 'Eurostat',
    notes: plainText(extension?.description ?? ''),
    last_update: cube.updated,
    flags: legendOf(data, extension?.status?.label ?? {}, statuses),
  });
};

const fetchSeries = async (
  seriesId: string,
  lastTimePeriod: number | undefined,
  ctx: Context,
): Promise<SeriesData> => {
  const { dataset, query } = await selectionOf(seriesId, ctx);
  const request = {
    path: ['statistics', '1.0', 'data', dataset],
    query: { format: 'JSON', lang: 'EN', ...query, lastTimePeriod },
  };
  const payload = await ctx.http.json(request).catch(async (error: unknown) => {
    throw isSeriesMissing(error) ? await nothingThere(seriesId, ctx) : error;
  });
  const cube = readCube(named, payload);
  const codes = cube.dimensions.flatMap(({ id, codes: [one] }) =>
    id === timeDimension || one === undefined ? [] : [one.label],
  );
  const data = withoutEmptyTwins(readCubeSeries(named, seriesId, cube, timeDimension));
  return {
    label: `${cube.label ?? dataset}: ${codes.join(' - ')}`,
    metadata: metadataOf(cube, payload, data),
    data,
  };
};

/** The codes of a series are known when it is asked for, so a refusal says that their combination has no data. */
const nothingThere = async (seriesId: string, ctx: Context): Promise<AppError> => {
  const { dataset, query } = await selectionOf(seriesId, ctx);
  return keyNotFound(named, seriesId, await fetchDimensions(dataset, ctx), Object.values(query));
};

const isEmpty = ({ data }: SeriesData): boolean => data.every(({ value }) => value === null);

const fetchWhole = async (seriesId: string, ctx: Context): Promise<SeriesData> => {
  const series = await fetchSeries(seriesId, undefined, ctx);
  // Known codes whose combination has no data are answered with empty cells.
  if (isEmpty(series)) throw await nothingThere(seriesId, ctx);
  return series;
};

const openDataset = async (
  path: readonly string[],
  dataset: string,
  codes: readonly string[],
  ctx: Context,
) => {
  const dimensions = await fetchDimensions(dataset, ctx);
  const known =
    codes.length < dimensions.length && codes.every((code, index) => hasCode(dimensions[index], code));
  if (!known) throw unknownPath(named, path);
  return dimensions;
};

const foldersOf = (dimensions: readonly Dimension[], depth: number): Folder[] => {
  const next = dimensions[depth];
  if (next === undefined || depth === dimensions.length - 1) return [];
  const leaf = depth + 2 === dimensions.length;
  return [...next.codes].map(([segment, label]) => ({ segment, label, ...(leaf ? { leaf } : {}) }));
};

export const eurostat: Provider = {
  ...named,
  provider: 'Eurostat, European Commission',
  description:
    'Official statistics of the European Union: economy (GDP), prices (inflation, HICP), population, labour, trade, industry, environment, regions.',
  capabilities: ['hierarchical', 'search'],
  license: 'CC BY 4.0, Eurostat copyright notice: https://ec.europa.eu/eurostat/help/copyright-notice',
  attribution: 'Source: Eurostat',
  parameters: rangeParameters('period'),
  popularSeries: [
    { id: 'prc_hicp_minr/M.RCH_A.TOTAL.EU27_2020', label: 'HICP inflation, all items, EU, monthly' },
    { id: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.EU27_2020', label: 'Unemployment rate, EU, monthly' },
    { id: 'namq_10_gdp/Q.CLV_PCH_PRE.SCA.B1GQ.EU27_2020', label: 'GDP growth, EU, quarterly' },
    { id: 'demo_pjan/A.NR.TOTAL.T.EU27_2020', label: 'Population on 1 January, EU' },
    { id: 'ei_bsco_m/M.BS-CSMCI.SA.BAL.EU27_2020', label: 'Consumer confidence, EU, monthly' },
  ],
  patterns: [
    { id: 'prc_hicp_minr/M.RCH_A.TOTAL.{}', label: 'HICP inflation, all items, monthly' },
    { id: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.{}', label: 'Unemployment rate, monthly' },
    { id: 'une_rt_m/M.SA.Y_LT25.PC_ACT.T.{}', label: 'Youth unemployment rate, under 25, monthly' },
    { id: 'namq_10_gdp/Q.CLV_PCH_PRE.SCA.B1GQ.{}', label: 'GDP growth, quarterly' },
    { id: 'demo_pjan/A.NR.TOTAL.T.{}', label: 'Population on 1 January' },
    { id: 'ei_bsco_m/M.BS-CSMCI.SA.BAL.{}', label: 'Consumer confidence, monthly' },
  ].map((pattern) => ({ ...pattern, codes: eurostatPlaces })),
  seriesIdPlaceholder: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.EU27_2020',
  browseRootLabel: 'Table of contents',

  baseUrl: 'https://ec.europa.eu/eurostat/api/dissemination',
  // No rate is published; a reply has at most 5,000,000 cells.
  limits: { anonymous: { perSecond: 3 }, resetZone: 'Europe/Brussels', maxConcurrent: 2 },
  validity: { structure: 43_200, list: 43_200, series: 21_600 },
  timeoutMs: 30_000,

  explain: (reply, request) => explainNotice(named, reply, request),

  async browse(path, ctx) {
    const { entries, dataset, codes } = findEntry(named, await fetchContents(ctx), path);
    if (dataset === undefined) return toFolders(entries);
    return foldersOf(await openDataset(path, dataset.code, codes, ctx), codes.length);
  },

  async seriesAt(path, page, ctx) {
    const { dataset, codes } = findEntry(named, await fetchContents(ctx), path);
    if (dataset === undefined) return { items: [], total: 0 };
    const dimensions = await openDataset(path, dataset.code, codes, ctx);
    const last = dimensions.at(-1);
    // Further up there is a product of code lists, most of which has no data.
    if (last === undefined || codes.length < dimensions.length - 1) return { items: [], total: 0 };
    const chosen = codes.map((code, index) => dimensions[index]?.codes.get(code) ?? code);
    const items = [...last.codes].map(
      ([code, label]): Item => ({
        id: `${dataset.code}/${[...codes, code].join('.')}`,
        label: [...chosen, label].join(' - '),
        path,
      }),
    );
    return pageOf(items, page);
  },

  async *listAll(ctx) {
    yield* listDatasets(await fetchContents(ctx));
  },

  async preview(seriesId, _params, ctx) {
    const newest = await fetchSeries(seriesId, 24, ctx);
    // The last periods are those of the dataset: a series that ended before them must be asked for as a whole.
    return isEmpty(newest) ? fetchWhole(seriesId, ctx) : newest;
  },

  /** The form of a bound depends on the frequency of the dataset, and one series is small: cut here. */
  async series(seriesId, params, ctx) {
    return withinBounds(await fetchWhole(seriesId, ctx), params);
  },
};
