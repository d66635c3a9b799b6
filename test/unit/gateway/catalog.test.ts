import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../src/gateway/catalog.js';
import { createCipher, parseMasterKeys } from '../../../src/gateway/keys/cipher.js';
import { matchProviders } from '../../../src/gateway/match.js';
import { orderObservations } from '../../../src/gateway/observations.js';
import { resolveParams } from '../../../src/gateway/params.js';
import { formatPath, parsePath } from '../../../src/gateway/path.js';
import { regions } from '../../../src/gateway/search/regions.js';
import { wordsOf } from '../../../src/gateway/search/words.js';
import { createSeriesAnswer } from '../../../src/gateway/series-answer.js';
import { AppError } from '../../../src/lib/errors.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';
import { parseDecimal } from '../../../src/providers/numbers.js';
import type { Parameter } from '../../../src/providers/parameter.js';
import type { Provider } from '../../../src/providers/provider.js';
import { allProviders } from '../../../src/providers/registry.js';
import { worldBank } from '../../../src/providers/worldbank/worldbank.js';

const named = (slug: string, name: string, provider: string, description: string): Provider => ({
  ...bankOfCanada,
  slug,
  name,
  provider,
  description,
});

const providers = [
  named(
    'fred',
    'FRED',
    'Federal Reserve Bank of St. Louis',
    'Economic data of the United States: prices, employment.',
  ),
  named(
    'bls',
    'BLS Public Data',
    'U.S. Bureau of Labor Statistics',
    'Employment, unemployment, prices and wages.',
  ),
  named(
    'eurostat',
    'Eurostat',
    'European Commission',
    'Statistics of the European Union: prices, trade, energy.',
  ),
  named(
    'eia',
    'EIA Open Data',
    'U.S. Energy Information Administration',
    'Energy: petroleum, gas, electricity.',
  ),
  named('ecb', 'ECB Data Portal', 'European Central Bank', 'Exchange rates, interest rates, money.'),
  named('bis', 'BIS Statistics', 'Bank for International Settlements', 'Policy rates, property prices.'),
];
const slugs = (query: string): string[] => matchProviders(providers, query).map(({ slug }) => slug);

describe('matching providers', () => {
  it('ignores function words and single letters, unless nothing else is left', () => {
    const found = (query: string): string[] => matchProviders(allProviders, query).map(({ slug }) => slug);
    expect(found('the price of gold')).toEqual(found('price gold'));
    expect(found('population of all countries')).toEqual(found('population countries'));
    expect(found('population of all countries')[0]).toBe('worldbank');
    expect(found('interest rate in Japan')).toEqual(found('interest rate japan'));
    // The only provider with a popular series of that name.
    expect(found('S&P')[0]).toBe('alphavantage');
    expect(found('s')).toEqual([]);
    expect(found('for all').length).toBeGreaterThan(0);
  });

  it('ranks more matched words above better positions', () => {
    expect(slugs('fred')[0]).toBe('fred');
    expect(slugs('european energy prices')[0]).toBe('eurostat');
    expect(slugs('unemployment wages')[0]).toBe('bls');
    expect(slugs('energy')[0]).toBe('eia');
  });

  it.each([
    'gdp',
    'inflation',
    'cpi',
    'unemployment',
    'population',
    'exchange rates',
    'interest',
    'oil',
    'debt',
    'trade',
  ])('finds a provider for %s', (word) => {
    expect(matchProviders(allProviders, word).length).toBeGreaterThan(0);
  });

  it('returns at most five, none for words without a match, and ignores case, accents and duplicates', () => {
    expect(slugs('prices rates energy bank data statistics').length).toBe(5);
    expect(slugs('xyzzy')).toEqual([]);
    expect(slugs('FRÉD fred FRED')).toEqual(slugs('fred'));
  });
});

describe('paths', () => {
  it('survive a round trip, whatever the segments contain', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), (segments) => {
        expect(parsePath(formatPath(segments))).toEqual(segments);
      }),
    );
  });

  it('are readable', () => {
    expect(formatPath(['Money & banking', 'a/b', '100%'])).toBe('Money & banking/a%2Fb/100%25');
    expect(parsePath('/a//b%2fc/')).toEqual(['a', 'b/c']);
  });
});

describe('words', () => {
  it('contain nothing that a text query would read as an operator', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(wordsOf(text).join(' ')).toMatch(/^$|^[\p{L}\p{N}]+( [\p{L}\p{N}]+)*$/u);
      }),
    );
    expect(wordsOf("Côte d'Ivoire: GDP_2020!")).toEqual(['cote', 'd', 'ivoire', 'gdp', '2020']);
  });
});

describe('parameters', () => {
  const define = (...parameters: Partial<Parameter>[]): Provider => ({
    ...bankOfCanada,
    parameters: parameters.map(
      (one) => ({ key: 'p', label: 'P', type: 'text', location: 'query', ...one }) as Parameter,
    ),
  });
  const resolve = (parameter: Partial<Parameter>, value: unknown) =>
    resolveParams(define(parameter), { p: value }).p;

  it('accept the values that their definition allows', () => {
    const values = [
      { code: '1', label: 'One' },
      { code: 'a', label: 'A' },
    ];
    expect(resolve({ type: 'select', values }, 'a')).toBe('a');
    expect(resolve({ type: 'select', values }, 1)).toBe('1');
    expect(resolve({ type: 'number' }, '7')).toBe(7);
    expect(resolve({ type: 'number' }, 1.5)).toBe(1.5);
    expect(resolve({ format: 'date' }, '2024-02')).toBe('2024-02');
    expect(resolve({ pattern: /[A-Z]+/ }, 'ABC')).toBe('ABC');
    expect(resolve({ default: 'x' }, null)).toBe('x');
    expect(resolve({ default: 'x' }, '')).toBe('x');
  });

  it.each<[Partial<Parameter>, unknown]>([
    [{ type: 'select', values: [{ code: 'a', label: 'A' }] }, 'A'],
    [{ type: 'select', values: [{ code: 'a', label: 'A' }] }, ['a']],
    [{ type: 'number' }, 'x'],
    [{ type: 'number' }, Number.NaN],
    [{ format: 'date' }, '2024-02-30'],
    [{ format: 'date' }, '2024-Q1'],
    [{ pattern: /[A-Z]+/ }, 'ABCd'],
    [{}, { a: 1 }],
    [{}, 'x'.repeat(501)],
  ])('defined as %j refuse the value %j by name', (parameter, value) => {
    expect(() => resolve(parameter, value)).toThrow(/'p'/);
  });

  it.each([
    ['Norway', 'NOR'],
    ['norwegian', 'NOR'],
    ['NO', 'NOR'],
    ['nor', 'NOR'],
    ['South Korea', 'KOR'],
    ['EU27_2020', 'EUU'],
    ['euro area', 'EMU'],
    ['Turkey', 'TUR'],
    ['Congo, Dem. Rep.', 'COD'],
    ['wld', 'WLD'],
  ])('accept %s as a country, by name or code in any case', (given, code) => {
    expect(resolveParams(worldBank, { country: given }).country).toBe(code);
  });

  it.each([
    ['Norwya', 'did you mean NOR (Norway)?'],
    ['NORR', 'did you mean NOR (Norway)?'],
    ['Norwegen', 'did you mean NOR (Norway)?'],
    ['Swedn', 'did you mean SWE (Sweden)?'],
  ])('suggest a country for %s', (given, hint) => {
    expect(() => resolveParams(worldBank, { country: given })).toThrow(hint);
  });

  it('accept every listed country by its name and its two-letter code', () => {
    const country = worldBank.parameters.find(({ key }) => key === 'country');
    for (const { code, label } of country?.values ?? []) {
      expect(resolveParams(worldBank, { country: label.toUpperCase() }).country).toBe(code);
    }
    for (const { codes } of regions) {
      const known = country?.values?.find(({ code }) => codes.includes(code));
      if (known !== undefined)
        expect(resolveParams(worldBank, { country: codes[0] }).country).toBe(known.code);
    }
  });

  it('are listed if one is unknown, and must not start after their end', () => {
    expect(() => resolveParams(bankOfCanada, { __proto__x: 1 })).toThrow(/has start, end/);
    expect(() => resolveParams(bankOfCanada, { start: '2025', end: '2024' })).toThrow(/'start'/);
    expect(resolveParams(bankOfCanada, { start: '2024-05', end: '2024' })).toEqual({
      start: '2024-05',
      end: '2024',
    });
  });
});

describe('observations', () => {
  it('are sorted and deduplicated', () => {
    const rows = [
      ['2024-02-01', '2.0'],
      ['2024-01-01', null],
      ['2024-02-01', '2.0'],
    ].map(([date, value]) => ({ date: String(date), value: value ?? null }));
    expect(orderObservations(bankOfCanada, 'x', rows)).toEqual([
      { date: '2024-01-01', value: null },
      { date: '2024-02-01', value: '2.0' },
    ]);
  });

  it('are refused with two values for one date, an invalid date or an invalid number', () => {
    const order = (...rows: [string, string | null][]) =>
      orderObservations(
        bankOfCanada,
        'x',
        rows.map(([date, value]) => ({ date, value })),
      );
    expect(() => order(['2024-01-01', '1'], ['2024-01-01', '2'])).toThrow(/2024-01-01/);
    expect(() => order(['2024-02-30', '1'])).toThrow(AppError);
    expect(() => order(['2024-01-01', '1,0'])).toThrow(AppError);
    expect(() => order(['2024-01-01', '1}],"x":[{'])).toThrow(AppError);
  });

  it('keep all digits in JSON', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.stringMatching(/^\d{0,30}$/), (whole, fraction) => {
        const value = parseDecimal(`${whole}${fraction === '' ? '' : `.${fraction}`}`) ?? null;
        const { json } = createSeriesAnswer({
          seriesId: 'a"b',
          label: 'L',
          metadata: {},
          data: [{ date: '2024-01-01', value }],
          params: {},
          isPreview: true,
          keyNotice: undefined,
          ageSeconds: 0,
          stale: false,
        });
        expect(json).toContain(`"value":${value}}`);
        expect(JSON.parse(json)).toMatchObject({
          series_id: 'a"b',
          is_preview: true,
          data: [{ date: '2024-01-01' }],
        });
      }),
    );
  });
});

describe('the catalog of providers', () => {
  it('refuses two connectors with the same slug', () => {
    expect(() => createCatalog([bankOfCanada, bankOfCanada])).toThrow(/same slug/);
  });
});

describe('master keys', () => {
  const key = Buffer.alloc(32, 7).toString('base64');

  it('are read with their names, and refused if malformed or repeated', () => {
    expect(parseMasterKeys([`a:${key}`])[0]?.id).toBe('a');
    for (const wrong of [[key], ['a:short'], [`a:${key}`, `a:${key}`], [`ä:${key}`]]) {
      expect(() => parseMasterKeys(wrong)).toThrow();
    }
  });

  it('decrypt only unaltered texts, in their own context', () => {
    const [master] = parseMasterKeys([`a:${key}`]);
    const cipher = createCipher([master as NonNullable<typeof master>]);
    const sealed = cipher.seal('secret', ['1', 'fred']);
    expect(cipher.open('a', sealed, ['1', 'fred'])).toBe('secret');
    expect(() => cipher.open('a', sealed, ['1f', 'red'])).toThrow();
    expect(() => cipher.open('b', sealed, ['1', 'fred'])).toThrow(/'b'/);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => cipher.open('a', altered, ['1', 'fred'])).toThrow();
    }
    expect(cipher.seal('secret', ['1', 'fred']).equals(sealed)).toBe(false);
  });
});
