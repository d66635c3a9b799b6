import { afterEach, describe, expect, it } from 'vitest';
import { alphaVantage } from '../../../src/providers/alphavantage.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import { type Exchange, fixture } from '../../support/replay-upstream.js';
import { canaryKey, describeConnector } from './contract.js';

const own = (name: string): string => fixture(`providers/alphavantage/${name}.json`);

const ask = (query: Record<string, string>, reply: unknown): Exchange => ({ path: '/query', query, reply });
const daily = (symbol: string, outputsize: string, reply: unknown): Exchange =>
  ask({ function: 'TIME_SERIES_DAILY', symbol, outputsize }, reply);
const unknownSymbol = {
  'Error Message':
    'Invalid API call. Please retry or visit the documentation (https://www.alphavantage.co/documentation/) for TIME_SERIES_DAILY.',
};

// The search, the form of the rows and the notice of the daily limit follow recorded replies; the other notices
// are quoted from other programs. Not recorded: daily, adjusted and exchange rate replies as a whole.
const exchanges: Exchange[] = [
  ...['compact', 'full'].flatMap((size) => [
    daily('IBM', size, own('daily-IBM')),
    daily('NOPE', size, unknownSymbol),
    ask({ function: 'FX_DAILY', from_symbol: 'EUR', to_symbol: 'USD', outputsize: size }, own('fx-EURUSD')),
    ask({ function: 'TIME_SERIES_DAILY_ADJUSTED', symbol: 'IBM', outputsize: size }, own('adjusted-IBM')),
  ]),
  ask({ function: 'SYMBOL_SEARCH', keywords: 'BA' }, own('search')),
  ask({ function: 'SYMBOL_SEARCH', keywords: 'IBM' }, own('search-IBM')),
];

describeConnector({
  provider: alphaVantage,
  exchanges,
  series: { id: 'IBM' },
  unknownSeries: 'NOPE',
  query: 'BA',
  keyRefused: {
    reply: {
      'Error Message':
        'the parameter apikey is invalid or missing. Please claim your free API key on (https://www.alphavantage.co/support/#api-key). It should take less than 20 seconds.',
    },
  },
  limitReached: {
    reply: {
      Information: `We have detected your API key as ${canaryKey} and our standard API rate limit is 25 requests per day. Please subscribe to any of the premium plans at https://www.alphavantage.co/premium/ to instantly remove all daily rate limits.`,
    },
  },
});

describe('alpha vantage', () => {
  let opened: OpenedConnector | undefined;
  afterEach(() => opened?.close());
  const open = async (more: readonly Exchange[] = []) => {
    opened = await openConnector(alphaVantage, { exchanges: [...more, ...exchanges], apiKey: canaryKey });
    return opened;
  };
  const requestedSizes = ({ upstream }: OpenedConnector) =>
    upstream.calls.map(({ url }) => new URL(url, upstream.baseUrl).searchParams.get('outputsize'));

  it('reads the closing prices with their digits', async () => {
    const { ctx } = await open();
    expect(await alphaVantage.series('IBM', {}, ctx)).toEqual({
      label: 'IBM, close',
      metadata: {
        frequency: 'Daily',
        units: 'USD',
        unit: 'USD',
        unitMultiplier: 1,
        source: 'Alpha Vantage',
        notes: 'Daily Prices (open, high, low, close) and Volumes',
        last_update: '2026-03-13',
        time_zone: 'US/Eastern',
      },
      data: [
        { date: '2026-03-13', value: '252.3000' },
        { date: '2026-03-12', value: '250.0000' },
        { date: '2026-01-02', value: '240.5000' },
      ],
    });
  });

  it.each([
    ['open', '250.1000'],
    ['volume', '3012345'],
    ['adjusted_close', '252.300000000000'],
    ['dividend_amount', '0.0000'],
    ['split_coefficient', '1.0'],
  ])('reads the field %s', async (field, value) => {
    const { ctx, upstream } = await open();
    const { data } = await alphaVantage.series('IBM', { field }, ctx);
    expect(data[0]).toEqual({ date: '2026-03-13', value });
    expect(upstream.unmatched).toEqual([]);
  });

  it.each(['EUR/USD', 'EURUSD=X', 'eur/usd'])('treats %s as an exchange rate', async (id) => {
    const { ctx } = await open();
    expect(await alphaVantage.preview(id, {}, ctx)).toMatchObject({
      label: 'EUR/USD, close',
      metadata: { units: 'USD per EUR', last_update: '2026-03-13 21:55:00' },
      data: [{ date: '2026-03-13', value: '1.09300' }],
    });
  });

  it('refuses the volume of an exchange rate without a request', async () => {
    const { ctx, upstream } = await open();
    await expect(alphaVantage.series('EUR/USD', { field: 'volume' }, ctx)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'Alpha Vantage refused the request: an exchange rate has no volume.',
    });
    expect(upstream.calls).toEqual([]);
  });

  it('requests the whole history unless the newest 100 days are enough', async () => {
    const connector = await open();
    await alphaVantage.preview('IBM', {}, connector.ctx);
    await alphaVantage.series('IBM', {}, connector.ctx);
    await alphaVantage.series('IBM', { start: '2025-12-01' }, connector.ctx);
    // 99 days before 2026-03-15.
    await alphaVantage.series('IBM', { start: '2025-12-06' }, connector.ctx);
    expect(requestedSizes(connector).filter((size) => size !== null)).toEqual([
      'compact',
      'full',
      'full',
      'compact',
    ]);
  });

  it('returns prices without a currency if the search is refused', async () => {
    const { ctx } = await open([
      ask({ function: 'SYMBOL_SEARCH', keywords: 'IBM' }, { Information: '25 requests per day' }),
    ]);
    const { metadata, data } = await alphaVantage.preview('IBM', {}, ctx);
    expect(metadata.unit).toBeUndefined();
    expect(data).toHaveLength(3);
  });

  it('filters by the range itself', async () => {
    const { ctx } = await open();
    const { data } = await alphaVantage.series('IBM', { start: '2026-03', end: '2026-03-12' }, ctx);
    expect(data).toEqual([{ date: '2026-03-12', value: '250.0000' }]);
  });

  it.each(['BRK.B', '^GSPC', 'TSCO.LON', 'GC=F'])('requests the symbol %s unchanged', async (symbol) => {
    const { ctx, upstream } = await open([
      daily(symbol, 'compact', own('daily-IBM')),
      ask({ function: 'SYMBOL_SEARCH', keywords: symbol }, own('search-IBM')),
    ]);
    const { metadata } = await alphaVantage.preview(symbol, {}, ctx);
    // The search does not find the symbol.
    expect(metadata.unit).toBeUndefined();
    expect(upstream.unmatched).toEqual([]);
  });

  it.each(['IBM,MSFT', 'A B', 'x/y', '-'])('sends no request for %j', async (id) => {
    const { ctx, upstream } = await open();
    await expect(alphaVantage.series(id, {}, ctx)).rejects.toMatchObject({ kind: 'not_found' });
    expect(upstream.calls).toEqual([]);
  });

  it.each([
    [
      'the notice of the day',
      'rate_limited',
      {
        Information:
          'Thank you for using Alpha Vantage! Our standard API rate limit is 25 requests per day. Please subscribe to any of the premium plans at https://www.alphavantage.co/premium/ to instantly remove all daily rate limits.',
      },
    ],
    [
      'the notice of the second',
      'rate_limited',
      {
        Information:
          'Thank you for using Alpha Vantage! Please consider spreading out your free API requests more sparingly (1 request per second). You may subscribe to any of the premium plans.',
      },
    ],
    [
      'the notice of old',
      'rate_limited',
      {
        Note: 'Thank you for using Alpha Vantage! Our standard API call frequency is 5 calls per minute and 500 calls per day.',
      },
    ],
    [
      'the demo key',
      'invalid',
      {
        Information:
          'The **demo** API key is for demo purposes only. Please claim your free API key at (https://www.alphavantage.co/support/#api-key).',
      },
    ],
    [
      'a premium size',
      'invalid',
      {
        Information:
          'Thank you for using Alpha Vantage! The outputsize=full parameter value is a premium feature for the TIME_SERIES_DAILY endpoint. You may subscribe to any of the premium plans at https://www.alphavantage.co/premium/ to instantly unlock all premium features',
      },
    ],
    [
      'a premium function',
      'invalid',
      { Information: 'Thank you for using Alpha Vantage! This is a premium endpoint.' },
    ],
    ['an unknown symbol', 'not_found', unknownSymbol],
    ['a notice of another kind', 'upstream', { Information: 'Something else.' }],
    ['nothing', 'upstream', {}],
    ['a series without rows', 'upstream', { 'Meta Data': {}, 'Time Series (Daily)': {} }],
  ])('recognises %s', async (_name, kind, reply) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply });
    const failure = alphaVantage.series('IBM', {}, ctx);
    await expect(failure).rejects.toMatchObject({ kind });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringMatching(/subscribe|claim/i) });
  });

  it.each([
    ['a time of day', '2026-03-13 16:00:00', { '4. close': '1' }],
    ['a row without the field', '2026-03-13', { '1. open': '1' }],
  ])('refuses %s', async (_name, date, row) => {
    const { ctx, upstream } = await open();
    upstream.answerAll({ reply: { 'Meta Data': {}, 'Time Series (Daily)': { [date]: row } } });
    await expect(alphaVantage.series('IBM', {}, ctx)).rejects.toMatchObject({ code: 'unexpected_reply' });
  });

  it('finds symbols with their kind, place and currency', async () => {
    const { ctx } = await open();
    expect(await alphaVantage.search?.('BA', ctx)).toEqual([
      {
        id: 'BA',
        label: 'The Boeing Company',
        description: 'Equity, United States, USD',
        frequency: 'Daily',
        units: 'USD',
      },
      {
        id: 'BA.LON',
        label: 'BAE Systems plc',
        description: 'Equity, United Kingdom, GBX',
        frequency: 'Daily',
        units: 'GBX',
      },
    ]);
  });

  it('has the limits of a free key, and does not share answers', () => {
    expect(alphaVantage.limits).toMatchObject({ keyed: { perSecond: 1, perDay: 25 }, maxConcurrent: 1 });
    expect(alphaVantage.key?.mayShareAnswers).not.toBe(true);
  });
});
