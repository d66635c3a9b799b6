import { invalid } from '../lib/errors.js';
import type { DescribedSeries } from '../model/described-series.js';
import { parseDay } from '../providers/dates.js';
import type { Item, Observation, Provider } from '../providers/provider.js';
import { notSupported } from './browse.js';
import type { GatewayCaller } from './caller.js';
import { describeSeries } from './datasets/described-series.js';
import type { Searcher } from './search/searcher.js';
import type { SeriesReader } from './series.js';

export interface FeedResult {
  readonly id: string;
  readonly title: string;
  readonly frequency: string;
  readonly units: string;
}

export interface FeedRange {
  /** YYYY-MM-DD, inclusive. */
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  /** Number of first rows in the range; undefined: all. */
  readonly top?: number | undefined;
}

export interface FeedData {
  readonly symbol: string;
  /** The only series of the symbol. */
  readonly series: readonly DescribedSeries[];
  /** Oldest first. */
  readonly rows: readonly Observation[];
  readonly ageSeconds: number;
  /** The upstream is down; this is its last answer. */
  readonly stale: boolean;
  readonly etag: string;
}

/** Search and data by symbol, from the one upstream that is configured for it. */
export interface Feed {
  search(caller: GatewayCaller, query: string): Promise<{ readonly results: readonly FeedResult[] }>;
  data(caller: GatewayCaller, symbol: string, range: FeedRange): Promise<FeedData>;
}

const requireDay = (name: string, text: string | undefined): string | undefined => {
  if (text === undefined || parseDay(text) !== undefined) return text;
  throw invalid('invalid_parameter', `'${name}' must be a date (YYYY-MM-DD).`, { parameter: name });
};

const toResult = ({ id, label, frequency = '', units = '' }: Item): FeedResult => ({
  id,
  title: label,
  frequency,
  units,
});

export const createFeed = (provider: Provider, searcher: Searcher, reader: SeriesReader): Feed => ({
  async search(caller, query) {
    const { items } = await searcher.search(caller, provider, query);
    return {
      results: items.filter(({ kind }) => kind === 'series').map(({ path: _, ...item }) => toResult(item)),
    };
  },
  async data(caller, symbol, { start, end, top }) {
    if (!provider.capabilities.includes('direct')) throw notSupported(provider, 'data by symbol');
    const from = requireDay('start', start);
    const to = requireDay('end', end);
    const bounds = {
      ...(from === undefined ? {} : { start: from }),
      ...(to === undefined ? {} : { end: to }),
    };
    const answer = await reader.full(caller, provider, symbol, bounds);
    const { data, ageSeconds, stale, etag } = answer;
    const series = describeSeries(provider, [{ ...answer, name: symbol }]);
    // Upstreams return the whole period that contains a bound; rows outside the requested days are removed.
    const rows = data.filter(
      ({ date }) => (from === undefined || date >= from) && (to === undefined || date <= to),
    );
    return { symbol, series, rows: top === undefined ? rows : rows.slice(0, top), ageSeconds, stale, etag };
  },
});
