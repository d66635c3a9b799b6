import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { allProviders } from '../../../src/providers/registry.js';
import { type Ask, createAsk } from '../../support/api.js';
import { createContract, type OpenApiDocument } from '../../support/contract.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';

/** The product in front of replayed upstreams: Bank of Canada and DBnomics (no key), FRED (key required). */
export interface GatewayWorld {
  readonly product: TestProduct;
  readonly bank: ReplayUpstream;
  readonly fred: ReplayUpstream;
  /** Checks every answer against the OpenAPI document; ids in paths must be encoded. */
  readonly ask: Ask;
  /** Without checks, for paths with ids that contain slashes. */
  readonly askPlain: Ask;
  /** Lines of the product's log so far. */
  readonly logLines: readonly string[];
  close(): Promise<void>;
}

const bankFixture = (name: string): string => fixture(`providers/bankofcanada/${name}.json`);
const fredFixture = (name: string): string => fixture(`providers/fred/${name}`);

/** Observations in the bank's format. */
export const bankObservations = (id: string, values: Readonly<Record<string, string | null>>) => ({
  terms: { url: 'https://www.bankofcanada.ca/terms/' },
  seriesDetail: { [id]: { label: `Rate ${id}`, description: id, dimension: { key: 'd', name: 'Date' } } },
  observations: Object.entries(values).map(([d, v]) => ({ d, [id]: { v } })),
});

// Observations follow a recorded reply; lists, groups and errors the documentation of Valet.
const bankExchanges: readonly Exchange[] = [
  { path: '/lists/groups/json', reply: bankFixture('lists-groups') },
  { path: '/groups/FX_RATES_DAILY/json', reply: bankFixture('groups-FX_RATES_DAILY') },
  { path: '/groups/NOPE/json', status: 404, reply: { message: 'Group NOPE not found.' } },
  {
    path: '/observations/FXUSDCAD/json',
    query: { recent: '24' },
    reply: bankFixture('observations-FXUSDCAD'),
  },
  { path: '/observations/FXUSDCAD/json', reply: bankFixture('observations-FXUSDCAD') },
  ...['NOPE', 'fxusdca'].flatMap((id) =>
    [{ recent: '24' }, {}].map((query) => ({
      path: `/observations/${id}/json`,
      query,
      status: 404,
      reply: { message: `Series ${id} not found.` },
    })),
  ),
  {
    path: '/observations/FXUSDCAD/json',
    query: { start_date: '2026-01-01' },
    reply: bankFixture('observations-FXUSDCAD'),
  },
  {
    path: '/observations/FXEURCAD/json',
    query: { start_date: '2026-01-01' },
    reply: bankObservations('FXEURCAD', { '2026-03-12': '1.50' }),
  },
  {
    path: '/observations/FXEURCAD/json',
    reply: bankObservations('FXEURCAD', { '2026-03-12': '1.50', '2026-03-13': null }),
  },
];

const json = { file_type: 'json' };
const ofGdp = { series_id: 'GDP', ...json };
const fredObservations = (query: Record<string, string>): Exchange => ({
  path: '/series/observations',
  query: { ...ofGdp, units: 'lin', ...query },
  reply: fredFixture('observations-GDP.json'),
});

// All of them follow recorded replies.
const fredExchanges: readonly Exchange[] = [
  { path: '/series', query: ofGdp, reply: fredFixture('series-GDP.json') },
  { path: '/series/tags', query: ofGdp, reply: fredFixture('series-tags-GDP.json') },
  { path: '/series/release', query: ofGdp, reply: fredFixture('series-release-GDP.json') },
  {
    path: '/release/dates',
    query: {
      release_id: '53',
      include_release_dates_with_no_data: 'true',
      sort_order: 'desc',
      limit: '1000',
      ...json,
    },
    reply: fredFixture('release-dates-53.json'),
  },
  fredObservations({ sort_order: 'desc', limit: '24' }),
  fredObservations({ limit: '100000', offset: '0' }),
  fredObservations({
    limit: '100000',
    offset: '0',
    observation_start: '1947-01-01',
    observation_end: '1947-07-01',
  }),
  {
    path: '/series/search',
    query: { search_text: 'monetary service index', limit: '50', ...json },
    reply: fredFixture('series-search.json'),
  },
  {
    path: '/fredgraph.csv',
    base: 'public',
    query: { id: 'DCOILBRENTEU' },
    reply: fredFixture('fredgraph-DCOILBRENTEU.csv'),
  },
];

// Follows a recorded reply.
const dbnomicsExchanges: readonly Exchange[] = [
  {
    path: '/series/CEPII/CHELEM-TRADE-CHEL/AES.AES.CAT.BA',
    query: { observations: '1', metadata: '1', limit: '2' },
    reply: fixture('providers/dbnomics/series-AES.json'),
  },
];

type Changes = NonNullable<Parameters<typeof startProduct>[0]>;

export const startGatewayWorld = async (
  changes: Changes = {},
  /** Take precedence over the common exchanges. */
  ofFred: readonly Exchange[] = [],
): Promise<GatewayWorld> => {
  const bank = await startReplayUpstream(bankExchanges);
  const fred = await startReplayUpstream([...ofFred, ...fredExchanges], { ignoredQuery: ['api_key'] });
  const dbnomics = await startReplayUpstream(dbnomicsExchanges);
  const emptyUpstream = await startReplayUpstream([]);
  const logLines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => logLines.push(line) });
  const product = await startProduct(
    {
      providerUrls: [
        // Tests never reach real providers: the others have an upstream without answers.
        ...allProviders.map(({ slug }) => `${slug}=${emptyUpstream.baseUrl}`),
        `bankofcanada=${bank.baseUrl}`,
        `dbnomics=${dbnomics.baseUrl}`,
        `fred=${fred.baseUrl}`,
        `fred.public=${fred.otherBaseUrl('public')}`,
      ].join(','),
      masterKeys: `test:${randomBytes(32).toString('base64')}`,
      ...changes,
    },
    log,
  );
  const document = await fetch(product.baseUrl.replace(/\/api$/, '/openapi.json'));
  const contract = createContract((await document.json()) as OpenApiDocument);
  return {
    product,
    bank,
    fred,
    ask: createAsk(product.baseUrl, contract),
    askPlain: createAsk(product.baseUrl),
    logLines,
    async close() {
      await product.close();
      await Promise.all([bank.close(), fred.close(), dbnomics.close(), emptyUpstream.close()]);
    },
  };
};
