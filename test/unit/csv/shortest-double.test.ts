import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortestDouble } from '../../../src/csv/shortest-double.js';

const answer = (digits: string, exponent: number): number =>
  shortestDouble(
    Number(digits.slice(0, -8)) * 1e8,
    Number(digits.slice(-8)),
    exponent,
    Number(digits.at(-1)),
  );

/** Reference: the double that prints as these digits, found through text. */
const byText = (digits: string, exponent: number): number => {
  const value = Number(`${digits}e${exponent}`);
  const [mantissa = '', power] = value.toExponential().split('e');
  const same = mantissa.replace('.', '') === digits && Number(power) === digits.length - 1 + exponent;
  return same ? value : Number.NaN;
};

const digits = fc.stringMatching(/^[1-9][0-9]{14,15}[1-9]$/);
const exponents = fc.integer({ min: -22, max: 22 });

describe('the double of 16 and 17 digits', () => {
  it('is the one that prints the same digits, or none', () => {
    fc.assert(
      fc.property(digits, exponents, (text, exponent) => {
        const value = answer(text, exponent);
        if (!Number.isNaN(value)) expect(value).toBe(byText(text, exponent));
      }),
      { numRuns: 20_000 },
    );
  });

  it('is found for more than 90 % of the texts that doubles print', () => {
    let known = 0;
    let candidates = 0;
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 1e15, noNaN: true }), (value) => {
        const [mantissa = '', power] = value.toExponential().split('e');
        const text = mantissa.replace('.', '');
        const exponent = Number(power) - text.length + 1;
        if (text.length < 16 || exponent < -22) return;
        candidates++;
        const found = answer(text, exponent);
        if (found === value) known++;
        else expect(found).toBeNaN();
      }),
      { numRuns: 5_000 },
    );
    expect(known / candidates).toBeGreaterThan(0.9);
  });

  it.each([
    ['9007199254740993', 0, Number.NaN], // between two doubles
    ['9007199254740992', 0, Number.NaN], // a power of two: left to the fallback
    ['9007199254740994', 0, 9007199254740994],
    ['30000000000000004', -17, 0.30000000000000004],
    ['30000000000000003', -17, Number.NaN], // 0.3 is shorter
    ['30000000000000005', -17, Number.NaN], // 0.30000000000000004 is nearer
    ['9007207844675584', 0, 9007207844675584], // only its upper word is not zero
    ['18740713096294441', -11, 187407.13096294441],
    ['44715872066552281', -18, Number.NaN], // 0.04471587206655228, one digit less, is the same double
    ['23671592769836238', -3, Number.NaN], // 23671592769836.24 is shorter
    ['41585047787673938', -14, Number.NaN], // 415.8504778767394 is shorter
    // Ties are left to the fallback.
    ['2000000000000001', 1, Number.NaN],
    ['17647741295281812', -3, Number.NaN],
    ['36028797018963976', 0, Number.NaN],
  ])('of %s × 10^%d is %d', (text, exponent, value) => {
    expect(answer(text, exponent)).toBe(value);
  });
});
