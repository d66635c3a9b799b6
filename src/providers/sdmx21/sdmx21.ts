import { isSeriesMissing, seriesNotFound, unexpectedReply } from '../errors.js';
import { loadPart } from '../listing.js';
import type { Params } from '../parameter.js';
import type { Context, Folder, Item, Provider, SeriesData, UpstreamRequest } from '../provider.js';
import { withinBounds } from '../range.js';
import { codesOf, type FlowPath, flowPathOf, foldersOf, keyOf, titleOf } from '../sdmx/flow-path.js';
import { missingSeries, requireOneSeries } from '../sdmx/one-series.js';
import { createSdmxProvider } from '../sdmx/service.js';
import { type Dimension, spellWith, withoutNames } from '../sdmx/structure.js';
import { filled, requireValue } from '../shape.js';
import { readXml } from '../xml.js';
import { fetchPanel } from './panel.js';
import { bounds, readMessage, readTable } from './reading.js';
import type { Sdmx21Record } from './record.js';
import {
  dataRequest,
  explain,
  fetchFlows,
  fetchStructure,
  keysRequest,
  refOf,
  structureRequest,
} from './requests.js';
import { dimensionColumns, hasUnknownUnit, needsCodes, parseSeriesId, toSeriesData } from './series.js';
import { type Flow, type FlowStructure, readAvailability, readLoadTime } from './structure.js';

const fetchSeries = async (
  record: Sdmx21Record,
  seriesId: string,
  query: UpstreamRequest['query'],
  ctx: Context,
): Promise<SeriesData> => {
  try {
    return await readWholeSeries(record, seriesId, query, ctx);
  } catch (error) {
    if (!isSeriesMissing(error)) throw error;
    const { flow, key } = parseSeriesId(record, seriesId);
    throw await missingSeries(record, seriesId, key, () => fetchStructure(record, flow, ctx));
  }
};

const readWholeSeries = async (
  record: Sdmx21Record,
  seriesId: string,
  query: UpstreamRequest['query'],
  ctx: Context,
): Promise<SeriesData> => {
  const { flow, key } = parseSeriesId(record, seriesId);
  const { text } = await ctx.http.text(dataRequest(record, flow, key, query));
  // Several services return an empty body if nothing matches.
  if (text.trim() === '') throw seriesNotFound(record, seriesId);
  const table = await readTable(record, text);
  requireOneSeries(record, seriesId, table.rows, dimensionColumns(table));
  if (!needsCodes(table) && !hasUnknownUnit(record, table)) {
    return toSeriesData(record, table, spellWith(undefined));
  }
  const structure = await loadPart(ctx, 'structure', () => fetchStructure(record, flow, ctx));
  const series = toSeriesData(record, table, spellWith(structure));
  return structure === undefined ? withoutNames(series) : series;
};

/** A range without data is answered as a series that does not exist; whether it does, only a request without the range tells. */
const fetchRange = async (
  record: Sdmx21Record,
  seriesId: string,
  params: Params,
  ctx: Context,
): Promise<SeriesData> => {
  if (params.start === undefined && params.end === undefined) return fetchSeries(record, seriesId, {}, ctx);
  try {
    return await readWholeSeries(record, seriesId, bounds(params), ctx);
  } catch (error) {
    if (!isSeriesMissing(error)) throw error;
    return { ...(await fetchSeries(record, seriesId, { lastNObservations: 1 }, ctx)), data: [] };
  }
};

/** Time of the last load of the flow. */
const lastLoad = async (
  record: Sdmx21Record,
  seriesId: string,
  { http }: Context,
): Promise<string | undefined> => {
  const [agency = '', id = '', ...version] = parseSeriesId(record, seriesId).flow.split(',');
  const { keep: _, ...request } = structureRequest(record, [
    'contentconstraint',
    agency,
    `CR_A_${id}`,
    ...version,
  ]);
  return readLoadTime(readXml(record, (await http.text(request)).text));
};

/** The first segment of a path is the flow. */
const flowSegments = 1;

const openPath = async (
  record: Sdmx21Record,
  path: readonly string[],
  ctx: Context,
): Promise<FlowPath<FlowStructure>> =>
  flowPathOf(record, path, flowSegments, await fetchStructure(record, path[0] ?? '', ctx));

/** The codes of a path are known, so "no results" means that their combination has no data. */
const readOrNothing = ({ http }: Context, request: UpstreamRequest): Promise<string> =>
  http.text(request).then(
    ({ text }) => text.trim(),
    (error: unknown) => {
      if (isSeriesMissing(error)) return '';
      throw error;
    },
  );

/** Codes of the next dimension with data; undefined if the service does not report them. */
const availableCodes = async (
  record: Sdmx21Record,
  flowPath: FlowPath<FlowStructure>,
  { id }: Dimension,
  ctx: Context,
): Promise<readonly string[] | undefined> => {
  if (record.availability === 'codelist') return undefined;
  if (record.availability === 'references') return flowPath.structure.available.get(id);
  const path = ['availableconstraint', ...flowPath.flow, keyOf(flowPath, ''), 'all', id];
  const text = await readOrNothing(ctx, structureRequest(record, path));
  if (text === '') return [];
  const codes = readAvailability(readXml(record, text)).get(id);
  if (codes === undefined) throw unexpectedReply(record, `no codes of ${id}`);
  return codes;
};

const browse = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Folder[]> => {
  if (path.length === 0) {
    const flows = await fetchFlows(record, ctx);
    return flows.map((flow) => ({ segment: refOf(record, flow), label: flow.name }));
  }
  const flowPath = await openPath(record, path, ctx);
  const { dimensions } = flowPath.structure;
  const dimension = dimensions[flowPath.codes.length];
  if (dimension === undefined) return [];
  const codes = codesOf(record, dimension, await availableCodes(record, flowPath, dimension, ctx));
  return foldersOf(dimension, codes, flowPath.codes.length + 1 === dimensions.length);
};

const listKeys = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const flowPath = await openPath(record, path, ctx);
  const { structure } = flowPath;
  const flow = flowPath.flow.join('/');
  const text = await readOrNothing(ctx, keysRequest(record, flow, keyOf(flowPath, '')));
  if (text === '') return [];
  const spell = spellWith(structure);
  return readMessage(record, text, ['GenericData', 'StructureSpecificData'])
    .map((series): Item => {
      const key = Object.fromEntries(
        structure.dimensions.map(({ id }) => [
          id,
          requireValue(record, `a series without a code of ${id}`, series.key[id] || undefined),
        ]),
      );
      const codes = Object.values(key);
      return {
        id: `${flow}/${codes.join('.')}`,
        label: filled(series.attributes.TITLE) ?? titleOf(key, spell),
        path: [flow, ...codes],
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
};

const flowItem = (record: Sdmx21Record, flow: Flow): Item => {
  const id = refOf(record, flow);
  return { id, label: flow.name, path: [id], description: flow.description };
};

/** A connector for an SDMX 2.1 service, from its record. */
export const createSdmx21 = (record: Sdmx21Record): Provider =>
  createSdmxProvider(record, {
    flowSegments,
    explain: (reply, request) => explain(record, reply, request),
    flows: async (ctx) => (await fetchFlows(record, ctx)).map((flow) => flowItem(record, flow)),
    panel: (seriesId, params, ctx) => fetchPanel(record, seriesId, params, ctx),
    ...(record.datesLoads === true
      ? { lastUpdate: (seriesId: string, _params: Params, ctx: Context) => lastLoad(record, seriesId, ctx) }
      : {}),
    folders: (path, ctx) => browse(record, path, ctx),
    seriesBelow: (path, ctx) => listKeys(record, path, ctx),
    preview: (seriesId, _params, ctx) =>
      fetchSeries(record, seriesId, record.wholeSeries === true ? {} : { lastNObservations: 24 }, ctx),
    async series(seriesId, params, ctx) {
      const whole = record.wholeSeries === true;
      const data = await (whole
        ? fetchSeries(record, seriesId, {}, ctx)
        : fetchRange(record, seriesId, params, ctx));
      return whole || record.cutsRange === true ? withinBounds(data, params) : data;
    },
  });
