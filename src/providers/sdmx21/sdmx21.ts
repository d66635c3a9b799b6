import { AppError } from '../../lib/errors.js';
import { isSeriesMissing, seriesNotFound, unexpectedReply, unknownPath } from '../errors.js';
import type { Params } from '../parameter.js';
import type { Context, Folder, Item, Provider, SeriesData, UpstreamRequest } from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import { keyNotFound } from '../series-key.js';
import { type CsvTable, readXmlData, toTable, type XmlSeries } from './data.js';
import type { Sdmx21Record } from './record.js';
import {
  dataRequest,
  explain,
  fetchFlows,
  fetchStructure,
  keysRequest,
  readXml,
  refOf,
  structureRequest,
} from './requests.js';
import {
  hasUnknownUnit,
  needsCodes,
  parseSeriesId,
  parseTable,
  requireOneSeries,
  type Spell,
  toSeriesData,
} from './series.js';
import { type Dimension, readAvailability, type Structure } from './structure.js';

const spellWith =
  (structure: Structure | undefined): Spell =>
  (column, code) =>
    structure?.dimensions.find(({ id }) => id === column)?.codes.get(code) ??
    structure?.attributes.get(column)?.get(code);

/** A page with an apology may be well-formed XML; it is no message without series. */
const readMessage = (record: Sdmx21Record, text: string, roots: readonly string[]): XmlSeries[] => {
  const root = readXml(record, text);
  if (!roots.includes(root.name)) throw unexpectedReply(record, 'it is not a data message of SDMX');
  return readXmlData(root);
};

const readTable = (record: Sdmx21Record, text: string): CsvTable =>
  record.csv === undefined ? toTable(readMessage(record, text, ['GenericData'])) : parseTable(record, text);

/** Names what is wrong with the key of a series that the service does not have, if the structure is known. */
const explainMissing = async (record: Sdmx21Record, seriesId: string, ctx: Context): Promise<AppError> => {
  const { flow, key } = parseSeriesId(record, seriesId);
  const structure = await fetchStructure(record, flow, ctx).catch((error: unknown) => {
    // Without the structure, the answer is that there is no such series.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (structure === undefined) return seriesNotFound(record, seriesId);
  return keyNotFound(record, seriesId, structure.dimensions, key.split('.'));
};

const fetchSeries = async (
  record: Sdmx21Record,
  seriesId: string,
  query: UpstreamRequest['query'],
  ctx: Context,
): Promise<SeriesData> => {
  try {
    return await readWholeSeries(record, seriesId, query, ctx);
  } catch (error) {
    throw isSeriesMissing(error) ? await explainMissing(record, seriesId, ctx) : error;
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
  // An empty body is how several services say that nothing matches.
  if (text.trim() === '') throw seriesNotFound(record, seriesId);
  const table = readTable(record, text);
  requireOneSeries(record, seriesId, table);
  const spelled = needsCodes(table) || hasUnknownUnit(record, table);
  const structure = spelled ? await fetchStructure(record, flow, ctx) : undefined;
  return toSeriesData(record, table, spellWith(structure));
};

/** The flow and the codes chosen so far, checked against the structure. */
const openPath = async (record: Sdmx21Record, path: readonly string[], ctx: Context) => {
  const [flow = '', ...codes] = path;
  const structure = await fetchStructure(record, flow, ctx);
  const known = codes.every((code, index) => {
    const list = structure.dimensions[index]?.codes;
    return list !== undefined && (list.size === 0 || list.has(code));
  });
  if (!known) throw unknownPath(record, path);
  const key = structure.dimensions.map((_, index) => codes[index] ?? '').join('.');
  return { flow, codes, structure, key };
};

/** The codes of a path are known, so "no results" says that their combination has no data. */
const readOrNothing = ({ http }: Context, request: UpstreamRequest): Promise<string> =>
  http.text(request).then(
    ({ text }) => text.trim(),
    (error: unknown) => {
      if (isSeriesMissing(error)) return '';
      throw error;
    },
  );

const constrainedCodes = async (
  record: Sdmx21Record,
  { flow, key, structure }: { flow: string; key: string; structure: Structure },
  { id }: Dimension,
  ctx: Context,
): Promise<readonly string[] | undefined> => {
  if (record.availability === 'codelist') return undefined;
  if (record.availability === 'references') return structure.available.get(id);
  const path = ['availableconstraint', flow, key, 'all', id];
  const text = await readOrNothing(ctx, structureRequest(record, path));
  if (text === '') return [];
  const codes = readAvailability(readXml(record, text)).get(id);
  if (codes === undefined) throw unexpectedReply(record, `no codes of ${id}`);
  return codes;
};

/** In the order of the code list; a dimension without one has whatever the constraint tells. */
const availableCodes = async (
  record: Sdmx21Record,
  place: { flow: string; key: string; structure: Structure },
  dimension: Dimension,
  ctx: Context,
): Promise<readonly string[]> => {
  const all = [...dimension.codes.keys()];
  const codes = await constrainedCodes(record, place, dimension, ctx);
  // Without a list and a constraint there would be no way on: not the same as a place without data.
  if (codes === undefined && all.length === 0) throw unexpectedReply(record, `no codes of ${dimension.id}`);
  if (codes === undefined || all.length === 0) return codes ?? all;
  const wanted = new Set(codes);
  return all.filter((code) => wanted.has(code));
};

const browse = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Folder[]> => {
  if (path.length === 0) {
    const flows = await fetchFlows(record, ctx);
    return flows.map((flow) => ({ segment: refOf(record, flow), label: flow.name }));
  }
  const place = await openPath(record, path, ctx);
  const { codes, structure } = place;
  const dimension = structure.dimensions[codes.length];
  if (dimension === undefined) return [];
  const leaf = codes.length + 1 === structure.dimensions.length;
  return (await availableCodes(record, place, dimension, ctx)).map((code) => ({
    segment: code,
    label: dimension.codes.get(code) ?? code,
    ...(leaf ? { leaf } : {}),
  }));
};

const listKeys = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const { flow, structure, key } = await openPath(record, path, ctx);
  const text = await readOrNothing(ctx, keysRequest(record, flow, key));
  if (text === '') return [];
  const spell = spellWith(structure);
  return readMessage(record, text, ['GenericData', 'StructureSpecificData'])
    .map((series): Item => {
      const codes = structure.dimensions.map(({ id }) => {
        const code = series.key[id] ?? '';
        if (code === '') throw unexpectedReply(record, `a series without a code of ${id}`);
        return code;
      });
      const label = structure.dimensions
        // `_Z`, not applicable, is noise in a title.
        .flatMap(({ id }, index) =>
          codes[index] === '_Z' ? [] : [spell(id, codes[index] ?? '') ?? codes[index]],
        )
        .join(' - ');
      return {
        id: `${flow}/${codes.join('.')}`,
        label: series.attributes.TITLE?.trim() || label,
        path: [flow, ...codes],
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
};

const bounds = ({ start, end }: Params): NonNullable<UpstreamRequest['query']> => ({
  startPeriod: start,
  endPeriod: end,
});

/** A connector for an SDMX 2.1 service from its data record. */
export const createSdmx21 = (record: Sdmx21Record): Provider => ({
  ...record,
  capabilities: ['hierarchical', 'search'],
  parameters: rangeParameters('period'),
  explain: (reply, request) => explain(record, reply, request),
  browse: (path, ctx) => browse(record, path, ctx),

  async seriesAt(path, { limit, offset }, ctx) {
    if (path.length === 0) return { items: [], total: 0 };
    const items = await listKeys(record, path, ctx);
    return { items: items.slice(offset, offset + limit), total: items.length };
  },

  async *listAll(ctx) {
    for (const flow of await fetchFlows(record, ctx)) {
      const id = refOf(record, flow);
      const description = flow.description;
      yield {
        id,
        label: flow.name,
        kind: 'folder',
        path: [id],
        ...(description === undefined ? {} : { description }),
      };
    }
  },

  preview: (seriesId, _params, ctx) =>
    fetchSeries(record, seriesId, record.wholeSeries === true ? {} : { lastNObservations: 24 }, ctx),

  async series(seriesId, params, ctx) {
    const whole = record.wholeSeries === true;
    const data = await fetchSeries(record, seriesId, whole ? {} : bounds(params), ctx);
    return whole || record.cutsRange === true ? withinBounds(data, params) : data;
  },
});
