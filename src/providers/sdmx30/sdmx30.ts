import type { AppError } from '../../lib/errors.js';
import { refusedRequest, seriesNotFound, unknownPath } from '../errors.js';
import type { Context, Folder, Item, Provider, UpstreamReply, UpstreamRequest } from '../provider.js';
import { withinBounds } from '../range.js';
import { codesOf, type FlowPath, flowPathOf, foldersOf, keyOf } from '../sdmx/flow-path.js';
import { createSdmxProvider } from '../sdmx/service.js';
import { fetchPanel } from './panel.js';
import { fetchStructure, newest, type Sdmx30Record, structureRequest } from './requests.js';
import { fetchSeries } from './series.js';
import { type Flow, type FlowStructure, readAvailability, readFlows } from './structure.js';

const fetchFlows = async (record: Sdmx30Record, { http }: Context): Promise<Flow[]> => {
  const path = ['structure', 'dataflow', 'all', '*', newest];
  return readFlows(record, await http.json(structureRequest(record, path, undefined)));
};

/** The first segments of a path are the agency and the flow. */
const flowSegments = 2;

const openPath = async (
  record: Sdmx30Record,
  path: readonly string[],
  ctx: Context,
): Promise<FlowPath<FlowStructure>> => {
  const [agency = '', flow = ''] = path;
  const flowPath = flowPathOf(
    record,
    path,
    flowSegments,
    await fetchStructure(record, [agency, flow, newest], ctx),
  );
  // The last dimension is the list of series.
  if (flowPath.codes.length >= flowPath.structure.dimensions.length) throw unknownPath(record, path);
  return flowPath;
};

/** Codes of the next dimension that have data in combination with the codes so far, in the order of the list. */
const nextCodes = async (
  record: Sdmx30Record,
  flowPath: FlowPath<FlowStructure>,
  { http }: Context,
): Promise<readonly string[]> => {
  const next = flowPath.structure.dimensions[flowPath.codes.length];
  if (next === undefined) return [];
  const path = ['availability', 'dataflow', ...flowPath.flow, newest, keyOf(flowPath, '*'), next.id];
  const payload = await http.json(structureRequest(record, path, { mode: 'available', references: 'none' }));
  // 204: no data for this combination of codes.
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
  const flowPath = await openPath(record, path, ctx);
  const { dimensions } = flowPath.structure;
  const next = dimensions[flowPath.codes.length];
  const left = dimensions.length - flowPath.codes.length;
  if (next === undefined || left <= 1) return [];
  return foldersOf(next, await nextCodes(record, flowPath, ctx), left === 2);
};

const listSeries = async (record: Sdmx30Record, path: readonly string[], ctx: Context): Promise<Item[]> => {
  const flowPath = await openPath(record, path, ctx);
  const { flow, codes, structure } = flowPath;
  // At higher levels the list would be a product of code lists, most of which has no data.
  if (codes.length < structure.dimensions.length - 1) return [];
  const labelOf = (code: string, index: number): string =>
    structure.dimensions[index]?.codes.get(code) ?? code;
  return (await nextCodes(record, flowPath, ctx)).map((code) => ({
    id: `${flow.join(',')}/${[...codes, code].join('.')}`,
    label: [...codes, code].map(labelOf).join(' - '),
    path,
  }));
};

const messageOf = ({ text }: UpstreamReply): string => /"message"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? '';

const explain = (
  record: Sdmx30Record,
  reply: UpstreamReply,
  { path: [call, , agency = '', flow = '', , key = ''] }: UpstreamRequest,
): AppError | undefined => {
  if (reply.status !== 404 && reply.status !== 400) return undefined;
  // Bounds are never sent, so an error in a data query is about the key.
  if (call === 'data') return seriesNotFound(record, `${agency},${flow}/${key}`);
  return reply.status === 404
    ? unknownPath(record, [agency, flow])
    : refusedRequest(record, messageOf(reply));
};

const flowItem = ({ agencyID, id, name, description }: Flow): Item => ({
  id: `${agencyID},${id}`,
  label: name ?? id,
  path: [agencyID, id],
  description: description || undefined,
});

/** A connector for an SDMX 3.0 service, from its record. */
export const createSdmx30 = (record: Sdmx30Record): Provider =>
  createSdmxProvider(record, {
    flowSegments,
    explain: (reply, request) => explain(record, reply, request),
    flows: async (ctx) => (await fetchFlows(record, ctx)).map(flowItem),
    folders: (path, ctx) => browse(record, path, ctx),
    seriesBelow: (path, ctx) => listSeries(record, path, ctx),
    panel: (seriesId, params, ctx) => fetchPanel(record, seriesId, params, ctx),
    preview: (seriesId, _params, ctx) => fetchSeries(record, seriesId, ctx),
    series: async (seriesId, params, ctx) => withinBounds(await fetchSeries(record, seriesId, ctx), params),
  });
