import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIndexer } from '../../../src/gateway/search/indexer.js';
import { createItemIndex, type ItemIndex } from '../../../src/gateway/search/item-index.js';
import { silentLog } from '../../../src/lib/log.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { rateLimited, seriesNotFound } from '../../../src/providers/errors.js';
import { loadPart } from '../../../src/providers/listing.js';
import type { Context, Item, Provider } from '../../../src/providers/provider.js';
import { watchScans } from '../../support/sequential-scans.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
let index: ItemIndex;
beforeAll(async () => {
  database = await openDatabase();
  index = createItemIndex(database.sql);
});
afterAll(() => database.close());

const ids = async (query: string, providers?: string[], limit = 10): Promise<string[]> =>
  (await index.search(query, { limit, ...(providers === undefined ? {} : { providers }) })).hits.map(
    ({ id }) => id,
  );

/** Labels, titles and names of recorded replies. */
const recordedLabels = (): string[] => {
  const folder = new URL('../../fixtures/providers/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:json|xml)$/.test(file),
  );
  const texts = files.map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const named = /"(?:label|title|name|description)"\s*:\s*"((?:[^"\\]|\\.)*)"|<(?:\w+:)?Name[^>]*>([^<]+)</g;
  const found = texts.flatMap((text) => [...text.matchAll(named)].map(([, json, xml = '']) => json ?? xml));
  return [...new Set(found)].filter((label) => label.length <= 200);
};

describe('the search index', () => {
  beforeAll(async () => {
    await index.seed('wb', [{ id: 'NY.GDP.MKTP.CD', label: 'GDP (current US$)' }]);
    const filling = index.fill('wb', 1);
    await filling.add([
      {
        id: 'NY.GDP.MKTP.CD',
        label: 'GDP (current US$)',
        description: 'Gross domestic product at market prices',
      },
      { id: 'NY.GDP.PCAP.CD', label: 'GDP per capita (current US$)' },
      { id: 'SL.UEM.TOTL.ZS', label: 'Unemployment, total (% of total labor force)' },
      { id: 'SP.POP.TOTL', label: 'Population, total', description: 'Everybody, whatever the gdp' },
      { id: 'AG.LND', label: 'Land / area_100% "odd" label', kind: 'folder', path: ['a/b', 'c'] },
    ]);
    await filling.finish();
    await index.seed('fred', [
      { id: 'GDP', label: 'Gross Domestic Product', frequency: 'Quarterly', units: 'Billions' },
    ]);
  });

  it('ranks the exact id first, then titles, then descriptions', async () => {
    expect((await ids('gdp'))[0]).toBe('GDP');
    const found = await ids('gdp', ['wb']);
    expect(found.slice(0, 2)).toEqual(['NY.GDP.MKTP.CD', 'NY.GDP.PCAP.CD']);
    expect(found.indexOf('SP.POP.TOTL')).toBe(found.length - 1);
    expect((await ids('ny.gdp.pcap.cd'))[0]).toBe('NY.GDP.PCAP.CD');
  });

  it('finds prefixes, inflected forms and words in any order', async () => {
    expect(await ids('unemploym')).toEqual(['SL.UEM.TOTL.ZS']);
    expect(await ids('labor unemployment')).toContain('SL.UEM.TOTL.ZS');
    expect(await ids('populations')).toContain('SP.POP.TOTL');
    expect((await ids('NY.GDP.P'))[0]).toBe('NY.GDP.PCAP.CD');
  });

  it('tolerates typing errors', async () => {
    expect((await ids('unemploiment'))[0]).toBe('SL.UEM.TOTL.ZS');
    expect((await ids('popluation'))[0]).toBe('SP.POP.TOTL');
  });

  it('accepts any text as a query', async () => {
    for (const odd of [
      "'",
      '"',
      '&|!():*<->',
      '%',
      '_',
      '\\',
      'a\0b',
      '  ',
      '🙂',
      "gdp' OR 1=1 --",
      'x'.repeat(5_000),
    ]) {
      expect(Array.isArray(await ids(odd))).toBe(true);
    }
    expect(await ids('')).toEqual([]);
  });

  it('returns the stored entries', async () => {
    expect((await index.search('odd label', { limit: 1 })).hits).toEqual([
      {
        provider: 'wb',
        id: 'AG.LND',
        label: 'Land / area_100% "odd" label',
        kind: 'folder',
        path: ['a/b', 'c'],
      },
    ]);
    expect((await index.search('gdp', { providers: ['fred'], limit: 1 })).hits).toEqual([
      {
        provider: 'fred',
        id: 'GDP',
        label: 'Gross Domestic Product',
        kind: 'series',
        frequency: 'Quarterly',
        units: 'Billions',
      },
    ]);
  });

  it('stores entries with text that PostgreSQL cannot store', async () => {
    const odd = 'odd\0\ud800';
    const filling = index.fill('odd', 1);
    await filling.add([
      { id: odd, label: `odd ${'x'.repeat(995)}😀`, description: odd, path: [odd] },
      { id: 'odd\ufffd', label: odd, description: odd, path: [odd], frequency: odd, units: odd },
      { id: 'folder', label: odd, kind: 'folder' },
    ]);
    await filling.finish();
    const { hits } = await index.search('odd', { providers: ['odd'], limit: 10 });
    const clean = 'odd\ufffd';
    expect(hits).toContainEqual({
      provider: 'odd',
      id: clean,
      label: `odd ${'x'.repeat(995)}`,
      description: clean,
      kind: 'series',
      path: [clean],
    });
    expect(hits).toContainEqual({ provider: 'odd', id: 'folder', label: clean, kind: 'folder' });
  });

  it('deletes entries that the upstream no longer lists, except the bundled ones', async () => {
    const filling = index.fill('wb', 2);
    await filling.add([{ id: 'SP.POP.TOTL', label: 'Population, total' }]);
    await filling.finish();
    expect((await ids('gdp', ['wb'])).sort()).toEqual(['NY.GDP.MKTP.CD', 'SP.POP.TOTL']);
  });
});

describe('words of recorded labels', () => {
  const labels = recordedLabels();
  const everything = labels.length + 10;
  const idOf = (label: string): string => `recorded${labels.indexOf(label)}`;
  /** Tokenizer independent of the product: runs of letters and digits. */
  const split = (label: string): string[] =>
    label
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .match(/[a-z0-9]+/g) ?? [];

  it('each find their label', async () => {
    expect(labels.length).toBeGreaterThan(100);
    await index.fill('recorded', 1).add(labels.map((label) => ({ id: idOf(label), label })));
    const withWord = new Map<string, string[]>();
    for (const label of labels) {
      for (const word of split(label)) withWord.set(word, [...(withWord.get(word) ?? []), idOf(label)]);
    }
    const missing: string[] = [];
    for (const [word, expected] of withWord) {
      const found = new Set(await ids(word, ['recorded'], everything));
      // The index returns at most a thousand candidates of each kind.
      if (found.size >= 900) continue;
      missing.push(...expected.filter((id) => !found.has(id)).map((id) => `${word} ${id}`));
    }
    expect(missing).toEqual([]);
  });

  it.each([
    ['CAD', 'USD/CAD'],
    ['usd/cad', 'USD/CAD'],
    ['euro reference exchange rate', 'US dollar/Euro reference exchange rate'],
    ['us', 'Debt of the U.S. treasury'],
    ['U.S. treasury', 'Debt of the U.S. treasury'],
    ['treasury u s', 'Debt of the U.S. treasury'],
    ['34', 'Employed, aged 25-34'],
    ['s&p', 'S&P 500'],
    ['cote', 'Exports of Côte d’Ivoire'],
    ['gold since 1999 daily', 'Price of gold'],
    ['the price of gold in all countries until now', 'Price of gold countries'],
  ])('find a label as people write it: %s', async (query, label) => {
    const filling = index.fill('written', 1);
    await filling.add([{ id: 'W-1', label }]);
    expect(await index.search(query, { providers: ['written'], limit: 1 })).toEqual({
      hits: [expect.objectContaining({ id: 'W-1' })],
    });
  });
});

describe('corrections', () => {
  beforeAll(() =>
    index.seed('rates', [
      { id: 'R-1', label: 'Official moderate poverty rate', description: 'Measured by statisticians' },
      { id: 'R-2', label: 'Mortgages outstanding' },
    ]),
  );
  const search = (query: string) => index.search(query, { providers: ['rates'], limit: 5 });

  it('are reported, and made only if nothing matches the query unchanged', async () => {
    expect(await search('povertty rate')).toMatchObject({ corrected: 'poverty rate', hits: [{ id: 'R-1' }] });
    expect(await search('poverty rate')).not.toHaveProperty('corrected');
  });

  it.each(['Japan mortgages', 'statistician mortgages', 'EURUSD', 'POVRT', 'weekly mortgage1'])(
    'leave known words and codes as they are: %s',
    async (query) => {
      const { corrected = '' } = await search(query);
      expect(corrected).toBe('');
    },
  );
});

describe('filling the index', () => {
  let nowMs = Date.parse('2026-03-10T12:00:00Z');
  const listing = (slug: string, list: (ctx: Context) => AsyncIterable<Item>): Provider => ({
    ...bankOfCanada,
    slug,
    popularSeries: [{ id: 'P', label: 'Popular one' }],
    listAll: list,
  });
  const indexerOf = (...providers: Provider[]) =>
    createIndexer({
      sql: database.sql,
      index,
      providers,
      openContext: async () => ({}) as Context,
      log: silentLog,
      now: () => nowMs,
    });

  const twelveHundred = async function* (): AsyncIterable<Item> {
    for (let index_ = 0; index_ < 1_200; index_ += 1)
      yield { id: `S${index_}`, label: `Series number ${index_}` };
  };

  it('starts with the bundled entries, and reads the upstream when due', async () => {
    const indexer = indexerOf(listing('one', twelveHundred));
    await indexer.seed();
    expect(await ids('popular', ['one'])).toEqual(['P']);
    expect(await indexer.fillDue()).toEqual(['one']);
    expect(await ids('S1199', ['one'])).toEqual(['S1199']);
    expect(await indexer.fillDue()).toEqual([]);
    nowMs += bankOfCanada.validity.structure * 1000;
    expect(await indexer.fillDue()).toEqual(['one']);
  });

  it('keeps the previous entries when the upstream fails, and retries later', async () => {
    const failing = async function* (): AsyncIterable<Item> {
      yield { id: 'NEW', label: 'Half of it' };
      throw new Error('down');
    };
    nowMs += 10 * bankOfCanada.validity.structure * 1000;
    expect(await indexerOf(listing('one', failing)).fillDue()).toEqual([]);
    expect(await ids('S1199', ['one'])).toEqual(['S1199']);
    const better = indexerOf(listing('one', twelveHundred));
    expect(await better.fillDue()).toEqual([]);
    nowMs += 700_000;
    expect(await better.fillDue()).toEqual(['one']);
    expect(await ids('half', ['one'])).toEqual([]);
  });

  it('stops at the next batch when aborted, and is due again', async () => {
    const stop = new AbortController();
    const stopping = async function* (): AsyncIterable<Item> {
      yield* twelveHundred();
      stop.abort();
      yield { id: 'LAST', label: 'One more' };
    };
    expect(await indexerOf(listing('three', stopping)).fillDue(stop.signal)).toEqual([]);
    expect(await ids('S1', ['three'])).toContain('S1');
    expect(await ids('S1199', ['three'])).toEqual([]);
    expect(await indexerOf(listing('three', twelveHundred)).fillDue()).toEqual(['three']);
  });

  it('skips a part that fails, records it, and keeps its previous entries', async () => {
    const parts = (broken: boolean) =>
      async function* (ctx?: Context): AsyncIterable<Item> {
        for (const table of ['first', 'second', 'third']) {
          const found = await loadPart(ctx as Context, table, async () => {
            if (broken && table === 'second') throw seriesNotFound(bankOfCanada, table);
            return { id: `T-${table}`, label: `Table ${table}` };
          });
          if (found !== undefined) yield found;
        }
      };
    expect(await indexerOf(listing('parts', parts(false))).fillDue()).toEqual(['parts']);
    nowMs += bankOfCanada.validity.structure * 1000;
    expect(await indexerOf(listing('parts', parts(true))).fillDue()).toEqual(['parts']);
    expect((await ids('table', ['parts'])).sort()).toEqual(['T-first', 'T-second', 'T-third']);
    const [row] = await database.sql.query<{ failed_parts: number; last_error: string }>(
      `SELECT failed_parts, last_error FROM gateway_fillings WHERE provider = 'parts'`,
    );
    expect(row).toMatchObject({ failed_parts: 1, last_error: expect.stringContaining('second') });
    // The part is refreshed before the listing expires.
    nowMs += 6 * 3_600_000;
    expect(await indexerOf(listing('parts', parts(false))).fillDue()).toEqual(['parts']);
  });

  it('keeps entries received before a rate limit, and does not count it as a failure', async () => {
    const cut = async function* (): AsyncIterable<Item> {
      yield { id: 'CUT-1', label: 'Came before' };
      throw rateLimited(bankOfCanada, 300);
    };
    expect(await indexerOf(listing('cut', cut)).fillDue()).toEqual([]);
    expect(await ids('came', ['cut'])).toEqual(['CUT-1']);
    const [row] = await database.sql.query<{ failures: number; due_at: Date }>(
      `SELECT failures, due_at FROM gateway_fillings WHERE provider = 'cut'`,
    );
    expect(row?.failures).toBe(0);
    expect(row?.due_at.getTime()).toBe(nowMs + 300_000);
  });

  it('searches 30,000 entries without reading all of them', async () => {
    const words = [
      'gross',
      'domestic',
      'product',
      'price',
      'index',
      'rate',
      'unemployment',
      'total',
      'female',
      'urban',
      'exports',
      'goods',
      'services',
      'energy',
      'import',
    ];
    const filling = index.fill('big', 1);
    for (let start = 0; start < 30_000; start += 1_000) {
      await filling.add(
        Array.from({ length: 1_000 }, (_, offset) => {
          const n = start + offset;
          const pick = (step: number) => words[(n * step + Math.floor(n / 7)) % words.length];
          return {
            id: `B.${n.toString(36).toUpperCase()}`,
            label: `${pick(1)} ${pick(3)} ${pick(7)} of region ${n % 997}`,
            description: `${pick(2)} ${pick(5)} measured in ${pick(11)} units, survey ${n}`,
          };
        }),
      );
    }
    await database.sql.query('VACUUM ANALYZE gateway_items');
    const questions = [
      'gross domestic product',
      'rate',
      'unemploymnt',
      'B.4F',
      'energy price region 12',
      'exp',
      'female urban',
      'survey 29999',
      'xyzzy',
      'prodct',
    ];
    const watch = watchScans(database.sql);
    const watched = createItemIndex(watch.sql);
    for (const question of questions) await watched.search(question, { providers: ['big'], limit: 20 });
    expect(watch.plans.length).toBeGreaterThan(questions.length);
    expect(watch.scansOf('gateway_items')).toEqual([]);
  });
});
