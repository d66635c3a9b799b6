import {
  refusedRequest,
  seriesNotFound,
  tooLarge,
  unexpectedReply,
  unknownPath,
  upstreamFailed,
} from '../errors.js';
import type {
  Context,
  Folder,
  Item,
  Params,
  Provider,
  SeriesData,
  UpstreamReply,
  UpstreamRequest,
} from '../provider.js';
import { readXmlData } from './data.js';
import {
  needsCodes,
  parseSeriesId,
  parseTable,
  requireOneSeries,
  type Spell,
  toSeriesData,
  withinBounds,
} from './series.js';
import {
  type Dimension,
  type Flow,
  readAvailability,
  readErrorDocument,
  readFlows,
  readStructure,
  type Structure,
} from './structure.js';
import { parseXml, type XmlElement } from './xml.js';

const genericXml = 'application/vnd.sdmx.genericdata+xml;version=2.1';
const structureXml = 'application/vnd.sdmx.structure+xml;version=2.1';

const refOf = (record: Sdmx21Record, flow: Flow): string =>
  record.flowRef === 'id' ? flow.id : `${flow.agency},${flow.id},${flow.version}`;

const readXml = (record: Sdmx21Record, text: string): XmlElement => {
  try {
    return parseXml(text);
  } catch {
    throw unexpectedReply(record, 'it is not XML');
  }
};

const structureRequest = (
  record: Sdmx21Record,
  path: readonly string[],
  query?: UpstreamRequest['query'],
): UpstreamRequest => ({
  path,
  headers: { accept: record.structureAccept ?? structureXml },
  keep: 'structure',
  counted: record.structureCounted ?? true,
  ...(query === undefined ? {} : { query }),
  ...(record.structureTimeoutMs === undefined ? {} : { timeoutMs: record.structureTimeoutMs }),
});

const fetchFlows = async (record: Sdmx21Record, { http }: Context): Promise<Flow[]> => {
  const { text } = await http.text(structureRequest(record, ['dataflow', record.agency, 'all', 'latest']));
  const flows = readFlows(readXml(record, text));
  if (flows.length === 0) throw unexpectedReply(record, 'it lists no flows');
  return flows;
};

const fetchStructure = async (record: Sdmx21Record, flow: string, { http }: Context): Promise<Structure> => {
  const parts = flow.split(',');
  const [agency, id, version] =
    parts.length === 1 ? [record.agency, flow, 'latest'] : [parts[0], parts[1], parts[2] ?? 'latest'];
  const path = ['dataflow', agency ?? '', id ?? '', version ?? 'latest'];
  const { text } = await http.text(structureRequest(record, path, { references: 'descendants' }));
  const structure = readStructure(readXml(record, text));
  if (structure === undefined || structure.dimensions.length === 0)
    throw unexpectedReply(record, 'a flow without dimensions');
  return structure;
};

const spellWith =
  (structure: Structure | undefined): Spell =>
  (column, code) =>
    structure?.dimensions.find(({ id }) => id === column)?.codes.get(code) ??
    structure?.attributes.get(column)?.get(code);

const dataRequest = (
  record: Sdmx21Record,
  flow: string,
  key: string,
  query: UpstreamRequest['query'],
): UpstreamRequest => ({
  path: ['data', flow, key, ...(record.dataSuffix ?? [])],
  query: { ...query, ...record.csv.query },
  ...(record.csv.accept === undefined ? {} : { headers: { accept: record.csv.accept } }),
});

const fetchSeries = async (
  record: Sdmx21Record,
  seriesId: string,
  query: UpstreamRequest['query'],
  ctx: Context,
): Promise<SeriesData> => {
  const { flow, key } = parseSeriesId(record, seriesId);
  const { text } = await ctx.http.text(dataRequest(record, flow, key, query));
  // An empty body is how several services say that nothing matches.
  if (text.trim() === '') throw seriesNotFound(record, seriesId);
  const table = parseTable(record, text);
  requireOneSeries(record, seriesId, table);
  const structure = needsCodes(table) ? await fetchStructure(record, flow, ctx) : undefined;
  return toSeriesData(record, table, spellWith(structure));
};

/** The flow and the codes chosen so far, checked against the structure. */
const openPath = async (record: Sdmx21Record, path: readonly string[], ctx: Context) => {
  const [flow = '', ...codes] = path;
  const structure = await fetchStructure(record, flow, ctx);
  const known = codes.every((code, index) => structure.dimensions[index]?.codes.has(code) === true);
  if (!known) throw unknownPath(record, path);
  const key = structure.dimensions.map((_, index) => codes[index] ?? '').join('.');
  return { flow, codes, structure, key };
};

const availableCodes = async (
  record: Sdmx21Record,
  flow: string,
  key: string,
  dimension: Dimension,
  { http }: Context,
): Promise<readonly string[]> => {
  const all = [...dimension.codes.keys()];
  if (record.availability === 'codelist') return all;
  const { text } = await http.text(
    structureRequest(record, ['availableconstraint', flow, key, 'all', dimension.id]),
  );
  const codes = readAvailability(readXml(record, text)).get(dimension.id);
  if (codes === undefined) throw unexpectedReply(record, `no codes of ${dimension.id}`);
  const wanted = new Set(codes);
  return all.filter((code) => wanted.has(code));
};

const browse = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Folder[]> => {
  if (path.length === 0) {
    const flows = await fetchFlows(record, ctx);
    return flows.map((flow) => ({ segment: refOf(record, flow), label: flow.name }));
  }
  const { flow, codes, structure, key } = await openPath(record, path, ctx);
  const dimension = structure.dimensions[codes.length];
  if (dimension === undefined) return [];
  const leaf = codes.length + 1 === structure.dimensions.length;
  return (await availableCodes(record, flow, key, dimension, ctx)).map((code) => ({
    segment: code,
    label: dimension.codes.get(code) ?? code,
    ...(leaf ? { leaf } : {}),
  }));
};

const listKeys = async (record: Sdmx21Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const { flow, structure, key } = await openPath(record, path, ctx);
  const { text } = await ctx.http.text({
    path: ['data', flow, key, ...(record.dataSuffix ?? [])],
    query: { detail: 'serieskeysonly' },
    headers: { accept: genericXml },
    keep: 'list',
  });
  const spell = spellWith(structure);
  return readXmlData(readXml(record, text))
    .map((series): Item => {
      const codes = structure.dimensions.map(({ id }) => series.key[id] ?? '');
      const label = structure.dimensions
        .map(({ id }, index) => spell(id, codes[index] ?? '') ?? codes[index])
        .join(' - ');
      return {
        id: `${flow}/${codes.join('.')}`,
        label: series.attributes.TITLE?.trim() || label,
        path: [flow, ...codes],
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
};

const notFound = (record: Sdmx21Record, { path }: UpstreamRequest): Error =>
  path[0] === 'data'
    ? seriesNotFound(record, path.slice(1, 3).join('/'))
    : unknownPath(record, path.slice(2, 3));

/** Bounds are checked before they are sent, so what a service calls wrong in a data query is the key. */
const explain = (record: Sdmx21Record, reply: UpstreamReply, request: UpstreamRequest): Error | undefined => {
  const told = readErrorDocument(reply.text);
  const code = told?.code ?? (reply.status >= 400 ? reply.status : 0);
  if (code === 100 || code === 404) return notFound(record, request);
  if (code === 130 || code === 413 || code === 510) return tooLarge(record);
  if (code === 140 || code === 150 || code === 400) {
    return request.path[0] === 'data' ? notFound(record, request) : refusedRequest(record, told?.text ?? '');
  }
  return told === undefined || reply.status >= 500 ? undefined : upstreamFailed(record, told.text);
};

const bounds = ({ start, end }: Params): NonNullable<UpstreamRequest['query']> => ({
  startPeriod: start,
  endPeriod: end,
});

/** A connector for an SDMX 2.1 service from its data record. */
export const createSdmx21 = (record: Sdmx21Record): Provider => ({
  ...record,
  capabilities: ['hierarchical', 'search'],
  parameters: [
    { key: 'start', label: 'First period', type: 'text', location: 'query', format: 'date' },
    { key: 'end', label: 'Last period', type: 'text', location: 'query', format: 'date' },
  ],
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

  preview: (seriesId, _params, ctx) => fetchSeries(record, seriesId, { lastNObservations: 24 }, ctx),

  async series(seriesId, params, ctx) {
    const data = await fetchSeries(record, seriesId, bounds(params), ctx);
    return record.cutsRange === true ? withinBounds(data, params) : data;
  },
});
