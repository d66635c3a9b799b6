import { pageOf } from '../listing.js';
import type { Context, Folder, Item, Provider } from '../provider.js';
import { rangeParameters } from '../range.js';

/** Record of one SDMX service; the rest of a connector is the same for all of them. */
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
  /** For structure calls, where they are slow; in milliseconds. */
  readonly structureTimeoutMs?: number;
}

/** Parts of a connector that depend on the version of the protocol. */
export interface SdmxProtocol extends Pick<Provider, 'lastUpdate' | 'panel' | 'preview' | 'series'> {
  readonly explain: NonNullable<Provider['explain']>;
  /** Segments of a path that name a flow. */
  readonly flowSegments: number;
  /** Flows as items: their id, name, description and path. */
  flows(ctx: Context): Promise<readonly Item[]>;
  folders(path: readonly string[], ctx: Context): Promise<readonly Folder[]>;
  /** All series below a path that names at least a flow. */
  seriesBelow(path: readonly string[], ctx: Context): Promise<readonly Item[]>;
}

/** A connector from its record and the protocol that the service speaks. */
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
    for (const flow of await protocol.flows(ctx)) yield { ...flow, kind: 'folder' };
  },
  preview: protocol.preview,
  series: protocol.series,
  ...(protocol.panel === undefined ? {} : { panel: protocol.panel }),
  ...(protocol.lastUpdate === undefined ? {} : { lastUpdate: protocol.lastUpdate }),
});
