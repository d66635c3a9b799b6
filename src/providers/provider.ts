/**
 * A connector describes one upstream: a data record plus pure functions around one network step.
 *
 * Glossary
 * - upstream: the outside service. - connector: the one file that describes it (a value of type `Provider`).
 * - path: a folder of the browse tree, as decoded segments; `[]` is the root.
 * - series id: the caller's name of one series; decoded, may hold slashes. It reaches the upstream only as a
 *   path part or a query value, both encoded by the gateway.
 * - decimal text: a number as the upstream wrote it (see numbers.ts), never a float.
 *
 * A connector never sees a key, a clock, a socket, a cache or a limit: the gateway owns those. A function that
 * an upstream cannot serve is left out; there is no empty success.
 */

import type { Limits } from './limits.js';
import type { Parameter, Params } from './parameter.js';
import type { Unit } from './units.js';

export type Capability = 'hierarchical' | 'search' | 'direct';

export interface KeyUse {
  /** Label of the key field. */
  readonly label: string;
  /** Page on which a key can be requested. */
  readonly url: string;
  /** How to get a key; one sentence for the end user. */
  readonly hint: string;
  /** True when full data needs a key; false when a key only raises the limits. */
  readonly required: boolean;
  /** Part of the request that carries the key. In a JSON body it becomes a top-level member. */
  readonly where: { readonly in: 'query' | 'header' | 'body'; readonly name: string };
  /** True when `preview` works without the key although the key is required. */
  readonly publicPreview?: boolean;
  /** True when answers got with a caller's own key may be shown to others; default false. */
  readonly mayShareAnswers?: boolean;
}

/** How long an answer may be reused, in seconds. */
export interface Validity {
  /** Folders, code lists, structures: what changes a few times a year. */
  readonly structure: number;
  /** Search results and lists of series. */
  readonly list: number;
  /** Observations. */
  readonly series: number;
}

/** Series that differ in one code, `{}` in the id: `WS_CBPOL/M.{}`. */
export interface SeriesPattern {
  readonly id: string;
  /** Title without the code's. */
  readonly label: string;
  /** Codes that have data. */
  readonly codes: readonly string[];
  /** Labels of the codes; left out where the codes are places. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A provider as errors name it. */
export type Named = Pick<Provider, 'slug' | 'name'>;

export interface Provider {
  /** Lower-case letters and digits; unique. */
  readonly slug: string;
  /** Name of the data collection. */
  readonly name: string;
  /** The organisation that publishes it. */
  readonly provider: string;
  /** Its subjects, in a sentence or two; searched by `match`. */
  readonly description: string;
  readonly capabilities: readonly Capability[];
  readonly license?: string;
  /** The sentence that the upstream's terms ask to show with its data. */
  readonly attribution?: string;
  readonly parameters: readonly Parameter[];
  /** A bundled list; the search knows these before it ever asked the upstream. */
  readonly popularSeries: readonly { readonly id: string; readonly label: string }[];
  /** Families of series, for the search. */
  readonly patterns?: readonly SeriesPattern[];
  /** Code of the place that the series are about unless their labels name another: `US`. */
  readonly home?: string;
  readonly seriesIdPlaceholder: string;
  readonly browseRootLabel?: string;
  /** Describes limits or restrictions without a key. */
  readonly anonymousLimitMessage?: string;

  /** Without a closing slash; configuration may replace it (tests put a replayed upstream here). */
  readonly baseUrl: string;
  /** True: connections to private addresses are refused, also those that a name resolves to. */
  readonly publicOnly?: boolean;
  /** Further addresses by name (`UpstreamRequest.base`); never given a key. */
  readonly otherBaseUrls?: Readonly<Record<string, string>>;
  /** Headers of every request, for example `Accept`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: KeyUse;
  readonly limits: Limits;
  readonly validity: Validity;
  /** For one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest reply that is read, after decompression; default 32 MiB. */
  readonly maxReplyBytes?: number;

  /**
   * Inspects every reply first and returns the error that it means, whatever its status
   * (several upstreams err inside HTTP 200); `undefined` leaves it to the status: 401/403 key refused, 404 not
   * found, 413 too large, 429 rate limited, any other than 2xx an error of the upstream.
   */
  explain?(reply: UpstreamReply, request: UpstreamRequest): Error | undefined;
  /** The folders at a path; an unknown path throws `unknownPath`. Capability `hierarchical`. */
  browse?(path: readonly string[], ctx: Context): Promise<readonly Folder[]>;
  /** One page of the series at a path. Capability `hierarchical`. */
  seriesAt?(path: readonly string[], page: Page, ctx: Context): Promise<SeriesPage>;
  /** The upstream's own search, where it is good. Without it the gateway's index over `listAll` serves. */
  search?(query: string, ctx: Context): Promise<readonly Item[]>;
  /**
   * Everything worth finding, for the gateway's own search index; runs in the background. Requests are kept
   * (`keep`), so an interrupted listing continues where it stopped; parts that may fail alone use `loadPart`.
   */
  listAll?(ctx: Context): AsyncIterable<Item>;
  /** Default start of a series for callers who name none, if the whole would use too many of a small quota. */
  readonly defaultStart?: {
    /** YYYY-MM-DD; undefined: at its beginning. */
    of(params: Params, ctx: Pick<Context, 'key' | 'today'>): string | undefined;
    /** Note in the metadata of such a series; a sentence for the end user. */
    readonly note: string;
  };
  /** The newest observations, about 24; more are cut by the gateway. */
  preview(seriesId: string, params: Params, ctx: Context): Promise<SeriesData>;
  /** All observations within the parameters. */
  series(seriesId: string, params: Params, ctx: Context): Promise<SeriesData>;
  /** Several series at once: an id with open dimensions, or parameters with several values. */
  panel?(seriesId: string, params: Params, ctx: Context): Promise<PanelData>;
  /**
   * When the series changed last, by one small request; the same text means that nothing did. Left out where the
   * upstream does not tell.
   */
  lastUpdate?(seriesId: string, params: Params, ctx: Context): Promise<string | undefined>;
  /** Earlier values of revised series, where the upstream keeps them. */
  readonly vintages?: Vintages;
}

/** The archive of an upstream. */
export interface Vintages {
  /** Days on which the series was published or revised, YYYY-MM-DD, oldest first. */
  days(seriesId: string, ctx: Context): Promise<readonly string[]>;
  /**
   * All values of some vintages.
   * @param window Neighbouring days of `days`, oldest first; at most 100.
   */
  values(
    seriesId: string,
    params: Params,
    window: readonly string[],
    ctx: Context,
  ): Promise<readonly VintageValue[]>;
}

/** A value and the days on which the upstream gave it, both included. */
export interface VintageValue extends Observation {
  readonly from: string;
  readonly until: string;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface Folder {
  readonly label: string;
  /** Stable and readable: a code rather than a position. Any characters; the gateway encodes `/` and `%`. */
  readonly segment: string;
  /** The folders below, when the same reply has them: spares calls when `depth` is above 1. */
  readonly children?: readonly Folder[];
  /** True when nothing but series is below; the gateway then does not ask for folders. */
  readonly leaf?: boolean;
}

/** Something that can be found: a series, or a folder that leads to series. */
export interface Item {
  /** The series id, or the code of the folder (dataset, flow). */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** `folder` is browsed on with `path`; default `series`. */
  readonly kind?: 'series' | 'folder';
  /** Path in the browse tree; absent for an item outside of it. */
  readonly path?: readonly string[];
  readonly frequency?: string;
  readonly units?: string;
}

export interface SeriesPage {
  readonly items: readonly Item[];
  /** Number of series at the path, over all pages; absent if the upstream does not give it. */
  readonly total?: number;
}

export interface Observation {
  /** YYYY-MM-DD, first day of the period. */
  readonly date: string;
  /** Decimal text exactly as the upstream wrote it; null when the upstream says that it is missing. */
  readonly value: string | null;
  /**
   * Status code that the upstream gives the value (`p`), spelled out in `metadata.flags`; or what it wrote in place of
   * a number, when that is none of its usual words for "missing".
   */
  readonly flag?: string;
}

export interface SeriesMetadata extends Unit {
  readonly frequency?: string;
  readonly seasonal_adjustment?: string;
  readonly source?: string;
  readonly notes?: string;
  readonly last_update?: string;
  /** Meanings of the flags: `{"p": "provisional"}`. The gateway leaves out those that no observation has. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Other useful metadata of the upstream. */
  readonly [name: string]: string | number | boolean | null | undefined | Readonly<Record<string, string>>;
}

export interface SeriesData {
  readonly label: string;
  readonly metadata: SeriesMetadata;
  /** In any order. The gateway sorts, drops equal doubles and refuses two values for one date. */
  readonly data: readonly Observation[];
}

/** Several series that differ in some dimensions, from one request. */
export interface PanelData {
  readonly label: string;
  /** Metadata that all series share. */
  readonly metadata: SeriesMetadata;
  /** Dimensions that were left open, or for which several codes were requested. */
  readonly dimensions: readonly { readonly id: string; readonly label: string }[];
  readonly series: readonly PanelSeries[];
  /** Series that were named one by one and that the upstream does not know. */
  readonly missing?: readonly string[];
}

export interface PanelSeries {
  /** Codes, one for each of the dimensions. */
  readonly codes: readonly string[];
  readonly labels: readonly string[];
  /** In any order, as of a single series. */
  readonly data: readonly Observation[];
}

export interface Context {
  readonly http: UpstreamHttp;
  /** Key that is sent along. */
  readonly key: 'none' | 'service' | 'own';
  /** The day in UTC, YYYY-MM-DD. */
  readonly today: string;
  /**
   * Records a part that failed; true when the work may go on without it: a page of a listing for the index, or the
   * structure that only spells out the codes of a series.
   */
  passOver?(part: string, error: unknown): boolean;
}

export interface UpstreamRequest {
  /** Parts below the base address, each encoded by the gateway; a closing '' makes a closing slash. */
  readonly path: readonly string[];
  /** Encoded by the gateway; an array repeats the name. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body makes the request a POST. */
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Name of one of `otherBaseUrls`; default is `baseUrl`. */
  readonly base?: string;
  /** Keep the reply this long and share it between operations (structures, code lists, tables of contents). */
  readonly keep?: keyof Validity;
  /** False when the upstream does not count this request against its hourly and daily limits. */
  readonly counted?: boolean;
  /** In place of the provider's own, in milliseconds: slow structure calls. */
  readonly timeoutMs?: number;
}

export interface UpstreamReply {
  readonly status: number;
  /** Value of a header, by any spelling of its name. */
  header(name: string): string | undefined;
  /** The body as text; the key is cut out. */
  readonly text: string;
}

/**
 * The network as a connector sees it: already limited, retried, cached, bounded in size and time, with the key
 * put in by the gateway. Only good replies (2xx that `explain` accepts) come back.
 */
export interface UpstreamHttp {
  text(request: UpstreamRequest): Promise<UpstreamReply>;
  /** The body parsed by `parseExactJson`; not JSON: `unexpectedReply`. 204 or an empty body: `undefined`. */
  json(request: UpstreamRequest): Promise<unknown>;
}
