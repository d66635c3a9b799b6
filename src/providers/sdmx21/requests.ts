import {
  refusedRequest,
  seriesNotFound,
  tooLarge,
  unexpectedReply,
  unknownPath,
  upstreamFailed,
} from '../errors.js';
import type { Context, UpstreamReply, UpstreamRequest } from '../provider.js';
import { readXml } from '../xml.js';
import type { Sdmx21Record } from './record.js';
import { keysOnly, pathOf } from './rest.js';
import { type Flow, type FlowStructure, readErrorDocument, readFlows, readStructure } from './structure.js';

const genericXml = 'application/vnd.sdmx.genericdata+xml;version=2.1';
const structureXml = 'application/vnd.sdmx.structure+xml;version=2.1';

export const refOf = (record: Sdmx21Record, flow: Flow): string =>
  record.flowRef === 'id' ? flow.id : `${flow.agency},${flow.id}`;

export const structureRequest = (
  record: Sdmx21Record,
  path: readonly string[],
  query?: UpstreamRequest['query'],
): UpstreamRequest => ({
  path: pathOf(record, path),
  headers: { accept: record.structureAccept ?? structureXml },
  keep: 'structure',
  counted: record.structureCounted ?? true,
  query,
  timeoutMs: record.structureTimeoutMs,
});

export const fetchFlows = async (record: Sdmx21Record, { http }: Context): Promise<Flow[]> => {
  const { text } = await http.text(structureRequest(record, ['dataflow', record.agency, 'all', 'latest']));
  const flows = readFlows(readXml(record, text));
  if (flows.length === 0) throw unexpectedReply(record, 'it lists no flows');
  // A service may list several versions of a flow.
  return [...new Map(flows.map((flow) => [refOf(record, flow), flow])).values()];
};

export const fetchStructure = async (
  record: Sdmx21Record,
  flow: string,
  { http }: Context,
): Promise<FlowStructure> => {
  const parts = flow.split(',');
  const [agency, id, version] =
    parts.length === 1 ? [record.agency, flow, 'latest'] : [parts[0], parts[1], parts[2] ?? 'latest'];
  const path = ['dataflow', agency ?? '', id ?? '', version ?? 'latest'];
  // Constraints refer to the flow, so they are its parents, which `descendants` omits.
  const references = record.availability === 'references' ? 'all' : 'descendants';
  const { text } = await http.text(structureRequest(record, path, { references }));
  const structure = readStructure(readXml(record, text));
  if (structure === undefined || structure.dimensions.length === 0)
    throw unexpectedReply(record, 'a flow without dimensions');
  return structure;
};

export const dataRequest = (
  record: Sdmx21Record,
  flow: string,
  key: string,
  query: UpstreamRequest['query'],
): UpstreamRequest => {
  const accept = record.csv === undefined ? genericXml : record.csv.accept;
  return {
    path: pathOf(record, ['data', flow, key, ...(record.dataSuffix ?? [])]),
    query: { ...query, ...record.csv?.query },
    headers: accept === undefined ? undefined : { accept },
    keep: record.wholeSeries === true ? 'series' : undefined,
  };
};

/** The keys of all matching series, without observations. */
export const keysRequest = (record: Sdmx21Record, flow: string, key: string): UpstreamRequest => ({
  path: pathOf(record, ['data', flow, key, ...(record.dataSuffix ?? [])]),
  query: keysOnly(record),
  headers: { accept: genericXml },
  keep: 'list',
});

/** Calls whose path is flow and key. Others name an artefact: `dataflow/AGENCY/ID/VERSION`. */
const keyed: ReadonlySet<string | undefined> = new Set(['data', 'availableconstraint', 'availability']);

const notFound = (record: Sdmx21Record, { path }: UpstreamRequest): Error =>
  keyed.has(path[0])
    ? seriesNotFound(record, path.slice(1, 3).join('/'))
    : unknownPath(record, path.slice(2, 3));

/** Bounds are checked before they are sent, so an error in a data query is about the key. */
export const explain = (
  record: Sdmx21Record,
  reply: UpstreamReply,
  request: UpstreamRequest,
): Error | undefined => {
  const document = readErrorDocument(reply.text);
  const code = document?.code ?? (reply.status >= 400 ? reply.status : 0);
  if (code === 100 || code === 404) return notFound(record, request);
  if (code === 130 || code === 413 || code === 510) return tooLarge(record);
  if (code === 140 || code === 150 || code === 400) {
    return request.path[0] === 'data'
      ? notFound(record, request)
      : refusedRequest(record, document?.text ?? '');
  }
  return document === undefined || reply.status >= 500 ? undefined : upstreamFailed(record, document.text);
};
