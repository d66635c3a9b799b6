import type { AppError } from '../../lib/errors.js';
import {
  isSeriesMissing,
  malformedSeriesId,
  refusedRequest,
  seriesNotFound,
  unexpectedReply,
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
import { withinBounds } from '../range.js';
import { missingSeries, requireOneSeries } from '../sdmx/one-series.js';
import { codesOf, foldersOf, keyOf, type Place, placeOf } from '../sdmx/place.js';
import { createSdmxProvider, type SdmxService } from '../sdmx/service.js';
import { frequencyLabel, spellWith } from '../sdmx/structure.js';
import { readExponent, unitWithExponent } from '../units.js';
import { type KeyedSeries, readSeries, statusIds } from './data.js';
import { type Flow, type FlowStructure, readAvailability, readFlows, readStructure } from './structure.js';

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
): Promise<FlowStructure | undefined> => {
  const path = ['structure', 'dataflow', agency, flow, version];
  const payload = await http.json(structureRequest(record, path, { references: 'descendants' }));
  return payload === undefined ? undefined : readStructure(record, payload);
};

/** The first segments of a path are the agency and the flow. */
const flowSegments = 2;

const openPath = async (
  record: Sdmx30Record,
  path: readonly string[],
  ctx: Context,
): Promise<Place<FlowStructure>> => {
  const [agency = '', flow = ''] = path;
  const place = placeOf(
    record,
    path,
    flowSegments,
    await fetchStructure(record, [agency, flow, newest], ctx),
  );
  // The last dimension is the list of series.
  if (place.codes.length >= place.structure.dimensions.length) throw unknownPath(record, path);
  return place;
};

/** Codes of the next dimension that have data together with the codes so far, in the order of the list. */
const nextCodes = async (
  record: Sdmx30Record,
  place: Place<FlowStructure>,
  { http }: Context,
): Promise<readonly string[]> => {
  const next = place.structure.dimensions[place.codes.length];
  if (next === undefined) return [];
  const path = ['availability', 'dataflow', ...place.flow, newest, keyOf(place, '*'), next.id];
  const payload = await http.json(structureRequest(record, path, { mode: 'available', references: 'none' }));
  // 204: nothing has data together with these codes.
  if (payload === undefined) return [];
  return codesOf(record, next, readAvailability(record, payload, next.id));
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
  const { dimensions } = place.structure;
  const next = dimensions[place.codes.length];
  const left = dimensions.length - place.codes.length;
  if (next === undefined || left <= 1) return [];
  return foldersOf(next, await nextCodes(record, place, ctx), left === 2);
};

const listSeries = async (record: Sdmx30Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const place = await openPath(record, path, ctx);
  const { flow, codes, structure } = place;
  // Further up is a product of code lists, most of which has no data.
  if (codes.length < structure.dimensions.length - 1) return [];
  const labelOf = (code: string, index: number): string =>
    structure.dimensions[index]?.codes.get(code) ?? code;
  return (await nextCodes(record, place, ctx)).map((code) => ({
    id: `${flow.join(',')}/${[...codes, code].join('.')}`,
    label: [...codes, code].map(labelOf).join(' - '),
    path,
  }));
};

const describe = (
  record: Sdmx30Record,
  { key, attributes, observations }: KeyedSeries,
  structure: FlowStructure | undefined,
): { readonly label: string; readonly metadata: SeriesMetadata } => {
  const told = spellWith(structure);
  const spell = (id: string, code: string): string => told(id, code) ?? code;
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
    throw await missingSeries(record, seriesId, stars.join('.'), () =>
      fetchStructure(record, [agency, flow, version], ctx),
    );
  }
  const found = readSeries(record, payload).filter(({ observations }) => observations.length > 0);
  const keys = found.map(({ key: codes }) => codes);
  requireOneSeries(record, seriesId, keys, Object.keys(keys[0] ?? {}));
  const [series] = found;
  if (series === undefined) throw seriesNotFound(record, seriesId);
  if (found.length > 1) throw unexpectedReply(record, 'it has the same series twice');
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

const flowItem = ({ agencyID, id, name, description }: Flow): Item => ({
  id: `${agencyID},${id}`,
  label: name ?? id,
  path: [agencyID, id],
  ...(description ? { description } : {}),
});

/** A connector for an SDMX 3.0 service from its data record. */
export const createSdmx30 = (record: Sdmx30Record): Provider =>
  createSdmxProvider(record, {
    flowSegments,
    explain: (reply, request) => explain(record, reply, request),
    flows: async (ctx) => (await fetchFlows(record, ctx)).map(flowItem),
    folders: (path, ctx) => browse(record, path, ctx),
    seriesBelow: (path, ctx) => listSeries(record, path, ctx),
    preview: (seriesId, _params, ctx) => fetchSeries(record, seriesId, ctx),
    series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(record, seriesId, ctx), params),
  });
