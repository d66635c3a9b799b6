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
  /** True: full data needs a key. False: a key only raises the limits. */
  readonly required: boolean;
  /** Part of the request for the key. In a JSON body it becomes a top-level member. */
  readonly where: { readonly in: 'query' | 'header' | 'body'; readonly name: string };
  /** True: `preview` works without the key although the key is required. */
  readonly publicPreview?: boolean;
  /** True: answers for a caller's own key may be shown to others. Default false. */
  readonly mayShareAnswers?: boolean;
}

/** Lifetimes of answers in the cache, in seconds. */
export interface Validity {
  /** Folders, code lists, structures, which change a few times a year. */
  readonly structure: number;
  /** Search results and lists of series. */
  readonly list: number;
  /** Observations. */
  readonly series: number;
}

/** Series that differ in one code, `{}` in the id: `WS_CBPOL/M.{}`. */
export interface SeriesPattern {
  readonly id: string;
  /** Title without that of the code. */
  readonly label: string;
  /** Codes that have data. */
  readonly codes: readonly string[];
  /** Labels of the codes; absent if the codes are places. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Names of a provider in errors. */
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
  readonly license?: string | undefined;
  /** Sentence that the upstream's terms require with its data. */
  readonly attribution?: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Bundled list, which the search has before the first request to the upstream. */
  readonly popularSeries: readonly { readonly id: string; readonly label: string }[];
  /** Families of series, for the search. */
  readonly patterns?: readonly SeriesPattern[] | undefined;
  /** Code of the place of the series unless their labels name another: `US`. */
  readonly home?: string | undefined;
  readonly seriesIdPlaceholder: string;
  readonly browseRootLabel?: string;
  /** Describes limits or restrictions without a key. */
  readonly anonymousLimitMessage?: string | undefined;

  /** Without a trailing slash. Can be replaced by configuration (tests use a replayed upstream). */
  readonly baseUrl: string;
  /** True: connections to private addresses are refused, even if a public name resolves to one. */
  readonly publicOnly?: boolean;
  /** Other addresses by name (`UpstreamRequest.base`); they never get a key. */
  readonly otherBaseUrls?: Readonly<Record<string, string>>;
  /** Headers of every request, for example `Accept`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: KeyUse | undefined;
  readonly limits: Limits;
  readonly validity: Validity;
  /** For one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest reply that is read, after decompression; default 32 MiB. */
  readonly maxReplyBytes?: number | undefined;

  /**
   * Called with every reply first. Returns the error in it, whatever its status (several upstreams report errors within HTTP 200);
   * `undefined`: the status decides: 401/403 key refused, 404 not found, 413 too large, 429 rate limited, any other except 2xx an error of
   * the upstream.
   */
  explain?(reply: UpstreamReply, request: UpstreamRequest): Error | undefined;
  /** The folders at a path. @throws `unknownPath` for an unknown path. Capability `hierarchical`. */
  browse?(path: readonly string[], ctx: Context): Promise<readonly Folder[]>;
  /** One page of the series at a path. Capability `hierarchical`. */
  seriesAt?(path: readonly string[], page: Page, ctx: Context): Promise<SeriesPage>;
  /** The upstream's own search, if it is good. Otherwise the gateway's index over `listAll` is used. */
  search?(query: string, ctx: Context): Promise<readonly Item[]>;
  /**
   * Lists all items for the gateway's search index, in the background. Requests are cached (`keep`), so an interrupted listing continues
   * where it stopped; optional parts use `loadPart`.
   */
  listAll?(ctx: Context): AsyncIterable<Item>;
  /** Default start of a series for callers who name none, if the whole series would use too much of a small quota. */
  readonly defaultStart?: {
    /** YYYY-MM-DD; undefined: at the beginning of the series. */
    of(params: Params, ctx: Pick<Context, 'key' | 'today'>): string | undefined;
    /** Note in the metadata of such a series; a sentence for the end user. */
    readonly note: string;
  };
  /** The newest observations, about 24; the gateway removes more. */
  preview(seriesId: string, params: Params, ctx: Context): Promise<SeriesData>;
  /** All observations within the parameters. */
  series(seriesId: string, params: Params, ctx: Context): Promise<SeriesData>;
  /** Several series in one request: an id with open dimensions, or parameters with several values. */
  panel?(seriesId: string, params: Params, ctx: Context): Promise<PanelData>;
  /**
   * Time of the last change of the series, with one small request; an equal text means no change. Absent if the upstream does not report
   * it.
   */
  lastUpdate?(seriesId: string, params: Params, ctx: Context): Promise<string | undefined>;
  /** Earlier values of revised series; absent if the upstream does not keep them. */
  readonly vintages?: Vintages;
}

/** The archive of an upstream. */
export interface Vintages {
  /** Days on which the series was published or revised, YYYY-MM-DD, oldest first. */
  days(seriesId: string, ctx: Context): Promise<readonly string[]>;
  /**
   * All values of some vintages.
   * @param window Consecutive days of `days`, oldest first; at most 100.
   */
  values(
    seriesId: string,
    params: Params,
    window: readonly string[],
    ctx: Context,
  ): Promise<readonly VintageValue[]>;
}

/** A value, and the first and last day on which the upstream had it. */
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
  /** Stable and readable: a code and not a position. Any characters; the gateway encodes `/` and `%`. */
  readonly segment: string;
  /** The subfolders, if the same reply has them, which saves requests when `depth` is above 1. */
  readonly children?: readonly Folder[] | undefined;
  /** True: it contains only series, so the gateway requests no folders. */
  readonly leaf?: boolean | undefined;
}

/** A search result: a series, or a folder of series. */
export interface Item {
  /** The series id, or the code of the folder (dataset, flow). */
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
  /** `folder` can be browsed with `path`. Default `series`. */
  readonly kind?: 'series' | 'folder';
  /** Path in the browse tree; absent for an item outside of it. */
  readonly path?: readonly string[] | undefined;
  readonly frequency?: string | undefined;
  readonly units?: string | undefined;
}

export interface SeriesPage {
  readonly items: readonly Item[];
  /** Number of series at the path, over all pages; absent if the upstream does not report it. */
  readonly total?: number | undefined;
}

export interface Observation {
  /** YYYY-MM-DD, first day of the period. */
  readonly date: string;
  /** Decimal text exactly as the upstream wrote it; null if the upstream reports it as missing. */
  readonly value: string | null;
  /**
   * Status code of the value (`p`), with its meaning in `metadata.flags`; or the text that the upstream wrote instead of a number, unless
   * it is one of its usual words for "missing".
   */
  readonly flag?: string;
}

export interface SeriesMetadata extends Unit {
  readonly frequency?: string;
  readonly seasonal_adjustment?: string;
  readonly source?: string;
  readonly notes?: string;
  readonly last_update?: string;
  /** Meanings of the flags: `{"p": "provisional"}`. The gateway removes those that no observation has. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Other useful metadata of the upstream. */
  readonly [name: string]: string | number | boolean | null | undefined | Readonly<Record<string, string>>;
}

export interface SeriesData {
  readonly label: string;
  readonly metadata: SeriesMetadata;
  /** In any order. The gateway sorts, drops equal duplicates and refuses two values for one date. */
  readonly data: readonly Observation[];
}

/** Several series that differ in some dimensions, from one request. */
export interface PanelData {
  readonly label: string;
  /** Metadata that all series share. */
  readonly metadata: SeriesMetadata;
  /** Dimensions that are open, or for which several codes were requested. */
  readonly dimensions: readonly { readonly id: string; readonly label: string }[];
  readonly series: readonly PanelSeries[];
  /** Requested series that the upstream does not have. */
  readonly missing?: readonly string[] | undefined;
}

export interface PanelSeries {
  /** Codes, one for each of the dimensions. */
  readonly codes: readonly string[];
  readonly labels: readonly string[];
  /** In any order, like a single series. */
  readonly data: readonly Observation[];
}

export interface Context {
  readonly http: UpstreamHttp;
  /** Key of the request. */
  readonly key: 'none' | 'service' | 'own';
  /** The day in UTC, YYYY-MM-DD. */
  readonly today: string;
  /**
   * Records a part that failed; true if the work may continue without it: a page of a listing for the index, or the structure with the
   * labels of a series' codes.
   */
  skipPart?(part: string, error: unknown): boolean;
}

export interface UpstreamRequest {
  /** Segments relative to the base address, each encoded by the gateway; an empty last segment adds a trailing slash. */
  readonly path: readonly string[];
  /** Encoded by the gateway; an array repeats the name. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A JSON body makes the request a POST. */
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Name of one of `otherBaseUrls`; default is `baseUrl`. */
  readonly base?: string;
  /** Caches the reply for this lifetime and shares it between operations (structures, code lists, tables of contents). */
  readonly keep?: keyof Validity | undefined;
  /** False: the upstream does not count this request against its hourly and daily limits. */
  readonly counted?: boolean;
  /** Overrides the provider's timeout, in milliseconds, for slow structure calls. */
  readonly timeoutMs?: number | undefined;
}

export interface UpstreamReply {
  readonly status: number;
  /** Value of a header, by its name in any case. */
  header(name: string): string | undefined;
  /** The body as text, without the key. */
  readonly text: string;
}

/**
 * HTTP for connectors: limited, retried, cached, bounded in size and time, with the key added by the gateway. Only good replies (2xx that
 * `explain` accepts) are returned.
 */
export interface UpstreamHttp {
  text(request: UpstreamRequest): Promise<UpstreamReply>;
  /** The body, parsed by `parseExactJson`. @throws `unexpectedReply` if it is not JSON. 204 or an empty body: `undefined`. */
  json(request: UpstreamRequest): Promise<unknown>;
}
