import type { Context, UpstreamRequest } from '../provider.js';
import type { SdmxService } from '../sdmx/service.js';
import { type FlowStructure, readStructure } from './structure.js';

/**
 * An SDMX 3.0 REST service with JSON, as a data record. Paths are agency, flow, then codes in the order of the key; the last dimension is
 * the list of series. A series id is `AGENCY,FLOW/KEY`, or `AGENCY,FLOW,VERSION/KEY`; without a version the newest is used. Parameters
 * `start` and `end` are added here.
 */
export interface Sdmx30Record extends SdmxService {
  /** Labels of agencies, which the service does not provide. */
  readonly agencies: Readonly<Record<string, string>>;
}

export const json = { accept: 'application/json' };
export const newest = '+';

export const structureRequest = (
  record: Sdmx30Record,
  path: readonly string[],
  query: UpstreamRequest['query'],
): UpstreamRequest => ({
  path,
  headers: json,
  keep: 'structure',
  query,
  timeoutMs: record.structureTimeoutMs,
});

/** Undefined for an unknown flow, for which the service returns 204. */
export const fetchStructure = async (
  record: Sdmx30Record,
  [agency, flow, version]: readonly [string, string, string],
  { http }: Context,
): Promise<FlowStructure | undefined> => {
  const path = ['structure', 'dataflow', agency, flow, version];
  const payload = await http.json(structureRequest(record, path, { references: 'descendants' }));
  return payload === undefined ? undefined : readStructure(record, payload);
};
