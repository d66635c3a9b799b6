import { describe, expect, it } from 'vitest';
import { fiscalData } from '../../../src/providers/fiscaldata/fiscaldata.js';
import { allProviders } from '../../../src/providers/registry.js';
import { readExponent, unitOfText, unitTimes, unitWithExponent } from '../../../src/providers/units.js';
import { expectShortTurns } from '../../support/pauses.js';
import { readSample, sampleOf, samples } from './samples.js';

/**
 * A value times `unitMultiplier` is in `unit`, whatever the convention of the upstream. Each entry has the text to replace in
 * the recorded reply, if any, and the resulting unit and multiplier.
 */
const conventions: readonly (readonly [
  slug: string,
  convention: string,
  from: string,
  to: string,
  unit: string | undefined,
  multiplier: number | undefined,
])[] = [
  ['alphavantage', 'prices in the currency of the exchange', '', '', 'USD', 1],
  ['bankofcanada', 'currencies in the id', '', '', 'CAD per USD', 1],
  ['bea', 'exponent as text next to the measure', '', '', 'Current Dollars', 1e6],
  ['bea', 'exponent as number', '"UNIT_MULT":"6"', '"UNIT_MULT":3', 'Current Dollars', 1e3],
  [
    'bea',
    'magnitude twice',
    '"Level","UNIT_MULT":"6"',
    '"Millions of dollars","UNIT_MULT":"6"',
    'Current Dollars, dollars',
    1e6,
  ],
  ['bis', 'SDMX exponent', ',0,368,', ',0,368,', 'Per cent per year', 1],
  ['bis', 'SDMX exponent above zero', ',0,368,', ',9,368,', 'Per cent per year', 1e9],
  ['bls', 'type of the measure', '', '', 'Percent', 1],
  ['bls', 'magnitude in the type of the measure', 'Percent or rate', 'Number in thousands', 'Percent', 1],
  ['dbnomics', 'magnitude in the words of a dimension', '', '', 'US dollars', 1e6],
  ['ecb', 'a price', '', '', 'USD per EUR', 1],
  ['ecb', 'SDMX exponent above zero', ',USD,0\n', ',EUR,6\n', 'Euro', 1e6],
  ['ecb', 'a negative exponent', ',USD,0\n', ',USD,-2\n', 'USD per EUR', 0.01],
  ['ecb', 'an exponent that is not understood', ',USD,0\n', ',USD,lots\n', 'USD per EUR', undefined],
  ['ecb', 'code of a unit', ',USD,0\n', ',PC,0\n', 'Percent', 1],
  ['ecb', 'another code of a unit', ',USD,0\n', ',PCPA,0\n', 'Percent per annum', 1],
  ['eia', 'a price', '', '', '$/BBL', 1],
  ['eia', 'abbreviation of the trade', '$\\/BBL', 'MBBL\\/D', 'barrels per day', 1e3],
  ['eia', 'another abbreviation of the trade', '$\\/BBL', 'MMCF', 'cubic feet', 1e6],
  ['eia', 'magnitude in words', '$\\/BBL', 'million kilowatt hours', 'kilowatt hours', 1e6],
  ['eurostat', 'no magnitude', '', '', 'Annual rate of change', 1],
  [
    'eurostat',
    'magnitude in the label',
    '"Annual rate of change"',
    '"Current prices, million euro"',
    'Current prices, euro',
    1e6,
  ],
  ['eurostat', 'magnitude in the code', 'RCH_A', 'THS_PER', 'Annual rate of change', 1e3],
  ['fiscaldata', 'dollars', '', '', 'U.S. dollars', 1],
  [
    'fiscaldata',
    'magnitude in the label',
    'Total Public Debt Outstanding',
    'Total (in Millions)',
    'U.S. dollars',
    1e6,
  ],
  ['fred', 'magnitude in the words', '', '', 'Dollars', 1e9],
  ['ilo', 'SDMX exponent', '', '', 'Persons', 1e3],
  // Values are in units already: SCALE 6 is how the IMF displays them.
  ['imf', 'scale of the display', '', '', 'Troy ounce', 1],
  ['norgesbank', 'price for a hundred units', '', '', 'NOK per SEK', 0.01],
  [
    'norgesbank',
    'price for one unit',
    'id="UNIT_MULT" value="2"',
    'id="UNIT_MULT" value="0"',
    'NOK per SEK',
    1,
  ],
  ['undata', 'SDMX exponent', 'id="UNIT_MULT" value="0"', 'id="UNIT_MULT" value="3"', 'Gigawatt-hours', 1e3],
  ['oecd', 'SDMX exponent', '', '', 'Percent per annum', 1],
  ['oecd', 'SDMX exponent above zero', ',0,4,', ',6,4,', 'Percent per annum', 1e6],
  ['ons', 'percent', '', '', 'Percent', 1],
  [
    'ons',
    'a currency and a magnitude',
    '"unit": "%",\n    "preUnit": ""',
    '"unit": "m", "preUnit": "£"',
    'Pounds sterling',
    1e6,
  ],
  ['bankofengland', 'magnitude in the title', '', '', 'Pounds sterling', 1e6],
  ['bankofjapan', 'a price', '', '', 'Yen per U.S. Dollar', 1],
  ['bankofjapan', 'a price for a hundred', 'Yen per U.S. Dollar', 'Yen per 100 Won', 'Yen per Won', 0.01],
  ['bundesbank', 'by the record', '', '', 'DEM per USD', 1],
  ['snb', 'by the record', '', '', 'Percent', 1],
  ['statcan', 'an index', '', '', '2002=100', 1],
  ['treasury', 'percent', '', '', 'Percent per annum', 1],
  ['worldbank', 'unit in the name', '', '', 'current US$', 1],
];

/** Magnitude according to `units` alone. */
const magnitudeIn = (units: string | undefined): number => {
  // Units of the trade in oil and gas, and of prices for a hundred.
  const trade: Readonly<Record<string, number>> = { 'MBBL/D': 1e3, MMCF: 1e6 };
  const text = units ?? '';
  if (/ per 100 /.test(text) || text.startsWith('Hundredths')) return 0.01;
  return trade[text] ?? unitOfText(text).unitMultiplier ?? 1;
};

describe('units', () => {
  it('are known for every connector', () => {
    const covered = new Set(conventions.map(([slug]) => slug));
    expect([...covered].sort()).toEqual(allProviders.map(({ slug }) => slug).sort());
    expect(samples.map(({ provider }) => provider.slug)).toEqual(allProviders.map(({ slug }) => slug));
  });

  it.each(conventions)('of %s: %s', async (slug, _convention, from, to, unit, unitMultiplier) => {
    const change = (reply: string): string => (from === '' ? reply : reply.replaceAll(from, to));
    const { metadata } = await readSample(sampleOf(slug), change);
    expect([metadata.unit, metadata.unitMultiplier]).toEqual([unit, unitMultiplier]);
    expect(magnitudeIn(metadata.units)).toBe(unitMultiplier ?? 1);
    expect(metadata).not.toHaveProperty('unit_multiplier');
  });

  it('of the IMF are not scaled, whatever the scale of the display', async () => {
    const sample = sampleOf('imf');
    for (const scale of ['0', '3', '9']) {
      const { metadata } = await readSample(sample, (reply) =>
        reply.replace(/("SCALE"[\s\S]*?"id": ")\d/, `$1${scale}`),
      );
      expect(metadata.unitMultiplier).toBe(1);
    }
  });

  it('of the Daily Treasury Statement are millions', async () => {
    const sample = {
      ...sampleOf('fiscaldata'),
      provider: fiscalData,
      id: 'v1/accounting/dts/operating_cash_balance/tot_pub_debt_out_amt',
    };
    expect((await readSample(sample)).metadata).toMatchObject({ unit: 'U.S. dollars', unitMultiplier: 1e6 });
  });

  it('of the World Bank come from the names of indicators', async () => {
    const sample = sampleOf('worldbank');
    const unitOf = async (name: string) => {
      const { metadata } = await readSample(sample, undefined, (reply) =>
        reply.replace('GDP (current US$)', name),
      );
      return [metadata.unit, metadata.unitMultiplier];
    };
    expect(await unitOf('Population, total')).toEqual([undefined, 1]);
    expect(await unitOf('Unemployment, total (% of total labor force) (modeled ILO estimate)')).toEqual([
      '% of total labor force',
      1,
    ]);
    expect(await unitOf('Exports Merchandise, Customs, current US$, millions, seas. adj.')).toEqual([
      undefined,
      1e6,
    ]);
  });
});

describe('unitOfText', () => {
  it.each([
    ['Billions of Chained 2017 Dollars', 'Chained 2017 Dollars', 1e9],
    ['Thousands', 'Units', 1e3],
    ['100 Million Yen', 'Yen', 1e8],
    ['Hundreds of Millions of Dollars', 'Dollars', 1e8],
    ['Ten Thousand Persons', 'Persons', 1e4],
    ['1000 persons', 'persons', 1e3],
    ['Mrd ECU/EUR', 'ECU/EUR', 1e9],
    ['Mil. of $', '$', 1e6],
    ['Million British Thermal Units', 'British Thermal Units', 1e6],
    ['Chain linked volumes (2015), million euro', 'Chain linked volumes (2015), euro', 1e6],
    ['U.S. dollars (Billions)', 'U.S. dollars', 1e9],
    ['Number in thousands', 'Number', 1e3],
    ['ALL EMPLOYEES, THOUSANDS', 'ALL EMPLOYEES', 1e3],
    ['Price (thousands of dollars per unit)', 'Price (dollars per unit)', 1e3],
    ['Dollars per Million Btu', 'Dollars per Million Btu', 1],
    ['Per hundred thousand inhabitants', 'Per hundred thousand inhabitants', 1],
    ['Deaths per 100,000', 'Deaths per 100,000', 1],
    ['Growth in billion-dollar firms', 'Growth in billion-dollar firms', 1],
    ['Index 1982-1984=100', 'Index 1982-1984=100', 1],
    ['Hundredweight', 'Hundredweight', 1],
    ['Milligrams', 'Milligrams', 1],
    ['Tenure', 'Tenure', 1],
  ])('reads %s', (units, unit, unitMultiplier) => {
    expect(unitOfText(units)).toEqual({ units, unit, unitMultiplier });
  });

  it.each(['million '.repeat(20_000), 'in '.repeat(50_000), ', ('.repeat(50_000), '1'.repeat(100_000)])(
    'takes linear time for any text: %.10s',
    async (text) => {
      await expectShortTurns(async () => unitOfText(text));
    },
  );
});

describe('unitWithExponent', () => {
  it.each([
    ['6', 6],
    [' 3 ', 3],
    ['6.0', 6],
    [-2, -2],
    ['', 'none'],
    [null, 'none'],
    ['_Z', 'none'],
    ['Millions', 6],
    ['Units', 0],
    ['many', undefined],
    ['1e3', undefined],
  ] as const)('reads the exponent %j', (written, exponent) => {
    expect(readExponent(written)).toBe(exponent);
  });

  it('counts a magnitude only once that is given both in words and as an exponent', () => {
    expect(unitWithExponent('Millions of US dollars', 6)).toMatchObject({
      unit: 'US dollars',
      unitMultiplier: 1e6,
    });
    expect(unitWithExponent('Millions of US dollars', 'none')).toMatchObject({
      unit: 'US dollars',
      unitMultiplier: 1e6,
    });
    expect(unitWithExponent('Thousands of persons', 6)).toMatchObject({
      unit: 'Thousands of persons',
      unitMultiplier: 1e6,
    });
    expect(unitWithExponent('Euro', undefined)).toEqual({ units: 'Euro', unit: 'Euro' });
    expect(unitWithExponent(undefined, 3)).toEqual({ units: 'Thousands', unitMultiplier: 1000 });
  });
});

describe('unitTimes', () => {
  it.each([
    ['Number', 1e3, 'Thousands'],
    [undefined, 1e6, 'Millions'],
    ['U.S. dollars', 1e9, 'Billions of U.S. dollars'],
    ['persons', 1e5, 'Hundreds of thousands of persons'],
    ['Euro', 1e7, 'Tens of millions of Euro'],
    ['Euro', 1e15, '10^15 Euro'],
    ['USD per EUR', 0.01, 'Hundredths of USD per EUR'],
    ['Percent', 1, 'Percent'],
    ['Millions of euro', 1e6, 'Millions of euro'],
  ])('spells %s times %d', (unit, multiplier, units) => {
    expect(unitTimes(unit, multiplier).units).toBe(units);
  });

  it('is read back as the same magnitude', () => {
    for (const power of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]) {
      const multiplier = Number(`1e${power}`);
      const { units } = unitTimes('persons', multiplier);
      expect(unitOfText(units)).toMatchObject({ unit: 'persons', unitMultiplier: multiplier });
    }
  });
});
