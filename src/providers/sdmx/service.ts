import { pick } from '../../lib/pick.js';
import { loadPart, pageOf } from '../listing.js';
import type { Context, Folder, Item, Provider } from '../provider.js';
import { rangeParameters } from '../range.js';

/** Record of one SDMX service. The rest of a connector is the same for all of them. */
export interface SdmxService
  extends Omit<
    Provider,
    | 'capabilities'
    | 'parameters'
    | 'explain'
    | 'browse'
    | 'seriesAt'
    | 'search'
    | 'listAll'
    | 'preview'
    | 'series'
  > {
  /** For slow structure calls, in milliseconds. */
  readonly structureTimeoutMs?: number | undefined;
  /** Flows, by their first path segment, whose series are in the search index too: small and frequently used ones. */
  readonly listedFlows?: readonly string[] | undefined;
}

/** Parts of a connector that depend on the version of the protocol. */
export interface SdmxProtocol extends Pick<Provider, 'lastUpdate' | 'panel' | 'preview' | 'series'> {
  readonly explain: NonNullable<Provider['explain']>;
  readonly flowSegments: number;
  /** Flows as items: their id, name, description and path. */
  flows(ctx: Context): Promise<readonly Item[]>;
  folders(path: readonly string[], ctx: Context): Promise<readonly Folder[]>;
  /** All series of a path that names at least a flow. */
  seriesBelow(path: readonly string[], ctx: Context): Promise<readonly Item[]>;
}

/** A connector from its record and the protocol version of the service. */
export const createSdmxProvider = (record: SdmxService, protocol: SdmxProtocol): Provider => ({
  ...record,
  capabilities: ['hierarchical', 'search'],
  parameters: rangeParameters('period'),
  explain: protocol.explain,
  browse: protocol.folders,
  async seriesAt(path, page, ctx) {
    if (path.length < protocol.flowSegments) return { items: [], total: 0 };
    return pageOf(await protocol.seriesBelow(path, ctx), page);
  },
  async *listAll(ctx) {
    const flows = await protocol.flows(ctx);
    for (const flow of flows) yield { ...flow, kind: 'folder' };
    // The bundled list has better titles.
    const popular = new Set(record.popularSeries.map(({ id }) => id));
    for (const { id, label, path = [] } of flows) {
      if (record.listedFlows?.includes(id) !== true) continue;
      const series = (await loadPart(ctx, id, () => protocol.seriesBelow(path, ctx))) ?? [];
      for (const one of series) if (!popular.has(one.id)) yield { ...one, label: `${label}: ${one.label}` };
    }
  },
  ...pick(protocol, ['preview', 'series', 'panel', 'lastUpdate']),
});
