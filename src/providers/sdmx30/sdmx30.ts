import { AppError } from '../../lib/errors.js';
import {
  isSeriesMissing,
  malformedSeriesId,
  refusedRequest,
  seriesNotFound,
  unknownPath,
} from '../errors.js';
import { legendOf, sdmxStatuses } from '../flags.js';
import { toMetadata } from '../metadata.js';
import type {
  Context,
  Folder,
  Item,
  Provider,
  SeriesData,
  SeriesMetadata,
  UpstreamReply,
  UpstreamRequest,
} from '../provider.js';
import { rangeParameters, withinBounds } from '../range.js';
import type { SdmxService } from '../sdmx21/record.js';
import { frequencyLabel } from '../sdmx21/series.js';
import { keyNotFound } from '../series-key.js';
import { readExponent, unitWithExponent } from '../units.js';
import { type KeyedSeries, readSeries, requireOneSeries, statusIds } from './data.js';
import {
  type Dimension,
  type Flow,
  readAvailability,
  readFlows,
  readStructure,
  type Structure,
} from './structure.js';

/**
 * An SDMX 3.0 REST service with JSON as a data record. Paths are agency, flow, then codes in the order of the key;
 * the last dimension is the list of series. A series id is `AGENCY,FLOW/KEY`, or `AGENCY,FLOW,VERSION/KEY`; without
 * a version the newest is meant. Parameters `start` and `end` are added here.
 */
export interface Sdmx30Record extends SdmxService {
  /** Labels of agencies, which the service does not tell. */
  readonly agencies: Readonly<Record<string, string>>;
}

const json = { accept: 'application/json' };
const newest = '+';
const idForm = /^([\w.-]+),([\w@-]+)(?:,([\w.+~-]+))?\/([\w@$*-]*(?:\.[\w@$*-]*)*)$/;

const structureRequest = (
  record: Sdmx30Record,
  path: readonly string[],
  query: UpstreamRequest['query'],
): UpstreamRequest => ({
  path,
  headers: json,
  keep: 'structure',
  ...(query === undefined ? {} : { query }),
  ...(record.structureTimeoutMs === undefined ? {} : { timeoutMs: record.structureTimeoutMs }),
});

const fetchFlows = async (record: Sdmx30Record, { http }: Context): Promise<Flow[]> => {
  const path = ['structure', 'dataflow', 'all', '*', newest];
  return readFlows(record, await http.json(structureRequest(record, path, undefined)));
};

/** Undefined for an unknown flow, which is answered with 204 and nothing. */
const fetchStructure = async (
  record: Sdmx30Record,
  [agency, flow, version]: readonly [string, string, string],
  { http }: Context,
): Promise<Structure | undefined> => {
  const path = ['structure', 'dataflow', agency, flow, version];
  const payload = await http.json(structureRequest(record, path, { references: 'descendants' }));
  return payload === undefined ? undefined : readStructure(record, payload);
};

const hasCode = (dimension: Dimension | undefined, code: string): boolean =>
  dimension !== undefined && (dimension.codes.size === 0 || dimension.codes.has(code));

interface Place {
  readonly agency: string;
  readonly flow: string;
  readonly codes: readonly string[];
  readonly dimensions: readonly Dimension[];
}

/** A path below a flow, checked against its structure. */
const openPath = async (record: Sdmx30Record, path: readonly string[], ctx: Context): Promise<Place> => {
  const [agency = '', flow = '', ...codes] = path;
  const structure = await fetchStructure(record, [agency, flow, newest], ctx);
  const dimensions = structure?.dimensions ?? [];
  const known =
    codes.length < dimensions.length && codes.every((code, index) => hasCode(dimensions[index], code));
  if (!known) throw unknownPath(record, path);
  return { agency, flow, codes, dimensions };
};

/** Codes of the next dimension that have data together with the codes so far, in the order of the list. */
const nextCodes = async (
  record: Sdmx30Record,
  { agency, flow, codes, dimensions }: Place,
  { http }: Context,
): Promise<[string, string][]> => {
  const next = dimensions[codes.length];
  if (next === undefined) return [];
  const key = dimensions.map((_, index) => codes[index] ?? '*').join('.');
  const path = ['availability', 'dataflow', agency, flow, newest, key, next.id];
  const payload = await http.json(structureRequest(record, path, { mode: 'available', references: 'none' }));
  // 204: nothing has data together with these codes.
  if (payload === undefined) return [];
  const available = readAvailability(record, payload, next.id);
  if (next.codes.size === 0) return [...(available ?? [])].map((code) => [code, code]);
  return [...next.codes].filter(([code]) => available?.has(code) ?? true);
};

const flowFolder = ({ id, name }: Flow): Folder => ({ segment: id, label: name ?? id });

const byAgency = (flows: readonly Flow[]): ReadonlyMap<string, readonly Flow[]> => {
  const groups = new Map<string, Flow[]>();
  for (const flow of flows) groups.set(flow.agencyID, [...(groups.get(flow.agencyID) ?? []), flow]);
  return groups;
};

const browse = async (record: Sdmx30Record, path: readonly string[], ctx: Context): Promise<Folder[]> => {
  if (path.length < 2) {
    const flows = byAgency(await fetchFlows(record, ctx));
    const [agency] = path;
    if (agency !== undefined) {
      const own = flows.get(agency);
      if (own === undefined) throw unknownPath(record, path);
      return own.map(flowFolder);
    }
    return [...flows].map(([segment, own]) => ({
      segment,
      label: record.agencies[segment] ?? segment,
      children: own.map(flowFolder),
    }));
  }
  const place = await openPath(record, path, ctx);
  const left = place.dimensions.length - place.codes.length;
  if (left <= 1) return [];
  const codes = await nextCodes(record, place, ctx);
  return codes.map(([segment, label]) => ({ segment, label, ...(left === 2 ? { leaf: true } : {}) }));
};

const listSeries = async (record: Sdmx30Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const place = await openPath(record, path, ctx);
  const { agency, flow, codes, dimensions } = place;
  // Further up is a product of code lists, most of which has no data.
  if (codes.length < dimensions.length - 1) return [];
  const chosen = codes.map((code, index) => dimensions[index]?.codes.get(code) ?? code);
  return (await nextCodes(record, place, ctx)).map(([code, label]) => ({
    id: `${agency},${flow}/${[...codes, code].join('.')}`,
    label: [...chosen, label].join(' - '),
    path,
  }));
};

const describe = (
  record: Sdmx30Record,
  { key, attributes, observations }: KeyedSeries,
  structure: Structure | undefined,
): { readonly label: string; readonly metadata: SeriesMetadata } => {
  const spell = (id: string, code: string | undefined): string | undefined =>
    code === undefined
      ? undefined
      : (structure?.dimensions.find((one) => one.id === id)?.codes.get(code) ??
        structure?.attributes.get(id)?.get(code) ??
        code);
  const first = (meant: RegExp): string | undefined => {
    const found = Object.entries({ ...attributes, ...key }).find(([id]) => meant.test(id));
    return found === undefined ? undefined : spell(...found);
  };
  return {
    label: Object.entries(key)
      .map(([id, code]) => spell(id, code))
      .join(' - '),
    metadata: toMetadata({
      frequency: frequencyLabel(key.FREQUENCY ?? key.FREQ),
      // `SCALE` is how the service displays a value; the values that it sends are in units already.
      ...unitWithExponent(first(/^UNIT(?:_MEASURE)?$/), readExponent(attributes.UNIT_MULT)),
      seasonal_adjustment: first(/^S_ADJUSTMENT$|^ADJUSTMENT$/),
      source: record.provider,
      dataset: structure?.flow?.name,
      notes: structure?.flow?.description,
      flags: legendOf(
        observations,
        ...statusIds.map((id) => structure?.attributes.get(id) ?? {}),
        sdmxStatuses,
      ),
    }),
  };
};

/** A series is asked for as a whole and kept: preview and every range share one reply, and are cut here. */
const fetchSeries = async (record: Sdmx30Record, seriesId: string, ctx: Context): Promise<SeriesData> => {
  const [whole, agency = '', flow = '', version = newest, key = ''] = idForm.exec(seriesId) ?? [];
  if (whole === undefined || key === '') {
    throw malformedSeriesId(record, seriesId, record.seriesIdPlaceholder);
  }
  // An open position is a star; the service takes nothing for a missing one.
  const stars = key.split('.').map((code) => code || '*');
  const request: UpstreamRequest = {
    path: ['data', 'dataflow', agency, flow, version, stars.join('.')],
    query: { dimensionAtObservation: 'TIME_PERIOD', attributes: 'dsd', measures: 'all' },
    headers: json,
    keep: 'series',
  };
  // Some services answer 404, others nothing.
  const payload = await ctx.http.json(request).catch((error: unknown) => {
    if (isSeriesMissing(error)) return undefined;
    throw error;
  });
  if (payload === undefined) {
    // Without the structure, the answer is that there is no such series.
    const structure = await fetchStructure(record, [agency, flow, version], ctx).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });
    throw structure === undefined
      ? seriesNotFound(record, seriesId)
      : keyNotFound(record, seriesId, structure.dimensions, stars);
  }
  const series = requireOneSeries(record, seriesId, readSeries(record, payload));
  const structure = await fetchStructure(record, [agency, flow, version], ctx);
  return { ...describe(record, series, structure), data: series.observations };
};

const messageOf = ({ text }: UpstreamReply): string => /"message"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? '';

const explain = (
  record: Sdmx30Record,
  reply: UpstreamReply,
  { path: [call, , agency = '', flow = '', , key = ''] }: UpstreamRequest,
): AppError | undefined => {
  if (reply.status !== 404 && reply.status !== 400) return undefined;
  // Bounds are never sent, so what is wrong in a data query is the key.
  if (call === 'data') return seriesNotFound(record, `${agency},${flow}/${key}`);
  return reply.status === 404
    ? unknownPath(record, [agency, flow])
    : refusedRequest(record, messageOf(reply));
};

/** A connector for an SDMX 3.0 service from its data record. */
export const createSdmx30 = (record: Sdmx30Record): Provider => ({
  ...record,
  capabilities: ['hierarchical', 'search'],
  parameters: rangeParameters('period'),
  explain: (reply, request) => explain(record, reply, request),
  browse: (path, ctx) => browse(record, path, ctx),

  async seriesAt(path, { limit, offset }, ctx) {
    if (path.length < 2) return { items: [], total: 0 };
    const items = await listSeries(record, path, ctx);
    return { items: items.slice(offset, offset + limit), total: items.length };
  },

  async *listAll(ctx) {
    for (const { agencyID, id, name, description } of await fetchFlows(record, ctx)) {
      yield {
        id: `${agencyID},${id}`,
        label: name ?? id,
        kind: 'folder',
        path: [agencyID, id],
        ...(description ? { description } : {}),
      };
    }
  },

  preview: (seriesId, _params, ctx) => fetchSeries(record, seriesId, ctx),
  series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(record, seriesId, ctx), params),
});
